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

}  // namespace signet
