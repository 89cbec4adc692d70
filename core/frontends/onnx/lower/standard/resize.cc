// Operators that resize and sample images.

#include "core/frontends/onnx/lower/build/images.h"
#include "core/frontends/onnx/lower/standard/standard_ops.h"
#include "core/ops/build/op_builder.h"

namespace signet {
namespace {

using Values = std::vector<GraphValue>;

// Returns input `i` if it is present and not known to be empty. Old versions write an empty tensor
// for a missing input.
GraphValue NonEmpty(std::span<const GraphValue> inputs, size_t i) {
  GraphValue value = InputOr(inputs, i);
  if (!value.spec || !value.spec.is(TypeKind::kTensor)) return value;
  const PartialShape& shape = *value.spec.shape();
  bool empty = shape.has_rank() && shape.rank() == 1 && shape.dim(0) == 0;
  return empty ? GraphValue{} : value;
}

StatusOr<Values> ExpandResize(OpBuilder& build, const OpCall& call,
                              std::span<const GraphValue> inputs) {
  bool is_old = OpsetOf(call) < 11;
  SIGNET_ASSIGN_OR_RETURN(std::string mode, LowerCased(call, "mode"));
  if (mode == "bilinear" || mode == "trilinear") mode = "linear";
  if (mode == "bicubic") mode = "cubic";
  NamedTypes entries = {{"mode", AttributeOf(std::string_view(mode))}};
  auto pass = [&](std::string_view name, std::string_view ours) {
    entries.push_back({std::string(ours), call.attributes.Lookup(name)});
  };
  auto pass_bool = [&](std::string_view name) -> Status {
    SIGNET_ASSIGN_OR_RETURN(int64_t value, call.attributes.Int(name));
    entries.push_back({std::string(name), AttributeOf(value != 0)});
    return absl::OkStatus();
  };
  if (is_old) {
    // Resize 10 has only scales, and no attribute except for the mode.
    entries.push_back({"coordinates", AttributeOf("asymmetric")});
    entries.push_back({"nearest", AttributeOf("simple")});
    return OneOutput(build.CallOne("resize", {inputs[0], InputOr(inputs, 1)}, Attributes(entries)));
  }
  pass("coordinate_transformation_mode", "coordinates");
  pass("nearest_mode", "nearest");
  pass("cubic_coeff_a", "cubic_coeff_a");
  pass("extrapolation_value", "extrapolation_value");
  pass("axes", "axes");
  pass("keep_aspect_ratio_policy", "keep_aspect_ratio_policy");
  SIGNET_RETURN_IF_ERROR(pass_bool("exclude_outside"));
  SIGNET_RETURN_IF_ERROR(pass_bool("antialias"));
  GraphValue roi = NonEmpty(inputs, 1);
  GraphValue scales = NonEmpty(inputs, 2);
  GraphValue sizes = NonEmpty(inputs, 3);
  return OneOutput(build.CallOne("resize", {inputs[0], scales, sizes, roi}, Attributes(entries)));
}

// Upsample 7 has the scales as an attribute, and version 9 as an input; the importer makes them an
// input.
StatusOr<Values> ExpandUpsample(OpBuilder& build, const OpCall& call,
                                std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(std::string mode, LowerCased(call, "mode"));
  if (mode == "bilinear" || mode == "trilinear") mode = "linear";
  return OneOutput(build.Resize(
      inputs[0], InputOr(inputs, 1), {}, {},
      {.mode = std::string_view(mode), .coordinates = "asymmetric", .nearest = "simple"}));
}

StatusOr<Values> ExpandGridSample(OpBuilder& build, const OpCall& call,
                                  std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(std::string mode, LowerCased(call, "mode"));
  if (mode == "bilinear" || mode == "trilinear") mode = "linear";
  if (mode == "bicubic") mode = "cubic";
  SIGNET_ASSIGN_OR_RETURN(int64_t align, call.attributes.Int("align_corners"));
  return CallInWideFloats(build, "grid_sample", inputs.first(2), 2,
                          Attributes({{"mode", AttributeOf(std::string_view(mode))},
                                      {"padding", call.attributes.Lookup("padding_mode")},
                                      {"align_corners", AttributeOf(align != 0)}}));
}

StatusOr<Values> ExpandAffineGrid(OpBuilder& build, const OpCall& call,
                                  std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(int64_t align, call.attributes.Int("align_corners"));
  return CallInWideFloats(build, "affine_grid", inputs.first(2), 1,
                          Attributes({{"align_corners", AttributeOf(align != 0)}}));
}

}  // namespace

std::vector<OpDef> OnnxResizeOps() {
  std::vector<OpDef> ops;
  ops.push_back(OnnxOp("onnx.Resize", "Makes an image of another size",
                       {"X", "roi?", "scales?", "sizes?"},
                       {{"mode", AttributeOf("nearest")},
                        {"coordinate_transformation_mode", AttributeOf("half_pixel")},
                        {"nearest_mode", AttributeOf("round_prefer_floor")},
                        {"cubic_coeff_a", AttributeOf(-0.75)},
                        {"exclude_outside", AttributeOf(0)},
                        {"extrapolation_value", AttributeOf(0.0)},
                        {"antialias", AttributeOf(0)},
                        {"axes", NoneAttribute()},
                        {"keep_aspect_ratio_policy", AttributeOf("stretch")},
                        OpsetAttribute()},
                       ExpandResize));
  ops.push_back(OnnxOp("onnx.Upsample", "Makes an image larger", {"X", "scales?"},
                       {{"mode", AttributeOf("nearest")}}, ExpandUpsample));
  ops.push_back(OnnxOp("onnx.GridSample", "Samples an image at points", {"X", "grid"},
                       {{"mode", AttributeOf("bilinear")},
                        {"padding_mode", AttributeOf("zeros")},
                        {"align_corners", AttributeOf(0)}},
                       ExpandGridSample));
  ops.push_back(OnnxOp("onnx.AffineGrid", "Makes the points of affine maps", {"theta", "size"},
                       {{"align_corners", AttributeOf(0)}}, ExpandAffineGrid));
  return ops;
}

}  // namespace signet
