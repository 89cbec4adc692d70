#include "core/frontends/onnx/lower/build/quantized.h"

#include "core/frontends/onnx/lower/build/inputs.h"
#include "core/types/tensor_spec.h"

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

QuantizedValue QuantizedAt(Formula& f, std::span<const GraphValue> inputs, size_t i) {
  GraphValue scale = InputOr(inputs, i + 1);
  if (scale.spec) scale = f.Cast(scale, DType::kFloat32);
  return {InputOr(inputs, i), scale, InputOr(inputs, i + 2)};
}

bool IsOneNumber(const GraphValue& value) {
  const PartialShape* shape = ShapeOf(value);
  return shape != nullptr && shape->has_rank() &&
         (shape->rank() == 0 || (shape->rank() == 1 && shape->dim(0) == 1));
}

GraphValue AsScalar(Formula& f, const GraphValue& value) {
  if (!f.ok() || !IsOneNumber(value) || KnownRank(value) == 0) return value;
  return f("reshape", {value}, Attributes({{"shape", AttributeOf(std::span<const int64_t>())}}));
}

GraphValue AsColumn(Formula& f, const GraphValue& value) {
  if (!f.ok() || IsOneNumber(value) || KnownRank(value) != 1) return value;
  return f("expand_dims", {value}, Along(1));
}

GraphValue IntegerProduct(Formula& f, const GraphValue& a, const GraphValue& a_zero,
                          const GraphValue& b, const GraphValue& b_zero) {
  if (KnownRank(a_zero) <= 1 && KnownRank(b_zero) <= 1) {
    return f("matmul_integer", {a, b, a_zero, b_zero});
  }
  auto centered = [&](const GraphValue& x, const GraphValue& zero) {
    GraphValue wide = f.Cast(x, DType::kInt32);
    return zero.spec ? f("sub", {wide, f.Cast(zero, DType::kInt32)}) : wide;
  };
  return f("matmul", {centered(a, AsColumn(f, a_zero)), centered(b, b_zero)});
}

GraphValue Rescaled(Formula& f, const GraphValue& sums, const GraphValue& a, const GraphValue& b,
                    const GraphValue& y, const GraphValue& zero, int64_t axis) {
  GraphValue multiplier = f("div", {f("mul", {AsScalar(f, a), AsScalar(f, b)}), AsScalar(f, y)});
  return f("requantize", {sums, multiplier, AsScalar(f, zero)}, Along(axis));
}

GraphValue Dequantized(Formula& f, const QuantizedValue& value, int64_t axis) {
  return f("dequantize", {value.x, value.scale, value.zero}, Along(axis));
}

GraphValue Quantized(Formula& f, const GraphValue& x, const GraphValue& scale,
                     const GraphValue& zero, int64_t axis) {
  return f("quantize", {x, scale, zero}, Along(axis));
}

GraphValue MoveChannels(Formula& f, const GraphValue& x, int rank, bool to_front) {
  std::vector<int64_t> order = {0};
  if (to_front) order.push_back(rank - 1);
  for (int axis = to_front ? 1 : 2; axis < (to_front ? rank - 1 : rank); ++axis) {
    order.push_back(axis);
  }
  if (!to_front) order.push_back(1);
  return f("transpose", {x}, Attributes({{"perm", AttributeOf(std::span<const int64_t>(order))}}));
}

}  // namespace signet
