// Convolutions of integers.

#include "core/frontends/onnx/lower/build/images.h"
#include "core/frontends/onnx/lower/build/quantized.h"
#include "core/frontends/onnx/lower/standard/standard_ops.h"
#include "core/ops/build/op_builder.h"

namespace signet {
namespace {

using Values = std::vector<GraphValue>;

StatusOr<Attributes> AttributesOfConv(const OpCall& call) {
  SIGNET_ASSIGN_OR_RETURN(Attributes attributes, WindowAttributesOf(call));
  return attributes.With("groups", call.attributes.Lookup("group"));
}

StatusOr<Values> ExpandConvInteger(OpBuilder& build, const OpCall& call,
                                   std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(Attributes attributes, AttributesOfConv(call));
  return build.CallOne("conv_integer",
                       {inputs[0], inputs[1], InputOr(inputs, 2), InputOr(inputs, 3)}, attributes);
}

StatusOr<Values> ExpandQLinearConv(OpBuilder& build, const OpCall& call,
                                   std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(inputs, 0));
  SIGNET_ASSIGN_OR_RETURN(Attributes attributes, AttributesOfConv(call));
  bool channels_last = call.attributes.Lookup("channels_last") == AttributeOf(1);
  SIGNET_ASSIGN_OR_RETURN(QuantizedValue x, QuantizedAt(build, inputs, 0));
  SIGNET_ASSIGN_OR_RETURN(QuantizedValue w, QuantizedAt(build, inputs, 3));
  SIGNET_ASSIGN_OR_RETURN(QuantizedValue y, QuantizedAt(build, inputs, 5));  // y has no integers
  if (channels_last) {
    SIGNET_ASSIGN_OR_RETURN(x.x, MoveChannels(build, x.x, rank, true));
  }
  Expr sums =
      build.CallOne("conv_integer", {x.x, w.x, x.zero, w.zero, InputOr(inputs, 8)}, attributes);
  Operand out = Rescaled(build, sums, x.scale, w.scale, y.scale, y.zero, 1);
  return channels_last ? OneOutput(MoveChannels(build, out, rank, false)) : AllOf({out});
}

}  // namespace

std::vector<OpDef> OnnxQuantizedConvOps() {
  std::vector<AttributeDef> attributes = OnnxWindowAttributes();
  attributes.push_back({"kernel_shape", NoneAttribute()});
  attributes.push_back({"group", AttributeOf(1)});
  std::vector<AttributeDef> contrib = attributes;
  contrib.push_back({"channels_last", AttributeOf(0)});
  const std::vector<std::string> inputs = {"x",       "x_scale",      "x_zero_point",
                                           "w",       "w_scale",      "w_zero_point",
                                           "y_scale", "y_zero_point", "B?"};
  return {
      OnnxOp("onnx.ConvInteger", "Convolves 8-bit integers",
             {"x", "w", "x_zero_point?", "w_zero_point?"}, attributes, ExpandConvInteger),
      OnnxOp("onnx.QLinearConv", "Convolves integers with scales", inputs, attributes,
             ExpandQLinearConv),
      OnnxOp("onnx.com.microsoft.QLinearConv", "Convolves integers with scales", inputs,
             std::move(contrib), ExpandQLinearConv),
  };
}

}  // namespace signet
