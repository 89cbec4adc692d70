// Operators that look at or change shapes.

#include <algorithm>

#include "core/ops/inference.h"
#include "core/ops/onnx/inputs.h"
#include "core/ops/onnx/onnx_ops.h"
#include "core/ops/parts.h"

namespace signet {
namespace {

using Values = std::vector<GraphValue>;

Attributes ListOf(std::string_view name, std::span<const int64_t> values) {
  return Attributes({{std::string(name), AttributeOf(values)}});
}

StatusOr<Values> ExpandIdentity(Expander&, const OpCall&, std::span<const GraphValue> inputs) {
  return Values{inputs[0]};
}

// The sizes of dimensions [begin, end) of `x`, as int64[end - begin].
StatusOr<GraphValue> SizesOf(Expander& expander, const GraphValue& x, int begin, int end) {
  Values sizes;
  for (int axis = begin; axis < end; ++axis) {
    SIGNET_ASSIGN_OR_RETURN(GraphValue size, DimSize(expander, x, axis));
    sizes.push_back(std::move(size));
  }
  if (sizes.empty()) return expander.Constant(Tensor::Of<int64_t>({0}, {}));
  SIGNET_ASSIGN_OR_RETURN(Values stacked, expander.Call("stack", sizes, {}));
  return stacked[0];
}

StatusOr<Values> ExpandShape(Expander& expander, const OpCall& call,
                             std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(inputs, 0));
  SIGNET_ASSIGN_OR_RETURN(int64_t start, call.attributes.Int("start"));
  SIGNET_ASSIGN_OR_RETURN(std::optional<int64_t> end, call.attributes.OptionalInt("end"));
  auto clamped = [&](int64_t axis) {
    return static_cast<int>(std::clamp<int64_t>(axis < 0 ? axis + rank : axis, 0, rank));
  };
  return One(SizesOf(expander, inputs[0], clamped(start), clamped(end.value_or(rank))));
}

// `shape` with its zeros replaced by the sizes that `x` has there.
StatusOr<GraphValue> WithSizesForZeros(Expander& expander, const GraphValue& shape,
                                       const GraphValue& x) {
  const PartialShape& own = *x.spec.shape();
  const PartialShape& wanted = *shape.spec.shape();
  if (!own.has_rank() || !wanted.has_rank() || wanted.dim(0) == kUnknownDim) return shape;
  int length = static_cast<int>(wanted.dim(0));
  SIGNET_ASSIGN_OR_RETURN(GraphValue sizes, SizesOf(expander, x, 0, std::min(length, own.rank())));
  if (length > own.rank()) {
    std::vector<int64_t> zeros(static_cast<size_t>(length - own.rank()), 0);
    GraphValue rest = expander.Constant(
        Tensor::Of<int64_t>({length - own.rank()}, std::span<const int64_t>(zeros)));
    SIGNET_ASSIGN_OR_RETURN(sizes, expander.Call1("concat", {sizes, rest}));
  }
  SIGNET_ASSIGN_OR_RETURN(GraphValue is_zero,
                          expander.Call1("equal", {shape, Int64Constant(expander, 0)}));
  return expander.Call1("select", {is_zero, sizes, shape});
}

StatusOr<Values> ExpandReshape(Expander& expander, const OpCall& call,
                               std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* data, TensorAt(inputs, 0));
  SIGNET_ASSIGN_OR_RETURN(int64_t allow_zero, call.attributes.Int("allowzero"));
  // Up to version 4 the shape was an attribute.
  SIGNET_ASSIGN_OR_RETURN(auto dims, OptionalInts(call.attributes, "shape"));
  if (!dims) dims = KnownInts(expander, inputs, 1);
  bool is_known = dims.has_value();
  for (size_t i = 0; is_known && i < dims->size() && allow_zero == 0; ++i) {
    if ((*dims)[i] != 0) continue;
    if (!data->shape().has_rank() || static_cast<int>(i) >= data->shape().rank()) {
      return InvalidArgument("dimension ", i, " of the shape is 0, the size of the input's, but `",
                             inputs[0].spec, "` has none");
    }
    int64_t size = data->shape().dim(static_cast<int>(i));
    is_known = size != kUnknownDim;
    if (is_known) (*dims)[i] = size;
  }
  if (is_known) return One(expander.Call1("reshape", {inputs[0]}, ListOf("shape", *dims)));
  GraphValue shape = InputOr(inputs, 1);
  if (dims) {
    auto length = static_cast<int64_t>(dims->size());
    shape = expander.Constant(Tensor::Of<int64_t>({length}, std::span<const int64_t>(*dims)));
  }
  SIGNET_RETURN_IF_ERROR(TensorAt({&shape, 1}, 0).status());
  if (allow_zero == 0) {
    SIGNET_ASSIGN_OR_RETURN(shape, WithSizesForZeros(expander, shape, inputs[0]));
  }
  return One(expander.Call1("reshape", {inputs[0], shape}));
}

StatusOr<Values> ExpandTranspose(Expander& expander, const OpCall& call,
                                 std::span<const GraphValue> inputs) {
  return expander.Call("transpose", inputs, call.attributes);
}

StatusOr<Values> ExpandConcat(Expander& expander, const OpCall& call,
                              std::span<const GraphValue> inputs) {
  return expander.Call("concat", inputs, call.attributes);
}

StatusOr<Values> ExpandSqueeze(Expander& expander, const OpCall& call,
                               std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(auto axes, IntsOrInput(expander, call, inputs, "axes", 1));
  Attributes attributes;
  if (axes) attributes = ListOf("axes", *axes);
  return One(expander.Call1("squeeze", {inputs[0]}, attributes));
}

}  // namespace

std::vector<OpDef> OnnxShapeOps() {
  std::vector<OpDef> ops;
  ops.push_back(OnnxOp("onnx.Identity", "Gives its input", {"input"}, {}, ExpandIdentity));
  ops.push_back(OnnxOp("onnx.Shape", "Gives the sizes of dimensions", {"data"},
                       {{"start", AttributeOf(0)}, {"end", NoneAttribute()}}, ExpandShape));
  ops.push_back(OnnxOp("onnx.Reshape", "Gives elements another shape", {"data", "shape?"},
                       {{"allowzero", AttributeOf(0)}, {"shape", NoneAttribute()}}, ExpandReshape));
  ops.push_back(OnnxOp("onnx.Transpose", "Reorders dimensions", {"data"},
                       {{"perm", NoneAttribute()}}, ExpandTranspose));
  ops.push_back(
      OnnxOp("onnx.Concat", "Joins along an axis", {"inputs..."}, {{"axis"}}, ExpandConcat));
  ops.push_back(OnnxOp("onnx.Squeeze", "Drops dimensions of size 1", {"data", "axes?"},
                       {{"axes", NoneAttribute()}}, ExpandSqueeze));
  return ops;
}

}  // namespace signet
