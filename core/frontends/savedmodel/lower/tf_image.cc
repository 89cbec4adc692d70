// Operators on the colors and windows of images, projections, and decoders of images.

#include "core/frontends/savedmodel/lower/tf_op.h"
#include "core/frontends/savedmodel/lower/tf_window.h"
#include "core/ops/def/attribute_list.h"

namespace signet {
namespace {

// --- colors -------------------------------------------------------------------------------------

struct ColorParts {
  Expr a;
  Expr b;
  Expr c;
};

ColorParts ColorsOf(OpBuilder& build, const Operand& x) {
  auto part = [&](int64_t i) { return build.Gather(x, Int64Constant(build, i), {.axis = -1}); };
  return {part(0), part(1), part(2)};
}

Expr JoinColors(OpBuilder& build, const ColorParts& parts) {
  return build.Stack({parts.a, parts.b, parts.c}, {.axis = -1});
}

// Hue, saturation, and value, each from 0 to 1.
ColorParts HsvOf(OpBuilder& build, const ColorParts& rgb) {
  Expr value = build.Maximum(build.Maximum(rgb.a, rgb.b), rgb.c);
  Expr range = build.Sub(value, build.Minimum(build.Minimum(rgb.a, rgb.b), rgb.c));
  Expr saturation = build.Select(build.Greater(value, 0.0), build.Div(range, value), 0.0);
  Expr sixth = build.Reciprocal(build.Mul(range, 6.0));
  Expr of_red = build.Mul(sixth, build.Sub(rgb.b, rgb.c));
  Expr of_green = build.Add(build.Mul(sixth, build.Sub(rgb.c, rgb.a)), 2.0 / 6);
  Expr of_blue = build.Add(build.Mul(sixth, build.Sub(rgb.a, rgb.b)), 4.0 / 6);
  Expr hue = build.Select(build.Equal(rgb.a, value), of_red,
                          build.Select(build.Equal(rgb.b, value), of_green, of_blue));
  hue = build.Select(build.Greater(range, 0.0), hue, 0.0);
  return {build.Select(build.Less(hue, 0.0), build.Add(hue, 1.0), hue), saturation, value};
}

ColorParts RgbOf(OpBuilder& build, const ColorParts& hsv) {
  Expr six = build.Mul(hsv.a, 6.0);
  auto limited = [&](const Expr& x) { return build.Maximum(build.Minimum(x, 1.0), 0.0); };
  auto distance = [&](double from) { return build.Abs(build.Sub(six, from)); };
  Expr red = limited(build.Sub(distance(3), 1.0));
  Expr green = limited(build.Sub(build.Mul(distance(2), -1.0), -2.0));
  Expr blue = limited(build.Sub(build.Mul(distance(4), -1.0), -2.0));
  auto color = [&](const Expr& part) {
    Expr pale = build.Sub(build.Mul(hsv.b, -1.0), -1.0);
    return build.Mul(build.Add(pale, build.Mul(hsv.b, part)), hsv.c);
  };
  return {color(red), color(green), color(blue)};
}

TfOutputs ExpandColors(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(in, 0));
  const int64_t channels = rank == 0 ? 0 : KnownSize(in[0], rank - 1);
  if (channels != 3 && channels != kUnknownDim) {
    return InvalidArgument("expected 3 colors in the last dimension, found `", in[0].spec, "`");
  }
  const std::string_view name = std::string_view(call.op.name).substr(3);
  const ColorParts own = ColorsOf(build, in[0]);
  if (name == "HSVToRGB") return JoinColors(build, RgbOf(build, own));
  ColorParts hsv = HsvOf(build, own);
  if (name == "RGBToHSV") return JoinColors(build, hsv);
  Expr amount = CastTo(build, AsScalar(build, in[1]), DTypeAt(in, 0));
  if (name == "AdjustSaturation") {
    hsv.b = build.Maximum(build.Minimum(build.Mul(hsv.b, amount), 1.0), 0.0);
  } else {
    Expr moved = build.Add(hsv.a, amount);
    hsv.a = build.Sub(moved, build.Floor(moved));
  }
  return JoinColors(build, RgbOf(build, hsv));
}

TfOutputs ExpandContrast(OpBuilder& build, const OpCall&, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(in, 0));
  if (rank < 3) return InvalidArgument("expected rank 3 or more, found `", in[0].spec, "`");
  Expr mean = build.ReduceMean(in[0], {.axes = {rank - 3, rank - 2}, .keepdims = true});
  Expr factor = CastTo(build, AsScalar(build, in[1]), DTypeAt(in, 0));
  return build.Add(build.Mul(build.Sub(in[0], mean), factor), mean);
}

// --- windows ------------------------------------------------------------------------------------

// The windows of images [batch, spatial dimensions.., channels] without their reduction.
struct Windows {
  std::vector<int64_t> size;  // one number per spatial dimension
  std::vector<int64_t> strides;
  std::vector<int64_t> rates;
  bool is_same = false;
};

StatusOr<Windows> WindowsOf(const OpCall& call, const std::vector<int64_t>& size) {
  Windows out;
  out.size = size;
  out.rates.assign(size.size(), 1);
  SIGNET_ASSIGN_OR_RETURN(std::string padding, call.attributes.String("padding"));
  if (padding != "SAME" && padding != "VALID") {
    return InvalidArgument("`padding`: expected SAME or VALID, found `", Printable(padding), "`");
  }
  out.is_same = padding == "SAME";
  for (const char* name : {"strides", "rates"}) {
    if (!call.attributes.Has(name)) continue;
    SIGNET_ASSIGN_OR_RETURN(auto all, call.attributes.Ints(name));
    SIGNET_ASSIGN_OR_RETURN(
        auto own, SpatialEntries(all, name, /*channels_last=*/true, static_cast<int>(size.size())));
    for (int64_t step : own) {
      if (step < 1) return InvalidArgument("`", name, "`: expected at least 1, found ", step);
    }
    (std::string_view(name) == "strides" ? out.strides : out.rates) = own;
  }
  for (int64_t extent : size) {
    if (extent < 1) return InvalidArgument("expected windows with elements");
  }
  return out;
}

// Returns [batch, rows, height of a window, columns, width of a window, channels], or the same of
// other numbers of spatial dimensions. Padding has the value `outside`.
Expr CutWindows(OpBuilder& build, const Operand& x, const Windows& windows,
                const Operand& outside) {
  Expr out = build.AsExpr(x);
  for (size_t axis = 0; axis < windows.size.size(); ++axis) {
    const int at = 1 + 2 * static_cast<int>(axis);  // the dimension of the image in `out`
    const int64_t stride = windows.strides[axis];
    const int64_t rate = windows.rates[axis];
    const int64_t reach = (windows.size[axis] - 1) * rate + 1;
    Expr size = DimSize(build, out, at);
    Expr count = build.Maximum(
        build.Floordiv(build.Add(build.Sub(size, windows.is_same ? 1 : reach), stride), stride), 0);
    if (windows.is_same) {
      Expr all = build.Maximum(
          build.Sub(build.Add(build.Mul(build.Sub(count, 1), stride), reach), size), 0);
      std::vector<Operand> before(windows.size.size() + 2 + axis, Operand(Int64Constant(build, 0)));
      std::vector<Operand> after = before;
      Expr first = build.Floordiv(all, 2);
      before[static_cast<size_t>(at)] = first;
      after[static_cast<size_t>(at)] = build.Sub(all, first);
      out = build.Pad(out, outside, StackScalars(build, before), StackScalars(build, after));
    }
    Expr starts = build.ExpandDims(build.Mul(build.Range({count}), stride), {.axis = 1});
    Expr steps = build.Mul(build.Range({Int64Constant(build, windows.size[axis])}), rate);
    out = build.Gather(out, build.Add(starts, steps), {.axis = at});
  }
  return out;
}

TfOutputs ExpandPatches(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(in, 0));
  const int count = call.op.name == "tf.ExtractVolumePatches" ? 3 : 2;  // spatial dimensions
  if (rank != count + 2) {
    return InvalidArgument("expected rank ", count + 2, ", found `", in[0].spec, "`");
  }
  SIGNET_ASSIGN_OR_RETURN(auto all, call.attributes.Ints("ksizes"));
  SIGNET_ASSIGN_OR_RETURN(auto own, SpatialEntries(all, "ksizes", /*channels_last=*/true, count));
  SIGNET_ASSIGN_OR_RETURN(Windows windows, WindowsOf(call, own));
  Expr cut = CutWindows(build, in[0], windows, Zero(build, DTypeAt(in, 0)));
  // The positions of the windows, and then the elements of each window.
  std::vector<int64_t> perm = {0};
  for (int64_t i = 0; i < count; ++i) perm.push_back(1 + 2 * i);
  for (int64_t i = 0; i < count; ++i) perm.push_back(2 + 2 * i);
  perm.push_back(1 + 2 * count);
  Expr moved = build.Transpose(cut, {.perm = perm});
  return build.Flatten(moved, {.first = 1 + count, .last = 1 + 2 * count});
}

TfOutputs ExpandDilation(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(in, 0));
  if (rank != 4) return InvalidArgument("expected rank 4, found `", in[0].spec, "`");
  const int64_t height = KnownSize(in[1], 0);
  const int64_t width = KnownSize(in[1], 1);
  if (height < 0 || width < 0) return Unimplemented("expected a filter of known shape");
  SIGNET_ASSIGN_OR_RETURN(Windows windows, WindowsOf(call, {height, width}));
  SIGNET_ASSIGN_OR_RETURN(GraphValue lowest, ExtremeNumber(build, DTypeAt(in, 0), true));
  Expr cut = CutWindows(build, in[0], windows, lowest);
  Expr filter = build.ExpandDims(in[1], {.axis = 1});
  // Padding does not count, even after the filter is added.
  Expr sum = build.Select(build.Equal(cut, lowest), lowest, build.Add(cut, filter));
  return build.ReduceMax(sum, {.axes = {2, 4}});
}

// --- codecs -------------------------------------------------------------------------------------

TfOutputs ExpandDecode(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(int64_t channels, call.attributes.Int("channels"));
  if (channels != 0 && channels != 1 && channels != 3) {
    return Unimplemented("unsupported `channels` ", channels, "; supported: 0, 1, 3");
  }
  DType dtype = DType::kUInt8;
  if (call.attributes.Has("dtype")) {
    SIGNET_ASSIGN_OR_RETURN(dtype, TfDType(call, "dtype"));
  }
  if (call.attributes.Has("ratio")) {
    SIGNET_ASSIGN_OR_RETURN(int64_t ratio, call.attributes.Int("ratio"));
    if (ratio != 1) return Unimplemented("unsupported `ratio` ", ratio, "; supported: 1");
  }
  Expr pixels = build.DecodeImage(AsScalar(build, in[0]),
                                  {.pixel_format = channels == 1 ? "grayscale" : "rgb"});
  if (call.op.name == "tf.DecodeAndCropJpeg") {
    Expr window = AsInt64(build, in[1]);  // top, left, height, width
    Expr start = build.Slice(window, {.starts = {0}, .limits = {2}, .axes = {0}});
    Expr size = build.Slice(window, {.starts = {2}, .limits = {4}, .axes = {0}});
    pixels =
        build.Slice(pixels, start, build.Add(start, size), Ints(build, std::vector<int64_t>{0, 1}));
  }
  if (dtype == DType::kUInt8) return pixels;
  if (dtype == DType::kFloat32) {
    return build.Mul(CastTo(build, pixels, dtype), static_cast<double>(1.0F / 255.0F));
  }
  return Unimplemented("unsupported dtype `", NameOf(dtype),
                       "` of images; supported: float32, uint8");
}

// --- projections ---------------------------------------------------------------------------------

Expr Float(OpBuilder& build, const Operand& x) { return CastTo(build, x, DType::kFloat32); }

// Element `i` of input 2, the size of the result.
StatusOr<GraphValue> OutputSize(OpBuilder& build, TfInputs in, int i) {
  Expr size = build.Gather(AsInt64(build, in[2]), Int64Constant(build, i), {.axis = 0});
  const Status error = InvalidArgument("`output_shape`: expected two sizes of at least 1");
  if (auto known = KnownInts(build, in, 2)) {
    if (known->size() != 2 || (*known)[static_cast<size_t>(i)] < 1) return error;
    return Int64Constant(build, (*known)[static_cast<size_t>(i)]);
  }
  SIGNET_RETURN_IF_ERROR(CheckCondition(build, build.GreaterEqual(size, 1), error));
  return size;
}

// Moves coordinates into an image of `size` pixels as the fill mode says.
StatusOr<GraphValue> MappedInside(OpBuilder& build, const std::string& mode, const Expr& at,
                                  const Expr& size) {
  Expr n = Float(build, size);
  Expr last = build.Sub(n, 1.0);
  Expr zero = Number(build, 0, DType::kFloat32);
  auto limited = [&](const Expr& x) { return build.Minimum(build.Maximum(x, zero), last); };
  // Whole numbers of periods from 0 to a coordinate.
  auto periods = [&](const Expr& x, const Expr& period) {
    return build.Floor(build.Div(x, period));
  };
  if (mode == "CONSTANT") return at;
  if (mode == "NEAREST") return limited(at);
  Expr minus = build.Neg(at);
  Operand below;
  Operand above;
  if (mode == "REFLECT") {
    // The pixels abcd become dcba|abcd|dcba.
    Expr period = build.Mul(n, 2.0);
    Expr low = build.Add(at, build.Mul(period, periods(minus, period)));
    below = build.Select(build.Less(low, build.Neg(n)), build.Add(low, period),
                         build.Sub(build.Neg(low), 1.0));
    Expr high = build.Sub(at, build.Mul(period, periods(at, period)));
    above =
        build.Select(build.GreaterEqual(high, n), build.Sub(build.Sub(period, high), 1.0), high);
  } else if (mode == "WRAP") {
    // The pixels abcd become abcd|abcd|abcd. A period ends at the last pixel.
    below = build.Add(at, build.Mul(n, build.Add(periods(minus, last), 1.0)));
    above = build.Sub(at, build.Mul(n, periods(at, last)));
  } else {
    return InvalidArgument("`fill_mode`: expected CONSTANT, REFLECT, WRAP, or NEAREST, found `",
                           Printable(mode), "`");
  }
  Expr mapped =
      build.Select(build.Less(at, zero), below, build.Select(build.Greater(at, last), above, at));
  return limited(build.Select(build.Less(n, 2.0), zero, mapped));
}

// The coordinates in the images of all pixels of the result, [transforms, rows, columns].
struct Coordinates {
  Expr y;
  Expr x;
  Expr is_finite;  // False where the projection has no image
};
Coordinates ProjectedCoordinates(OpBuilder& build, const Operand& transforms, const Expr& rows,
                                 const Expr& columns) {
  Expr y = build.ExpandDims(Float(build, build.Range({rows})), {.axis = 1});
  Expr x = Float(build, build.Range({columns}));
  auto factor = [&](int64_t i) {
    Expr column = build.Gather(transforms, Ints(build, std::vector<int64_t>{i}), {.axis = 1});
    return build.ExpandDims(column, {.axis = 2});
  };
  auto linear = [&](int64_t i) {
    return build.Add(build.Mul(factor(i), x), build.Mul(factor(i + 1), y));
  };
  Expr projection = build.Add(linear(6), 1.0);
  return {build.Div(build.Add(linear(3), factor(5)), projection),
          build.Div(build.Add(linear(0), factor(2)), projection), build.NotEqual(projection, 0.0)};
}

TfOutputs ExpandProjectiveTransform(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(std::string interpolation, call.attributes.String("interpolation"));
  SIGNET_ASSIGN_OR_RETURN(std::string mode, call.attributes.String("fill_mode"));
  const PartialShape images_shape = PartialShape::OfRank(4);
  const PartialShape transforms_shape{kUnknownDim, 8};
  if (!in[0].spec.shape()->IsCompatibleWith(images_shape) ||
      !in[1].spec.shape()->IsCompatibleWith(transforms_shape)) {
    return InvalidArgument("expected images of rank 4 and 8 numbers per transform, found `",
                           in[0].spec, "` and `", in[1].spec, "`");
  }
  SIGNET_RETURN_IF_ERROR(RankAt(in, 0).status());
  SIGNET_RETURN_IF_ERROR(RankAt(in, 1).status());
  const DType dtype = DTypeAt(in, 0);
  if (!IsFloat(dtype) && !IsInteger(dtype)) {
    return InvalidArgument("expected images of numbers, found `", in[0].spec, "`");
  }
  Expr num_images = DimSize(build, in[0], 0);
  Expr num_transforms = DimSize(build, in[1], 0);
  SIGNET_RETURN_IF_ERROR(CheckCondition(
      build,
      build.LogicalOr(build.Equal(num_transforms, 1), build.Equal(num_transforms, num_images)),
      InvalidArgument("`transforms`: expected one row, or one per image")));
  SIGNET_ASSIGN_OR_RETURN(GraphValue rows, OutputSize(build, in, 0));
  SIGNET_ASSIGN_OR_RETURN(GraphValue columns, OutputSize(build, in, 1));
  const Coordinates at =
      ProjectedCoordinates(build, Float(build, in[1]), build.AsExpr(rows), build.AsExpr(columns));
  Expr height = DimSize(build, in[0], 1);
  Expr width = DimSize(build, in[0], 2);
  SIGNET_ASSIGN_OR_RETURN(GraphValue y, MappedInside(build, mode, at.y, height));
  SIGNET_ASSIGN_OR_RETURN(GraphValue x, MappedInside(build, mode, at.x, width));

  Operand fill = Number(build, 0, DType::kFloat32);
  if (in.size() > 3) fill = AsScalar(build, Float(build, in[3]));
  const DType wide = dtype == DType::kFloat64 ? DType::kFloat64 : DType::kFloat32;
  const bool is_nearest = interpolation == "NEAREST";
  if (!is_nearest && interpolation != "BILINEAR") {
    return InvalidArgument("`interpolation`: expected NEAREST or BILINEAR, found `",
                           Printable(interpolation), "`");
  }
  const DType own = is_nearest ? dtype : wide;  // the dtype of the calculation
  Expr outside = CastTo(build, fill, own);
  Expr pixels = CastTo(build, build.Flatten(in[0], {.first = 0, .last = 2}), own);
  Expr image = build.Reshape(build.Range({num_images}), {.shape = {-1, 1, 1}});
  auto is_within = [&](const Expr& place, const Expr& size) {
    return build.LogicalAnd(build.GreaterEqual(place, 0.0), build.Less(place, Float(build, size)));
  };
  auto index_of = [&](const Expr& place, const Expr& size) {
    return build.Maximum(build.Minimum(AsInt64(build, place), build.Sub(size, 1)), 0);
  };
  // The pixels at whole coordinates, or the fill value outside of the image.
  auto pixel = [&](const Expr& row, const Expr& column) {
    Expr line = build.Add(build.Mul(image, height), index_of(row, height));
    Expr found = build.Gather(pixels, build.Add(build.Mul(line, width), index_of(column, width)),
                              {.axis = 0});
    Expr inside = build.LogicalAnd(is_within(row, height), is_within(column, width));
    return build.Select(build.ExpandDims(inside, {.axis = -1}), found, outside);
  };
  Operand out;
  if (is_nearest) {
    out =
        pixel(RoundAwayFromZero(build, build.AsExpr(y)), RoundAwayFromZero(build, build.AsExpr(x)));
  } else {
    Expr top = build.Floor(y);
    Expr left = build.Floor(x);
    Expr bottom = build.Add(top, 1.0);
    Expr right = build.Add(left, 1.0);
    auto weight = [&](const Operand& from, const Operand& to) {
      return build.ExpandDims(CastTo(build, build.Sub(to, from), wide), {.axis = -1});
    };
    auto between = [&](const Expr& low, const Expr& low_weight, const Expr& high,
                       const Expr& high_weight) {
      return build.Add(build.Mul(low_weight, low), build.Mul(high_weight, high));
    };
    Expr to_left = weight(left, x);
    Expr to_right = weight(x, right);
    Expr upper = between(pixel(top, left), to_right, pixel(top, right), to_left);
    Expr lower = between(pixel(bottom, left), to_right, pixel(bottom, right), to_left);
    out = between(upper, weight(y, bottom), lower, weight(top, y));
  }
  Expr shown = build.Select(build.ExpandDims(at.is_finite, {.axis = -1}), out, outside);
  return CastTo(build, shown, dtype);
}

}  // namespace

std::vector<OpDef> TfImageOps() {
  std::vector<OpDef> ops;
  auto add = [&](const char* name, const char* summary, std::vector<std::string> inputs,
                 std::vector<AttributeDef> attributes, ExpandFn expand) {
    ops.push_back(TfOp(name, summary, std::move(inputs), std::move(attributes), expand));
  };
  add("RGBToHSV", "Converts colors to hue, saturation, and value", {"images"}, {}, ExpandColors);
  add("HSVToRGB", "Converts hue, saturation, and value to colors", {"images"}, {}, ExpandColors);
  add("AdjustSaturation", "Multiplies the saturation of colors", {"images", "scale"}, {},
      ExpandColors);
  add("AdjustHue", "Changes the hue of colors", {"images", "delta"}, {}, ExpandColors);
  add("AdjustContrastv2", "Moves pixels away from their mean", {"images", "contrast_factor"}, {},
      ExpandContrast);
  add("ExtractImagePatches", "Returns the windows of images", {"images"},
      {{"ksizes"}, {"strides"}, {"rates"}, {"padding"}}, ExpandPatches);
  add("ExtractVolumePatches", "Returns the windows of volumes", {"input"},
      {{"ksizes"}, {"strides"}, {"padding"}}, ExpandPatches);
  add("Dilation2D", "Computes a dilation", {"input", "filter"},
      {{"strides"}, {"rates"}, {"padding"}}, ExpandDilation);
  const AttributeDef channels = {"channels", AttributeOf(0)};
  const AttributeDef dtype = {"dtype", AttributeOf(DType::kUInt8)};
  const AttributeDef ratio = {"ratio", AttributeOf(1)};
  const char* summary = "Decodes an image";
  add("DecodeBmp", summary, {"contents"}, {channels}, ExpandDecode);
  add("DecodeJpeg", summary, {"contents"}, {channels, ratio}, ExpandDecode);
  add("DecodeAndCropJpeg", "Decodes a part of an image", {"contents", "crop_window"},
      {channels, ratio}, ExpandDecode);
  add("DecodePng", summary, {"contents"}, {channels, dtype}, ExpandDecode);
  add("DecodeImage", summary, {"contents"}, {channels, dtype}, ExpandDecode);
  const std::vector<AttributeDef> projection = {{"interpolation"},
                                                {"fill_mode", AttributeOf("CONSTANT")}};
  std::vector<std::string> projected = {"images", "transforms", "output_shape"};
  const char* projects = "Transforms images by projections";
  add("ImageProjectiveTransformV2", projects, projected, projection, ExpandProjectiveTransform);
  projected.emplace_back("fill_value");
  add("ImageProjectiveTransformV3", projects, projected, projection, ExpandProjectiveTransform);
  return ops;
}

}  // namespace signet
