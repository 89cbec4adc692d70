#include "core/ops/build/literal_inputs.h"

#include <algorithm>

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

StatusOr<GraphValue> RowsFor(Expander& expander, const GraphValue& value, DType dtype) {
  auto tensor = TensorFor(expander, value, dtype);
  bool nested = !tensor.ok() && IsSequence(value.spec) &&
                std::any_of(value.spec.children().begin(), value.spec.children().end(), IsSequence);
  if (!nested) return tensor;
  std::vector<GraphValue> rows;
  for (const TypeSpec& child : value.spec.children()) {
    SIGNET_ASSIGN_OR_RETURN(GraphValue row, RowsFor(expander, {child, {}}, dtype));
    rows.push_back(std::move(row));
  }
  Attributes ragged({{"ragged", AttributeOf(true)}});
  SIGNET_ASSIGN_OR_RETURN(auto stacked, expander.Call("stack", rows, ragged));
  return stacked[0];
}

namespace {

StatusOr<std::vector<GraphValue>> ExpandWithInt64From(size_t first, Expander& expander,
                                                      const OpCall& call,
                                                      std::span<const GraphValue> inputs) {
  std::vector<GraphValue> tensors(inputs.begin(), inputs.end());
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (i >= first) {
      SIGNET_ASSIGN_OR_RETURN(tensors[i], TensorFor(expander, tensors[i], DType::kInt64));
    }
    if (!tensors[i].spec || tensors[i].spec.is(TypeKind::kTensor)) continue;
    return Unimplemented("`", call.op.name, "` of `", tensors[i].spec, "`; takes tensors");
  }
  return expander.Call(call.op.name, tensors, call.attributes);
}

}  // namespace

StatusOr<std::vector<GraphValue>> ExpandWithInt64Lists(Expander& expander, const OpCall& call,
                                                       std::span<const GraphValue> inputs) {
  return ExpandWithInt64From(1, expander, call, inputs);
}

StatusOr<std::vector<GraphValue>> ExpandWithInt64s(Expander& expander, const OpCall& call,
                                                   std::span<const GraphValue> inputs) {
  return ExpandWithInt64From(0, expander, call, inputs);
}

}  // namespace signet
