// Operators on regions of images.

#include "core/frontends/onnx/lower/build/images.h"
#include "core/frontends/onnx/lower/standard/standard_ops.h"
#include "core/ops/build/op_builder.h"

namespace signet {
namespace {

using Values = std::vector<GraphValue>;

StatusOr<Values> ExpandMaxRoiPool(OpBuilder& build, const OpCall& call,
                                  std::span<const GraphValue> inputs) {
  return CallInWideFloats(build, "max_roi_pool", inputs.first(2), 2,
                          Attributes({{"size", call.attributes.Lookup("pooled_shape")},
                                      {"spatial_scale", call.attributes.Lookup("spatial_scale")}}));
}

StatusOr<Values> ExpandRoiAlign(OpBuilder& build, const OpCall& call,
                                std::span<const GraphValue> inputs) {
  // Version 10 has only the mode output_half_pixel; version 16 has an attribute for it.
  SIGNET_ASSIGN_OR_RETURN(std::string transformation,
                          LowerCased(call, "coordinate_transformation_mode"));
  if (transformation.empty()) {
    transformation = OpsetOf(call) < 16 ? "output_half_pixel" : "half_pixel";
  }
  SIGNET_ASSIGN_OR_RETURN(int64_t height, call.attributes.Int("output_height"));
  SIGNET_ASSIGN_OR_RETURN(int64_t width, call.attributes.Int("output_width"));
  int64_t size[] = {height, width};
  return CallInWideFloats(build, "roi_align", inputs.first(3), 2,
                          Attributes({{"size", AttributeOf(std::span<const int64_t>(size))},
                                      {"mode", call.attributes.Lookup("mode")},
                                      {"half_pixel", AttributeOf(transformation == "half_pixel")},
                                      {"sampling_ratio", call.attributes.Lookup("sampling_ratio")},
                                      {"spatial_scale", call.attributes.Lookup("spatial_scale")}}));
}

StatusOr<Values> ExpandNonMaxSuppression(OpBuilder& build, const OpCall& call,
                                         std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(int64_t center, call.attributes.Int("center_point_box"));
  Values operands = {inputs[0], inputs[1]};
  for (size_t i = 2; i < 5; ++i) operands.push_back(InputOr(inputs, i));
  return build.Call("non_max_suppression", operands,
                    Attributes({{"center_point", AttributeOf(center != 0)}}));
}

}  // namespace

std::vector<OpDef> OnnxDetectionOps() {
  std::vector<OpDef> ops;
  ops.push_back(OnnxOp("onnx.MaxRoiPool", "Takes the largest of cells of regions", {"X", "rois"},
                       {{"pooled_shape"}, {"spatial_scale", AttributeOf(1.0)}}, ExpandMaxRoiPool));
  ops.push_back(OnnxOp("onnx.RoiAlign", "Samples the cells of regions",
                       {"X", "rois", "batch_indices"},
                       {{"coordinate_transformation_mode", AttributeOf("")},
                        {"mode", AttributeOf("avg")},
                        {"output_height", AttributeOf(1)},
                        {"output_width", AttributeOf(1)},
                        {"sampling_ratio", AttributeOf(0)},
                        {"spatial_scale", AttributeOf(1.0)},
                        OpsetAttribute()},
                       ExpandRoiAlign));
  ops.push_back(OnnxOp(
      "onnx.NonMaxSuppression", "Picks boxes that do not overlap",
      {"boxes", "scores", "max_output_boxes_per_class?", "iou_threshold?", "score_threshold?"},
      {{"center_point_box", AttributeOf(0)}}, ExpandNonMaxSuppression));
  return ops;
}

}  // namespace signet
