// string_lower, string_upper: convert the letters of each string to lower or upper case.
//
// Without `unicode`, only ASCII letters are converted, so that the result, such as the entries of a
// vocabulary, does not depend on the version of Unicode.

#include "core/ops/build/flat_values.h"
#include "core/ops/build/sparse/sparse_expansions.h"
#include "core/ops/def/inference.h"
#include "core/ops/text/string_input.h"
#include "core/ops/text/text_ops.h"

namespace signet {
namespace {

StatusOr<std::vector<TypeSpec>> InferStringCase(const OpCall& call) {
  // C1: the input is a tensor of strings.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, StringInput(call, 0));
  SIGNET_RETURN_IF_ERROR(call.attributes.Bool("unicode").status());
  return OneOutput(TensorType(DType::kString, x->shape()));
}

// Adds the fields that both ops share.
OpDef MakeStringCase(OpDef op) {
  op.inputs = {"x"};
  op.attributes = {{"unicode", AttributeOf(false)}};
  op.infer = InferStringCase;
  op.expand = ExpandOnFlatValues;
  op.expand_sparse = ExpandSparseOnValues;
  op.family = OpFamily::kUnaryElementwise;
  return op;
}

}  // namespace

std::vector<OpDef> StringCaseOps() {
  return {
      MakeStringCase({
          .name = "string_lower",
          .summary = "Converts letters to lower case",
          .description =
              "Converts ASCII letters to lower case; all other characters stay the same. With "
              "`unicode`, converts all letters of Unicode that have one corresponding letter, as "
              "the C library defines them; bytes that are not UTF-8 stay the same.",
          .result = "A value of strings with the shape of x.",
          .constraints = {"The input is a tensor, a ragged value, or a sparse value of strings."},
          .composites = "On a ragged or sparse value, the op works on the flat or stored values.",
      }),
      MakeStringCase({
          .name = "string_upper",
          .summary = "Converts letters to upper case",
          .description =
              "Converts ASCII letters to upper case; all other characters stay the same. With "
              "`unicode`, converts all letters of Unicode that have one corresponding letter, as "
              "the C library defines them; bytes that are not UTF-8 stay the same.",
          .result = "A value of strings with the shape of x.",
          .constraints = {"The input is a tensor, a ragged value, or a sparse value of strings."},
          .composites = "On a ragged or sparse value, the op works on the flat or stored values.",
      }),
  };
}

}  // namespace signet
