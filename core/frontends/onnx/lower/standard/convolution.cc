// Convolutions.

#include "core/frontends/onnx/lower/build/images.h"
#include "core/frontends/onnx/lower/standard/standard_ops.h"
#include "core/ops/build/op_builder.h"

namespace signet {
namespace {

using Values = std::vector<GraphValue>;

StatusOr<Values> ExpandConv(OpBuilder& build, const OpCall& call,
                            std::span<const GraphValue> inputs) {
  bool transposed = call.op.name == "onnx.ConvTranspose";
  SIGNET_ASSIGN_OR_RETURN(Attributes attributes, WindowAttributesOf(call));
  attributes = attributes.With("groups", call.attributes.Lookup("group"));
  if (transposed) {
    SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(inputs, 0));
    for (std::string_view name : {"output_padding", "output_shape"}) {
      SIGNET_ASSIGN_OR_RETURN(auto list, OptionalInts(call.attributes, name));
      if (!list) continue;
      // Some exporters write the whole shape.
      auto spatial = static_cast<size_t>(std::max(rank - 2, 0));
      if (name == "output_shape" && list->size() == spatial + 2)
        list->erase(list->begin(), list->begin() + 2);
      attributes = attributes.With(name, AttributeOf(std::span<const int64_t>(*list)));
    }
  }
  std::vector<GraphValue> operands = {inputs[0], InputOr(inputs, 1), InputOr(inputs, 2)};
  return build.Call(transposed ? OpName("conv_transpose") : "conv", operands, attributes);
}

StatusOr<Values> ExpandDeformConv(OpBuilder& build, const OpCall& call,
                                  std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(Attributes attributes, WindowAttributesOf(call));
  attributes = attributes.With("groups", call.attributes.Lookup("group"))
                   .With("offset_groups", call.attributes.Lookup("offset_group"));
  std::vector<GraphValue> operands;
  for (size_t i = 0; i < 5; ++i) operands.push_back(InputOr(inputs, i));
  return CallInWideFloats(build, "deform_conv", operands, operands.size(), attributes);
}

}  // namespace

std::vector<OpDef> OnnxConvolutionOps() {
  std::vector<OpDef> ops;
  auto add = [&](std::string name, std::string summary, std::vector<std::string> inputs,
                 std::vector<AttributeDef> more, ExpandFn expand) {
    std::vector<AttributeDef> attributes = OnnxWindowAttributes();
    attributes.push_back({"kernel_shape", NoneAttribute()});
    attributes.push_back({"group", AttributeOf(1)});
    attributes.insert(attributes.end(), more.begin(), more.end());
    ops.push_back(OnnxOp(std::move(name), std::move(summary), std::move(inputs),
                         std::move(attributes), expand));
  };
  add("onnx.Conv", "Convolves", {"X", "W", "B?"}, {}, ExpandConv);
  add("onnx.ConvTranspose", "Convolves, transposed", {"X", "W", "B?"},
      {{"output_padding", NoneAttribute()}, {"output_shape", NoneAttribute()}}, ExpandConv);
  add("onnx.DeformConv", "Convolves with displaced windows", {"X", "W", "offset", "B?", "mask?"},
      {{"offset_group", AttributeOf(1)}}, ExpandDeformConv);
  return ops;
}

}  // namespace signet
