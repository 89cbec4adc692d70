#include "core/frontends/onnx/lower/build/images.h"

#include <algorithm>

#include "core/frontends/onnx/lower/build/tensor_expressions.h"
#include "core/ops/build/op_builder.h"

namespace signet {

StatusOr<std::string> LowerCased(const OpCall& call, std::string_view attribute) {
  SIGNET_ASSIGN_OR_RETURN(std::string name, call.attributes.String(attribute));
  for (char& c : name) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return name;
}

StatusOr<std::vector<GraphValue>> CallInWideFloats(OpBuilder& build, std::string_view op,
                                                   std::span<const GraphValue> inputs,
                                                   size_t floats, const Attributes& attributes) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* first, TensorAt(inputs, 0));
  std::vector<Operand> operands(inputs.begin(), inputs.end());
  operands[0] = AsWideFloat(build, inputs[0]);
  DType dtype = TensorDType(operands[0]);
  for (size_t i = 1; i < floats && i < operands.size(); ++i) {
    if (!IsGiven(inputs, i)) {
      operands[i] = GraphValue{};
    } else {
      operands[i] = CastTo(build, inputs[i], dtype);
    }
  }
  SIGNET_ASSIGN_OR_RETURN(auto out, build.CallAll(op, operands, attributes));
  return CastTo(build, out[0], first->dtype());
}

std::vector<AttributeDef> OnnxWindowAttributes() {
  return {{"auto_pad", AttributeOf("NOTSET")},
          {"strides", NoneAttribute()},
          {"pads", NoneAttribute()},
          {"dilations", NoneAttribute()}};
}

StatusOr<Attributes> WindowAttributesOf(const OpCall& call) {
  SIGNET_ASSIGN_OR_RETURN(std::string auto_pad, LowerCased(call, "auto_pad"));
  if (auto_pad.empty()) auto_pad = "notset";
  NamedTypes entries = {{"auto_pad", AttributeOf(std::string_view(auto_pad))}};
  for (std::string_view name : {"strides", "pads", "dilations"}) {
    // An empty list means the same as a missing one.
    SIGNET_ASSIGN_OR_RETURN(auto list, OptionalInts(call.attributes, name));
    if (!list || list->empty()) continue;
    entries.push_back({std::string(name), AttributeOf(std::span<const int64_t>(*list))});
  }
  return Attributes(std::move(entries));
}

}  // namespace signet
