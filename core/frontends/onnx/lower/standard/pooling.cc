// Pooling operators.

#include <numeric>

#include "core/frontends/onnx/lower/build/images.h"
#include "core/frontends/onnx/lower/standard/standard_ops.h"
#include "core/ops/build/op_builder.h"
#include "core/ops/build/parts.h"

namespace signet {
namespace {

using Values = std::vector<GraphValue>;

StatusOr<Attributes> PoolAttributes(const OpCall& call) {
  SIGNET_ASSIGN_OR_RETURN(Attributes attributes, WindowAttributesOf(call));
  SIGNET_ASSIGN_OR_RETURN(int64_t ceil_mode, call.attributes.Int("ceil_mode"));
  return attributes.With("kernel", call.attributes.Lookup("kernel_shape"))
      .With("ceil_mode", AttributeOf(ceil_mode != 0));
}

StatusOr<Values> ExpandMaxPool(OpBuilder& build, const OpCall& call,
                               std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(Attributes attributes, PoolAttributes(call));
  SIGNET_ASSIGN_OR_RETURN(int64_t column_major, call.attributes.Int("storage_order"));
  SIGNET_ASSIGN_OR_RETURN(int64_t outputs, call.attributes.Int("outputs"));
  attributes = attributes.With("indices", AttributeOf(outputs > 1))
                   .With("column_major", AttributeOf(column_major != 0));
  return build.CallAll("max_pool", {inputs[0]}, attributes);
}

StatusOr<Values> ExpandAveragePool(OpBuilder& build, const OpCall& call,
                                   std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(Attributes attributes, PoolAttributes(call));
  SIGNET_ASSIGN_OR_RETURN(int64_t include, call.attributes.Int("count_include_pad"));
  attributes = attributes.With("count_include_pad", AttributeOf(include != 0));
  return build.CallAll("average_pool", {inputs[0]}, attributes);
}

StatusOr<Values> ExpandLpPool(OpBuilder& build, const OpCall& call,
                              std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(Attributes attributes, PoolAttributes(call));
  attributes = attributes.With("p", call.attributes.Lookup("p"));
  return build.CallAll("lp_pool", {inputs[0]}, attributes);
}

// Reduces all spatial dimensions.
StatusOr<GraphValue> ReduceSpatial(OpBuilder& build, const GraphValue& x, std::string_view op) {
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt({&x, 1}, 0));
  if (rank < 2)
    return InvalidArgument("input 0: expected a rank of at least 2, found `", x.spec, "`");
  std::vector<int64_t> axes(static_cast<size_t>(rank - 2));
  std::iota(axes.begin(), axes.end(), 2);
  if (axes.empty()) return x;
  return build.CallOne(op, {x},
                       Attributes({{"axes", AttributeOf(std::span<const int64_t>(axes))},
                                   {"keepdims", AttributeOf(true)}}));
}

StatusOr<Values> ExpandGlobalAverage(OpBuilder& build, const OpCall&,
                                     std::span<const GraphValue> inputs) {
  return OneOutput(ReduceSpatial(build, inputs[0], "reduce_mean"));
}

StatusOr<Values> ExpandGlobalMax(OpBuilder& build, const OpCall&,
                                 std::span<const GraphValue> inputs) {
  return OneOutput(ReduceSpatial(build, inputs[0], "reduce_max"));
}

StatusOr<Values> ExpandGlobalLp(OpBuilder& build, const OpCall& call,
                                std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(int64_t p, call.attributes.Int("p"));
  if (p < 1) return InvalidArgument("attribute `p`: expected at least 1, found ", p);
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorAt(inputs, 0));
  SIGNET_ASSIGN_OR_RETURN(GraphValue size, build.Abs(inputs[0]));
  auto power = [&](const GraphValue& value, double exponent) -> StatusOr<GraphValue> {
    SIGNET_ASSIGN_OR_RETURN(
        GraphValue constant,
        build.Cast(build.Constant(Tensor::Scalar(exponent)), {.dtype = x->dtype()}));
    return build.Pow(value, constant);
  };
  if (p > 1) {
    SIGNET_ASSIGN_OR_RETURN(size, power(size, static_cast<double>(p)));
  }
  SIGNET_ASSIGN_OR_RETURN(size, ReduceSpatial(build, size, "reduce_sum"));
  if (p == 1) return Values{size};
  return OneOutput(power(size, 1 / static_cast<double>(p)));
}

// The output has the sizes of the input of max_pool: `output_shape`, or the sizes that the windows
// cover.
StatusOr<Values> ExpandMaxUnpool(OpBuilder& build, const OpCall& call,
                                 std::span<const GraphValue> inputs) {
  if (IsGiven(inputs, 2)) return build.Call("max_unpool", inputs.first(3), {});
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(inputs, 0));
  SIGNET_ASSIGN_OR_RETURN(auto kernel, call.attributes.Ints("kernel_shape"));
  SIGNET_ASSIGN_OR_RETURN(auto strides, OptionalInts(call.attributes, "strides"));
  SIGNET_ASSIGN_OR_RETURN(auto pads, OptionalInts(call.attributes, "pads"));
  size_t spatial = kernel.size();
  if (!strides) strides.emplace(spatial, 1);
  if (!pads) pads.emplace(2 * spatial, 0);
  if (static_cast<int>(spatial) + 2 != rank || strides->size() != spatial ||
      pads->size() != 2 * spatial) {
    return InvalidArgument("expected kernel_shape, strides, and pads that fit `", inputs[0].spec,
                           "`, found ", spatial, ", ", strides->size(), ", and ", pads->size(),
                           " integers");
  }
  Values sizes;
  for (int axis = 0; axis < rank; ++axis) {
    SIGNET_ASSIGN_OR_RETURN(GraphValue size, DimSize(build, inputs[0], axis));
    if (axis >= 2) {
      auto i = static_cast<size_t>(axis - 2);
      // (size - 1) * stride + kernel - pads
      SIGNET_ASSIGN_OR_RETURN(size, build.Mul(size, Int64Constant(build, (*strides)[i])));
      int64_t more = kernel[i] - (*strides)[i] - (*pads)[i] - (*pads)[i + spatial];
      SIGNET_ASSIGN_OR_RETURN(size, build.Add(size, Int64Constant(build, more)));
    }
    sizes.push_back(std::move(size));
  }
  return OneOutput(build.MaxUnpool(inputs[0], inputs[1], build.Stack(sizes)));
}

}  // namespace

std::vector<OpDef> OnnxPoolingOps() {
  std::vector<OpDef> ops;
  auto add = [&](std::string name, std::string summary, std::vector<AttributeDef> more,
                 ExpandFn expand) {
    std::vector<AttributeDef> attributes = OnnxWindowAttributes();
    attributes.push_back({"kernel_shape"});
    attributes.push_back({"ceil_mode", AttributeOf(0)});
    attributes.insert(attributes.end(), more.begin(), more.end());
    ops.push_back(
        OnnxOp(std::move(name), std::move(summary), {"X"}, std::move(attributes), expand));
  };
  add("onnx.MaxPool", "Takes the largest of each window",
      {{"storage_order", AttributeOf(0)}, {"outputs", AttributeOf(1)}}, ExpandMaxPool);
  add("onnx.AveragePool", "Takes the mean of each window", {{"count_include_pad", AttributeOf(0)}},
      ExpandAveragePool);
  add("onnx.LpPool", "Takes the norm of each window", {{"p", AttributeOf(2)}}, ExpandLpPool);
  ops.push_back(OnnxOp("onnx.GlobalAveragePool", "Takes the mean of each channel", {"X"}, {},
                       ExpandGlobalAverage));
  ops.push_back(OnnxOp("onnx.GlobalMaxPool", "Takes the largest of each channel", {"X"}, {},
                       ExpandGlobalMax));
  ops.push_back(OnnxOp("onnx.GlobalLpPool", "Takes the norm of each channel", {"X"},
                       {{"p", AttributeOf(2)}}, ExpandGlobalLp));
  ops.push_back(OnnxOp("onnx.MaxUnpool", "Puts elements where MaxPool found them",
                       {"X", "I", "output_shape?"},
                       {{"kernel_shape"}, {"strides", NoneAttribute()}, {"pads", NoneAttribute()}},
                       ExpandMaxUnpool));
  return ops;
}

}  // namespace signet
