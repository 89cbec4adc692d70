// string_strip: removes characters at the ends of each string.
//
//   string_strip(["--a-b-"], chars="-", side="left")  =>  ["a-b-"]

#include "core/ops/build/flat_values.h"
#include "core/ops/build/sparse/sparse_expansions.h"
#include "core/ops/def/inference.h"
#include "core/ops/text/string_input.h"
#include "core/ops/text/text_ops.h"

namespace signet {
namespace {

StatusOr<std::vector<TypeSpec>> InferStringStrip(const OpCall& call) {
  // C1: the input is a tensor of strings.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, StringInput(call, 0));
  // C2: `side` is both, left or right; C3: `chars` is a string, or None for white space.
  SIGNET_ASSIGN_OR_RETURN(std::string side, WithConstraint("C2", call.attributes.String("side")));
  if (side != "both" && side != "left" && side != "right") {
    return WithConstraint("C2", InvalidArgument("unsupported side `", Printable(side),
                                                "`; supported: both, left, right"));
  }
  if (!IsNone(call.attributes, "chars")) {
    SIGNET_RETURN_IF_ERROR(WithConstraint("C3", call.attributes.String("chars").status()));
  }
  return OneOutput(TensorType(DType::kString, x->shape()));
}

}  // namespace

OpDef StringStrip() {
  return {
      .name = "string_strip",
      .summary = "Removes characters at the ends of strings",
      .description =
          "Removes ASCII white space, or the bytes in `chars`, at both ends of each string, or "
          "only at the `side` `left` or `right`.",
      .inputs = {"x"},
      .attributes = {{"chars", NoneAttribute()}, {"side", AttributeOf("both")}},
      .result = "A value of strings with the shape of x.",
      .constraints = {"The input is a tensor, a ragged value, or a sparse value of strings.",
                      "`side` is `both`, `left`, or `right`.", "`chars` is a string or None."},
      .composites = "On a ragged or sparse value, the op works on the flat or stored values.",
      .infer = InferStringStrip,
      .expand = ExpandOnFlatValues,
      .expand_sparse = ExpandSparseOnValues,
      .family = OpFamily::kUnaryElementwise,
  };
}

}  // namespace signet
