// cast: changes the dtype, element by element. The constraints are those of docs/reference/ops.md.

#include "core/ops/build/rows/elementwise_rows.h"
#include "core/ops/def/inference.h"
#include "core/ops/elementwise/elementwise_ops.h"

namespace signet {
namespace {

StatusOr<std::vector<TypeSpec>> InferCast(const OpCall& call) {
  // C1: the input is a tensor.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorInput(call, 0));
  // C2: `dtype` names a dtype.
  auto dtype = call.attributes.DTypeNamed("dtype");
  if (!dtype.ok()) return Labelled("C2", dtype.status());
  // C3: complex numbers are neither read nor written as text.
  bool text = x->dtype() == DType::kString || *dtype == DType::kString;
  if (text && (IsComplex(x->dtype()) || IsComplex(*dtype))) {
    return InvalidArgument("C3 input 0 is `", call.inputs[0], "`, to `", NameOf(*dtype),
                           "`; complex numbers have no text");
  }
  return OneOutput(TensorType(*dtype, x->shape()));
}

}  // namespace

OpDef Cast() {
  return {
      .name = "cast",
      .summary = "Changes the dtype",
      .inputs = {"x"},
      .attributes = {{"dtype"}},
      .infer = InferCast,
      .expand = ExpandElementwise,
      .family = OpFamily::kUnaryElementwise,
  };
}

}  // namespace signet
