#include "core/ops/build/literal_inputs.h"

#include <algorithm>

#include "core/function/cast.h"
#include "core/ops/build/op_builder.h"
#include "signet/extension_spec.h"
#include "signet/literal_spec.h"
#include "signet/sequence_spec.h"
#include "signet/tensor_spec.h"

namespace signet {

bool IsPlainLiteral(const GraphValue& value) {
  if (!value.spec) return false;
  return value.spec.is(TypeKind::kLiteral) || (IsSequence(value.spec) && IsStatic(value.spec));
}

StatusOr<GraphValue> TensorFor(OpBuilder& build, const GraphValue& value, DType dtype) {
  if (!IsPlainLiteral(value)) return value;
  if (value.spec == LiteralType(Literal())) return GraphValue{};
  SIGNET_ASSIGN_OR_RETURN(
      Value tensor, CastTo(Value::Trusted(value.spec, {}), TensorType(dtype, PartialShape())));
  return build.Constant(tensor);
}

StatusOr<GraphValue> RowsFor(OpBuilder& build, const GraphValue& value, DType dtype) {
  auto tensor = TensorFor(build, value, dtype);
  bool nested = !tensor.ok() && IsSequence(value.spec) &&
                std::any_of(value.spec.children().begin(), value.spec.children().end(), IsSequence);
  if (!nested) return tensor;
  std::vector<GraphValue> rows;
  for (const TypeSpec& child : value.spec.children()) {
    SIGNET_ASSIGN_OR_RETURN(GraphValue row, RowsFor(build, {child, {}}, dtype));
    rows.push_back(std::move(row));
  }
  Attributes ragged({{"ragged", AttributeOf(true)}});
  SIGNET_ASSIGN_OR_RETURN(GraphValue stacked, build.Stack(rows, {.ragged = true}));
  return stacked;
}

namespace {

StatusOr<std::vector<GraphValue>> ExpandWithInt64From(size_t first, OpBuilder& build,
                                                      const OpCall& call,
                                                      std::span<const GraphValue> inputs) {
  std::vector<GraphValue> tensors(inputs.begin(), inputs.end());
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (i >= first) {
      SIGNET_ASSIGN_OR_RETURN(tensors[i], TensorFor(build, tensors[i], DType::kInt64));
    }
    if (!tensors[i].spec || tensors[i].spec.is(TypeKind::kTensor)) continue;
    return Unimplemented("`", call.op.name, "`: expected tensors, found `", tensors[i].spec, "`");
  }
  return build.Call(call.op.name, tensors, call.attributes);
}

}  // namespace

StatusOr<std::vector<GraphValue>> ExpandWithInt64Lists(OpBuilder& build, const OpCall& call,
                                                       std::span<const GraphValue> inputs) {
  return ExpandWithInt64From(1, build, call, inputs);
}

StatusOr<std::vector<GraphValue>> ExpandWithInt64s(OpBuilder& build, const OpCall& call,
                                                   std::span<const GraphValue> inputs) {
  return ExpandWithInt64From(0, build, call, inputs);
}

}  // namespace signet
