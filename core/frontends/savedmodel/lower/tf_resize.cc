// Operators that resize images, or crop and resize them.

#include <numbers>

#include "core/frontends/savedmodel/lower/tf_op.h"

namespace signet {
namespace {

// Element `i` of input 1, the size of the result.
Expr SizeAt(OpBuilder& build, TfInputs in, int i) {
  if (auto known = KnownInts(build, in, 1); known && known->size() == 2) {
    return build.AsExpr(Int64Constant(build, (*known)[static_cast<size_t>(i)]));
  }
  return build.Gather(AsInt64(build, in[1]), Int64Constant(build, i), {.axis = 0});
}

// The distance of neighboring pixels of the result, in pixels of the image.
Expr ScaleOf(OpBuilder& build, const Expr& size, const Expr& out, bool align) {
  auto number = [&](const Expr& x) { return CastTo(build, x, DType::kFloat32); };
  Expr scale = build.Div(number(size), number(build.Maximum(out, 1)));
  if (!align) return scale;
  Expr corners = build.Div(number(build.Sub(size, 1)), number(build.Maximum(build.Sub(out, 1), 1)));
  return build.Select(build.Greater(out, 1), corners, scale);
}

// Resizes one axis by cubic interpolation of 4 pixels. TensorFlow rounds the distance to a pixel to
// a multiple of 1 / 1024. With `half`, pixels outside of the image have no weight; otherwise, they
// are those at the edge.
Expr ResizeCubicAxis(OpBuilder& build, const Operand& x, int axis, const Expr& out, bool align,
                     bool half) {
  Expr size = DimSize(build, x, axis);
  Expr steps = CastTo(build, build.Range({out}), DType::kFloat32);
  Expr scale = ScaleOf(build, size, out, align);
  Expr place =
      half ? build.Sub(build.Mul(build.Add(steps, 0.5), scale), 0.5) : build.Mul(steps, scale);
  Expr first = build.Floor(place);
  Expr offset = build.Div(build.Round(build.Mul(build.Sub(place, first), 1024.0)), 1024.0);
  const double a = half ? -0.5 : -0.75;
  // The weights of pixels within a distance of 1, and of those within a distance of 2.
  auto near = [&](const Expr& d) {
    Expr inner = build.Sub(build.Mul(d, a + 2), a + 3);
    return build.Add(build.Mul(build.Mul(inner, d), d), 1.0);
  };
  auto far = [&](const Expr& distance) {
    Expr d = build.Add(distance, 1.0);
    Expr inner = build.Add(build.Mul(build.Sub(build.Mul(d, a), 5 * a), d), 8 * a);
    return build.Sub(build.Mul(inner, d), 4 * a);
  };
  Expr rest = build.Sub(build.AsExpr(build.Constant(Tensor::Scalar(1.0F))), offset);
  std::vector<Expr> weights = {far(offset), near(offset), near(rest), far(rest)};
  std::vector<Expr> places;
  Operand sum;
  for (int i = 0; i < 4; ++i) {
    Expr at = build.Add(AsInt64(build, first), i - 1);
    Expr inside = build.Maximum(build.Minimum(at, build.Sub(size, 1)), 0);
    Expr& weight = weights[static_cast<size_t>(i)];
    if (half) {
      weight = build.Select(build.Equal(at, inside), weight, build.ZerosLike(weight));
      sum = sum.passed() ? Operand(build.Add(sum, weight)) : Operand(weight);
    }
    places.push_back(inside);
  }
  const int trailing = 3 - axis;
  Operand result;
  for (size_t i = 0; i < 4; ++i) {
    Expr weight = half ? build.Div(weights[i], sum) : weights[i];
    Expr part = build.Mul(build.Gather(x, places[i], {.axis = axis}),
                          WithTrailingOnes(build, weight, trailing));
    result = result.passed() ? Operand(build.Add(result, part)) : Operand(part);
  }
  return build.AsExpr(result);
}

TfOutputs ExpandResize(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(bool align, call.attributes.Bool("align_corners"));
  SIGNET_ASSIGN_OR_RETURN(bool half, call.attributes.Bool("half_pixel_centers"));
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(in, 0));
  if (rank != 4) return InvalidArgument("expected rank 4, found `", in[0].spec, "`");
  const bool is_nearest = call.op.name == "tf.ResizeNearestNeighbor";
  if (align && half)
    return InvalidArgument("`align_corners` and `half_pixel_centers` exclude each other");
  if (call.op.name == "tf.ResizeBicubic") {
    Expr x = CastTo(build, in[0], DType::kFloat32);
    for (int axis : {2, 1})
      x = ResizeCubicAxis(build, x, axis, SizeAt(build, in, axis - 1), align, half);
    return x;
  }
  Expr x = build.Transpose(in[0], {.perm = {0, 3, 1, 2}});
  if (!is_nearest) x = CastTo(build, x, DType::kFloat32);
  const char* coordinates = align  ? "align_corners"
                            : half ? (is_nearest ? "tf_half_pixel_for_nn" : "half_pixel")
                                   : "asymmetric";
  ResizeAttributes attributes{.mode = is_nearest ? "nearest" : "linear",
                              .coordinates = coordinates};
  attributes.axes = AttributeArgument({2, 3});
  if (is_nearest) attributes.nearest = AttributeArgument(align ? "round_prefer_ceil" : "floor");
  Expr out = build.Resize(x, {}, AsInt64(build, in[1]), {}, attributes);
  return build.Transpose(out, {.perm = {0, 2, 3, 1}});
}

// How much of each pixel of an axis is in each pixel of the result: a matrix [out, size] whose rows
// have the sum 1.
Expr AreaWeights(OpBuilder& build, const Expr& size, const Expr& out, bool align) {
  auto number = [&](const Expr& x) { return CastTo(build, x, DType::kFloat32); };
  Expr scale = ScaleOf(build, size, out, align);
  Expr steps = build.ExpandDims(number(build.Range({out})), {.axis = 1});
  Expr pixels = number(build.Range({size}));
  Expr begin = build.Mul(steps, scale);
  Expr end = build.Mul(build.Add(steps, 1.0), scale);
  Expr shared = build.Sub(build.Minimum(build.Add(pixels, 1.0), end), build.Maximum(pixels, begin));
  shared = build.Maximum(shared, 0.0);
  // With align_corners, the last pixels of the result extend beyond the image: they repeat its
  // edge.
  Expr is_last = build.Equal(pixels, number(build.Sub(size, 1)));
  Expr outside = build.Maximum(build.Sub(end, number(size)), 0.0);
  shared = build.Add(shared, build.Select(is_last, outside, build.ZerosLike(outside)));
  return build.Div(shared, scale);
}

TfOutputs ExpandResizeArea(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(bool align, call.attributes.Bool("align_corners"));
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(in, 0));
  if (rank != 4) return InvalidArgument("expected rank 4, found `", in[0].spec, "`");
  Expr x = CastTo(build, in[0], DType::kFloat32);
  Expr height = SizeAt(build, in, 0);
  Expr width = SizeAt(build, in, 1);
  x = build.Matmul(AreaWeights(build, DimSize(build, in[0], 2), width, align), x);
  Expr rows = build.Flatten(x, {.first = 2, .last = 3});
  rows = build.Matmul(AreaWeights(build, DimSize(build, in[0], 1), height, align), rows);
  return ReshapeTo(build, rows,
                   {DimSize(build, in[0], 0), height, width, DimSize(build, in[0], 3)});
}

// The weight of a pixel at a distance from the middle of a sample, in pixels, of a filter of
// ScaleAndTranslate; and the distance from which on it is 0.
struct SampleFilter {
  double radius = 0;
  Expr (*weight)(OpBuilder& build, const Expr& distance) = nullptr;
};

// A filter of pieces of cubic polynomials, with the parameters of Mitchell and Netravali.
Expr CubicFilter(OpBuilder& build, const Expr& d, double b, double c) {
  auto polynomial = [&](double x3, double x2, double x1, double x0) {
    Expr out = build.Add(build.Mul(d, x3 / 6), x2 / 6);
    out = build.Add(build.Mul(out, d), x1 / 6);
    return build.Add(build.Mul(out, d), x0 / 6);
  };
  return build.Select(build.Less(d, 1.0),
                      polynomial(12 - 9 * b - 6 * c, -18 + 12 * b + 6 * c, 0, 6 - 2 * b),
                      polynomial(-b - 6 * c, 6 * b + 30 * c, -12 * b - 48 * c, 8 * b + 24 * c));
}

// sin(pi x) / (pi x) times the same function stretched to the radius.
template <int kRadius>
Expr LanczosFilter(OpBuilder& build, const Expr& d) {
  Expr x = build.Mul(build.Maximum(d, 1e-3), std::numbers::pi);
  Expr product = build.Mul(build.Sin(x), build.Sin(build.Div(x, static_cast<double>(kRadius))));
  Expr out = build.Div(build.Mul(product, static_cast<double>(kRadius)), build.Square(x));
  return build.Select(build.LessEqual(d, 1e-3), 1.0, out);
}

StatusOr<SampleFilter> SampleFilterOf(const std::string& name) {
  if (name == "lanczos1") return SampleFilter{1, LanczosFilter<1>};
  if (name == "lanczos3") return SampleFilter{3, LanczosFilter<3>};
  if (name == "lanczos5") return SampleFilter{5, LanczosFilter<5>};
  if (name == "triangle") {
    return SampleFilter{
        1, [](OpBuilder& build, const Expr& d) { return build.Sub(build.Mul(d, -1.0), -1.0); }};
  }
  if (name == "box") {
    // A pixel at the edge belongs to two samples, with half of the weight.
    return SampleFilter{1, [](OpBuilder& build, const Expr& d) {
                          Expr half = build.Select(build.Equal(d, 0.5), build.OnesLike(d),
                                                   build.ZerosLike(d));
                          return build.Select(build.Less(d, 0.5), 1.0, build.Mul(half, 0.5));
                        }};
  }
  if (name == "gaussian") {
    return SampleFilter{1.5, [](OpBuilder& build, const Expr& d) {
                          return build.Exp(build.Mul(build.Square(d), -2.0));
                        }};
  }
  if (name == "keyscubic") {
    return SampleFilter{
        2, [](OpBuilder& build, const Expr& d) { return CubicFilter(build, d, 0, 0.5); }};
  }
  if (name == "mitchellcubic") {
    return SampleFilter{
        2, [](OpBuilder& build, const Expr& d) { return CubicFilter(build, d, 1.0 / 3, 1.0 / 3); }};
  }
  return Unimplemented("unsupported `kernel_type` `", Printable(name), "`");
}

// How much of each pixel of an axis is in each pixel of the result, as a matrix.
Expr SampleWeights(OpBuilder& build, const SampleFilter& filter, const Expr& size, const Expr& out,
                   const Expr& scale, const Expr& translation, bool antialias) {
  auto number = [&](const Expr& x) { return CastTo(build, x, DType::kFloat32); };
  Expr inverse = build.Reciprocal(scale);
  Expr steps = build.ExpandDims(build.Add(number(build.Range({out})), 0.5), {.axis = 1});
  Expr sample = build.Mul(build.Sub(steps, translation), inverse);
  Expr spread = antialias ? build.Maximum(inverse, 1.0) : build.OnesLike(inverse);
  Expr pixels = build.Add(number(build.Range({size})), 0.5);
  Expr distance = build.Div(build.Abs(build.Sub(pixels, sample)), spread);
  Expr weight = filter.weight(build, distance);
  weight = build.Select(build.LessEqual(distance, filter.radius), weight, 0.0);
  Expr sum = build.ReduceSum(weight, {.axes = {1}, .keepdims = true});
  // Samples outside of the image are 0.
  Expr is_used = build.LogicalAnd(
      build.LogicalAnd(build.GreaterEqual(sample, 0.0), build.LessEqual(sample, number(size))),
      build.Greater(build.Abs(sum), 1e-30));
  return build.Select(is_used, build.Div(weight, sum), 0.0);
}

TfOutputs ExpandScaleAndTranslate(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(std::string name, call.attributes.String("kernel_type"));
  SIGNET_ASSIGN_OR_RETURN(bool antialias, call.attributes.Bool("antialias"));
  SIGNET_ASSIGN_OR_RETURN(SampleFilter filter, SampleFilterOf(name));
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(in, 0));
  if (rank != 4) return InvalidArgument("expected rank 4, found `", in[0].spec, "`");
  auto weights = [&](int axis, const Expr& out) {
    auto part = [&](size_t i) {
      return build.Gather(in[i], Int64Constant(build, axis), {.axis = 0});
    };
    return SampleWeights(build, filter, DimSize(build, in[0], axis + 1), out, part(2), part(3),
                         antialias);
  };
  Expr height = SizeAt(build, in, 0);
  Expr width = SizeAt(build, in, 1);
  Expr x = build.Matmul(weights(1, width), CastTo(build, in[0], DType::kFloat32));
  Expr rows = build.Matmul(weights(0, height), build.Flatten(x, {.first = 2, .last = 3}));
  return ReshapeTo(build, rows,
                   {DimSize(build, in[0], 0), height, width, DimSize(build, in[0], 3)});
}

// The places of the cells of boxes along one axis, [boxes, cells], in pixels.
Expr CellPlaces(OpBuilder& build, const Expr& boxes, int64_t begin, const Expr& cells,
                const Expr& size) {
  auto corner = [&](int64_t i) {
    return build.Gather(boxes, Ints(build, std::vector<int64_t>{i}), {.axis = 1});
  };
  auto number = [&](const Expr& x) { return CastTo(build, x, DType::kFloat32); };
  Expr last = number(build.Sub(size, 1));
  Expr first = corner(begin);
  Expr end = corner(begin + 2);
  Expr steps = number(build.Range({cells}));
  Expr distance = build.Div(build.Mul(build.Sub(end, first), last),
                            number(build.Maximum(build.Sub(cells, 1), 1)));
  Expr spread = build.Add(build.Mul(first, last), build.Mul(steps, distance));
  // A single cell is in the middle.
  Expr middle =
      build.Add(build.Mul(build.Mul(build.Add(first, end), 0.5), last), build.ZerosLike(steps));
  return build.Select(build.Greater(cells, 1), spread, middle);
}

TfOutputs ExpandCropAndResize(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(std::string method, call.attributes.String("method"));
  SIGNET_ASSIGN_OR_RETURN(double outside, call.attributes.Float("extrapolation_value"));
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(in, 0));
  if (rank != 4) return InvalidArgument("expected rank 4, found `", in[0].spec, "`");
  if (method != "bilinear" && method != "nearest") {
    return InvalidArgument("`method`: expected bilinear or nearest, found `", Printable(method),
                           "`");
  }
  const TfInputs sizes = in.subspan(2);  // input 1 of it is the size of the crops
  Expr rows = SizeAt(build, sizes, 0);
  Expr columns = SizeAt(build, sizes, 1);
  Expr height = DimSize(build, in[0], 1);
  Expr width = DimSize(build, in[0], 2);
  Expr boxes = CastTo(build, in[1], DType::kFloat32);
  Expr y = build.ExpandDims(CellPlaces(build, boxes, 0, rows, height), {.axis = 2});
  Expr x = build.ExpandDims(CellPlaces(build, boxes, 1, columns, width), {.axis = 1});
  auto within = [&](const Expr& place, const Expr& size) {
    Expr last = CastTo(build, build.Sub(size, 1), DType::kFloat32);
    return build.LogicalAnd(build.GreaterEqual(place, 0.0), build.LessEqual(place, last));
  };
  Expr is_inside = build.LogicalAnd(within(y, height), within(x, width));
  Expr image = build.Reshape(AsInt64(build, in[2]), {.shape = {-1, 1, 1}});
  SIGNET_RETURN_IF_ERROR(
      CheckCondition(build,
                     build.ReduceAll(build.LogicalAnd(build.GreaterEqual(image, 0),
                                                      build.Less(image, DimSize(build, in[0], 0)))),
                     OutOfRange("expected the number of an image for each box")));
  Expr pixels = CastTo(build, build.Flatten(in[0], {.first = 0, .last = 2}), DType::kFloat32);
  auto pixel = [&](const Expr& row, const Expr& column) {
    auto limited = [&](const Expr& place, const Expr& size) {
      return build.Maximum(build.Minimum(AsInt64(build, place), build.Sub(size, 1)), 0);
    };
    Expr line = build.Add(build.Mul(image, height), limited(row, height));
    return build.Gather(pixels, build.Add(build.Mul(line, width), limited(column, width)),
                        {.axis = 0});
  };
  Operand out;
  if (method == "nearest") {
    out = pixel(build.Floor(build.Add(y, 0.5)), build.Floor(build.Add(x, 0.5)));
  } else {
    Expr top = build.Floor(y);
    Expr left = build.Floor(x);
    Expr bottom = build.Ceil(y);
    Expr right = build.Ceil(x);
    Expr down = build.ExpandDims(build.Sub(y, top), {.axis = -1});
    Expr across = build.ExpandDims(build.Sub(x, left), {.axis = -1});
    auto between = [&](const Expr& from, const Expr& to, const Expr& part) {
      return build.Add(from, build.Mul(build.Sub(to, from), part));
    };
    out = between(between(pixel(top, left), pixel(top, right), across),
                  between(pixel(bottom, left), pixel(bottom, right), across), down);
  }
  return build.Select(build.ExpandDims(is_inside, {.axis = -1}), out,
                      Number(build, outside, DType::kFloat32));
}

}  // namespace

std::vector<OpDef> TfResizeOps() {
  std::vector<OpDef> ops;
  auto add = [&](const char* name, const char* summary, std::vector<std::string> inputs,
                 std::vector<AttributeDef> attributes, ExpandFn expand) {
    ops.push_back(TfOp(name, summary, std::move(inputs), std::move(attributes), expand));
  };
  for (const char* name : {"ResizeBilinear", "ResizeNearestNeighbor", "ResizeBicubic"}) {
    add(name, "Resizes images", {"images", "size"},
        {{"align_corners", AttributeOf(false)}, {"half_pixel_centers", AttributeOf(false)}},
        ExpandResize);
  }
  add("ResizeArea", "Resizes images by the means of areas", {"images", "size"},
      {{"align_corners", AttributeOf(false)}}, ExpandResizeArea);
  add("ScaleAndTranslate", "Resizes images with a filter",
      {"images", "size", "scale", "translation"},
      {{"kernel_type", AttributeOf("lanczos3")}, {"antialias", AttributeOf(true)}},
      ExpandScaleAndTranslate);
  add("CropAndResize", "Resizes boxes of images", {"image", "boxes", "box_ind", "crop_size"},
      {{"method", AttributeOf("bilinear")}, {"extrapolation_value", AttributeOf(0.0)}},
      ExpandCropAndResize);
  return ops;
}

}  // namespace signet
