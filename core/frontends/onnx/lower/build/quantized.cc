#include "core/frontends/onnx/lower/build/quantized.h"

#include "core/frontends/onnx/lower/build/inputs.h"
#include "core/ops/build/op_builder.h"
#include "signet/tensor_spec.h"

namespace signet {
namespace {

const PartialShape* ShapeOf(const GraphValue& value) {
  return value.spec ? value.spec.shape() : nullptr;
}

int KnownRank(const GraphValue& value) {
  const PartialShape* shape = ShapeOf(value);
  return shape != nullptr && shape->has_rank() ? shape->rank() : 0;
}

}  // namespace

StatusOr<QuantizedValue> QuantizedAt(OpBuilder& build, std::span<const GraphValue> inputs,
                                     size_t i) {
  GraphValue scale = InputOr(inputs, i + 1);
  if (scale.spec) {
    SIGNET_ASSIGN_OR_RETURN(scale, CastTo(build, scale, DType::kFloat32));
  }
  return QuantizedValue{InputOr(inputs, i), scale, InputOr(inputs, i + 2)};
}

bool IsOneNumber(const GraphValue& value) {
  const PartialShape* shape = ShapeOf(value);
  return shape != nullptr && shape->has_rank() &&
         (shape->rank() == 0 || (shape->rank() == 1 && shape->dim(0) == 1));
}

StatusOr<GraphValue> OneAsScalar(OpBuilder& build, const GraphValue& value) {
  if (!IsOneNumber(value) || KnownRank(value) == 0) return value;
  return build.Reshape(value, {.shape = {}});
}

StatusOr<GraphValue> AsColumn(OpBuilder& build, const GraphValue& value) {
  if (IsOneNumber(value) || KnownRank(value) != 1) return value;
  return build.ExpandDims(value, {.axis = 1});
}

StatusOr<GraphValue> IntegerProduct(OpBuilder& build, const GraphValue& a, const GraphValue& a_zero,
                                    const GraphValue& b, const GraphValue& b_zero) {
  if (KnownRank(a_zero) <= 1 && KnownRank(b_zero) <= 1) {
    return build.MatmulInteger(a, b, a_zero, b_zero);
  }
  auto centered = [&](const Operand& x, const Operand& zero) {
    Expr wide = CastTo(build, x, DType::kInt32);
    return IsGiven(zero) ? wide - CastTo(build, zero, DType::kInt32) : wide;
  };
  Expr rows = centered(a, AsColumn(build, a_zero));
  return build.Matmul(rows, centered(b, b_zero));
}

StatusOr<GraphValue> Rescaled(OpBuilder& build, const Operand& sums, const GraphValue& a,
                              const GraphValue& b, const GraphValue& y, const GraphValue& zero,
                              int64_t axis) {
  Expr factor = build.Mul(OneAsScalar(build, a), OneAsScalar(build, b));
  Expr multiplier = factor / OneAsScalar(build, y);
  return build.Requantize(sums, multiplier, OneAsScalar(build, zero), {.axis = axis});
}

StatusOr<GraphValue> Dequantized(OpBuilder& build, const QuantizedValue& value, int64_t axis) {
  return build.Dequantize(value.x, value.scale, value.zero, {.axis = axis});
}

StatusOr<GraphValue> Quantized(OpBuilder& build, const Operand& x, const Operand& scale,
                               const Operand& zero, int64_t axis) {
  return build.Quantize(x, scale, zero, {.axis = axis});
}

StatusOr<GraphValue> MoveChannels(OpBuilder& build, const Operand& x, int rank, bool to_front) {
  std::vector<int64_t> order = {0};
  if (to_front) order.push_back(rank - 1);
  for (int axis = to_front ? 1 : 2; axis < (to_front ? rank - 1 : rank); ++axis) {
    order.push_back(axis);
  }
  if (!to_front) order.push_back(1);
  return build.Transpose(x, {.perm = order});
}

}  // namespace signet
