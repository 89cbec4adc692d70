// Operators that transform images by projections.

#include "core/frontends/savedmodel/lower/tf_op.h"
#include "core/ops/def/attribute_list.h"

namespace signet {
namespace {

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

std::vector<OpDef> TfTransformOps() {
  std::vector<OpDef> ops;
  const std::vector<AttributeDef> attributes = {{"interpolation"},
                                                {"fill_mode", AttributeOf("CONSTANT")}};
  std::vector<std::string> inputs = {"images", "transforms", "output_shape"};
  const char* summary = "Transforms images by projections";
  ops.push_back(
      TfOp("ImageProjectiveTransformV2", summary, inputs, attributes, ExpandProjectiveTransform));
  inputs.emplace_back("fill_value");
  ops.push_back(
      TfOp("ImageProjectiveTransformV3", summary, inputs, attributes, ExpandProjectiveTransform));
  return ops;
}

}  // namespace signet
