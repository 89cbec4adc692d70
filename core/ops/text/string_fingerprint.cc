// string_fingerprint: computes a 64-bit hash of each string.

#include "core/ops/build/flat_values.h"
#include "core/ops/def/inference.h"
#include "core/ops/text/string_input.h"
#include "core/ops/text/text_ops.h"

namespace signet {
namespace {

StatusOr<std::vector<TypeSpec>> InferStringFingerprint(const OpCall& call) {
  // C1: the input is a tensor of strings.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, StringInput(call, 0));
  return OneOutput(TensorType(DType::kUInt64, x->shape()));
}

}  // namespace

OpDef StringFingerprint() {
  return {
      .name = "string_fingerprint",
      .summary = "Computes a 64-bit hash of each string",
      .description =
          "Returns the hash Fingerprint64 of FarmHash, with which TensorFlow crosses features. It "
          "is the same on every machine and in every version. `string_hash_bucket` with "
          "`method=\"farmhash\"` returns it modulo the number of buckets.",
      .inputs = {"x"},
      .result = "A value of uint64 with the shape of x.",
      .constraints = {"The input is a tensor or a ragged value of strings."},
      .composites = "On a ragged value, the op works on the flat values.",
      .infer = InferStringFingerprint,
      .expand = ExpandOnFlatValues,
      .family = OpFamily::kUnaryElementwise,
  };
}

}  // namespace signet
