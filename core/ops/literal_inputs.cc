#include "core/ops/literal_inputs.h"

#include "core/function/cast.h"
#include "core/types/extension_spec.h"
#include "core/types/literal_spec.h"
#include "core/types/sequence_spec.h"
#include "core/types/tensor_spec.h"

namespace signet {

bool IsPlainLiteral(const GraphValue& value) {
  if (!value.spec) return false;
  return value.spec.is(TypeKind::kLiteral) || (IsSequence(value.spec) && IsStatic(value.spec));
}

StatusOr<GraphValue> TensorFor(Expander& expander, const GraphValue& value, DType dtype) {
  if (!IsPlainLiteral(value)) return value;
  if (value.spec == LiteralType(Literal())) return GraphValue{};
  SIGNET_ASSIGN_OR_RETURN(
      Value tensor, CastTo(Value::Trusted(value.spec, {}), TensorType(dtype, PartialShape())));
  return expander.Constant(tensor);
}

StatusOr<std::vector<GraphValue>> ExpandWithInt64Lists(Expander& expander, const OpCall& call,
                                                       std::span<const GraphValue> inputs) {
  std::vector<GraphValue> tensors(inputs.begin(), inputs.end());
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (i > 0) {
      SIGNET_ASSIGN_OR_RETURN(tensors[i], TensorFor(expander, tensors[i], DType::kInt64));
    }
    if (!tensors[i].spec || tensors[i].spec.is(TypeKind::kTensor)) continue;
    return Unimplemented("`", call.op.name, "` of `", tensors[i].spec, "`; takes tensors");
  }
  return expander.Call(call.op.name, tensors, call.attributes);
}

}  // namespace signet
