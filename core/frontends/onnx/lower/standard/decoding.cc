// Operators that decode files.

#include "core/frontends/onnx/lower/build/images.h"
#include "core/frontends/onnx/lower/standard/standard_ops.h"
#include "core/ops/build/op_builder.h"

namespace signet {
namespace {

StatusOr<std::vector<GraphValue>> ExpandImageDecoder(OpBuilder& build, const OpCall& call,
                                                     std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(std::string format, LowerCased(call, "pixel_format"));
  return build.Call("decode_image", inputs,
                    Attributes({{"pixel_format", AttributeOf(std::string_view(format))}}));
}

}  // namespace

std::vector<OpDef> OnnxDecodingOps() {
  std::vector<OpDef> ops;
  ops.push_back(OnnxOp("onnx.ImageDecoder", "Decodes an image", {"encoded_stream"},
                       {{"pixel_format", AttributeOf("RGB")}}, ExpandImageDecoder));
  return ops;
}

}  // namespace signet
