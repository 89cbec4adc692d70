// Operators that round numbers to the steps of a quantization.

#include <limits>

#include "core/frontends/savedmodel/lower/tf_op.h"
#include "core/ops/def/attribute_list.h"

namespace signet {
namespace {

StatusOr<int64_t> BitsOf(int64_t bits) {
  if (bits >= 2 && bits <= 16) return bits;
  return InvalidArgument("`num_bits`: expected 2 to 16, found ", bits);
}

// Rounds to the steps between `low` and `high`, which are moved so that 0 is one of the steps.
Expr FakeQuantized(OpBuilder& build, const Operand& x, const Expr& low, const Expr& high,
                   int64_t bits, bool narrow) {
  const double first = narrow ? 1 : 0;
  const auto last = static_cast<double>((int64_t{1} << bits) - 1);
  Expr scale = build.Div(build.Sub(high, low), last - first);
  Expr zero_point = build.Sub(build.Mul(build.Div(low, scale), -1.0), -first);
  Expr rounded = build.Floor(build.Add(zero_point, 0.5));
  Expr nudged = build.Select(
      build.Less(zero_point, first), Number(build, first, zero_point),
      build.Select(build.Greater(zero_point, last), Number(build, last, zero_point), rounded));
  Expr least = build.Mul(build.Sub(build.Mul(nudged, -1.0), -first), scale);
  Expr most = build.Mul(build.Sub(build.Mul(nudged, -1.0), -last), scale);
  Expr inside = build.Minimum(build.Maximum(x, least), most);
  Expr steps = build.Floor(build.Add(build.Div(build.Sub(inside, least), scale), 0.5));
  Expr out = build.Add(build.Mul(steps, scale), least);
  // The range from 0 to 0 has no steps.
  Expr is_empty = build.LogicalAnd(build.Equal(low, 0.0), build.Equal(high, 0.0));
  return build.Select(is_empty, 0.0, out);
}

TfOutputs ExpandFakeQuant(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(int64_t given, call.attributes.Int("num_bits"));
  SIGNET_ASSIGN_OR_RETURN(int64_t bits, BitsOf(given));
  SIGNET_ASSIGN_OR_RETURN(bool narrow, call.attributes.Bool("narrow_range"));
  if (in.size() == 3) {
    return FakeQuantized(build, in[0], build.AsExpr(in[1]), build.AsExpr(in[2]), bits, narrow);
  }
  SIGNET_ASSIGN_OR_RETURN(double low, call.attributes.Float("min"));
  SIGNET_ASSIGN_OR_RETURN(double high, call.attributes.Float("max"));
  if (!(low < high)) return InvalidArgument("`min`: expected less than `max`, found ", low);
  return FakeQuantized(build, in[0], Number(build, low, in[0]), Number(build, high, in[0]), bits,
                       narrow);
}

// Versions 2 to 4, which differ in where the number of bits is.
TfOutputs ExpandQuantizeDequantize(OpBuilder& build, const OpCall& call, TfInputs in) {
  int64_t bits = 8;
  if (in.size() > 3) {
    SIGNET_ASSIGN_OR_RETURN(auto given, FindInts(build, call, in, 3));
    if (given.size() != 1) return InvalidArgument("`num_bits`: expected one number");
    bits = given[0];
  } else {
    SIGNET_ASSIGN_OR_RETURN(bits, call.attributes.Int("num_bits"));
  }
  SIGNET_ASSIGN_OR_RETURN(bits, BitsOf(bits));
  SIGNET_ASSIGN_OR_RETURN(bool is_signed, call.attributes.Bool("signed_input"));
  SIGNET_ASSIGN_OR_RETURN(bool has_range, call.attributes.Bool("range_given"));
  SIGNET_ASSIGN_OR_RETURN(bool narrow, call.attributes.Bool("narrow_range"));
  SIGNET_ASSIGN_OR_RETURN(int64_t axis, call.attributes.Int("axis"));
  std::string mode = "HALF_TO_EVEN";
  if (call.attributes.Has("round_mode")) {
    SIGNET_ASSIGN_OR_RETURN(mode, call.attributes.String("round_mode"));
  }
  if (mode != "HALF_TO_EVEN" && mode != "HALF_UP") {
    return InvalidArgument("`round_mode`: expected HALF_TO_EVEN or HALF_UP, found `",
                           Printable(mode), "`");
  }
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(in, 0));
  if (axis < -1 || axis >= rank) return InvalidArgument("`axis`: expected a dimension or -1");
  const int trailing = axis < 0 ? 0 : rank - 1 - static_cast<int>(axis);
  std::vector<int64_t> others;
  for (int i = 0; i < rank; ++i) {
    if (i != axis) others.push_back(i);
  }
  auto bound = [&](size_t i, bool is_low) {
    if (has_range) return WithTrailingOnes(build, in[i], trailing);
    Expr found = is_low ? build.ReduceMin(in[0], {.axes = others, .empty_is_all = false})
                        : build.ReduceMax(in[0], {.axes = others, .empty_is_all = false});
    return WithTrailingOnes(build, found, trailing);
  };
  Expr low = bound(1, true);
  Expr high = bound(2, false);
  const double half = static_cast<double>(int64_t{1} << (bits - 1));
  const double first = !is_signed ? 0 : narrow ? 1 - half : -half;
  const double last = is_signed ? half - 1 : 2 * half - 1;
  // The larger steps of the two sides are used, and the other side gets a wider range.
  auto factor = [&](double steps, const Expr& end) {
    Expr is_usable = build.Greater(build.Mul(end, steps), 0.0);
    Expr most = Number(build, std::numeric_limits<float>::max(), end);
    return build.Select(is_usable, build.Div(Number(build, steps, end), end), most);
  };
  Expr from_low = factor(first, low);
  Expr from_high = factor(last, high);
  Expr is_low = build.Less(from_low, from_high);
  Expr scale = build.Select(is_low, from_low, from_high);
  Expr step = first == 0 ? build.Div(high, last)
                         : build.Select(is_low, build.Div(low, first), build.Div(high, last));
  Expr least = build.Select(is_low, low, build.Mul(step, first));
  Expr most = build.Select(is_low, build.Mul(step, last), high);
  Expr scaled = build.Mul(build.Minimum(build.Maximum(in[0], least), most), scale);
  Expr rounded = mode == "HALF_UP" ? build.Floor(build.Add(scaled, 0.5)) : build.Round(scaled);
  return build.Mul(rounded, step);
}

// Converts small integers to numbers from `min_range` to `max_range`.
TfOutputs ExpandDequantize(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(std::string mode, call.attributes.String("mode"));
  SIGNET_ASSIGN_OR_RETURN(bool narrow, call.attributes.Bool("narrow_range"));
  SIGNET_ASSIGN_OR_RETURN(int64_t axis, call.attributes.Int("axis"));
  SIGNET_ASSIGN_OR_RETURN(DType dtype, TfDType(call, "dtype"));
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(in, 0));
  if (axis < -1 || axis >= rank) return InvalidArgument("`axis`: expected a dimension or -1");
  const DType own = DTypeAt(in, 0);
  const auto bits = static_cast<int64_t>(8 * SizeOf(own));
  if (!IsInteger(own) || bits > 32) {
    return InvalidArgument("input 0: expected integers of at most 32 bits, found `", in[0].spec,
                           "`");
  }
  const bool is_signed = InfoOf(own).family == DTypeClass::kSignedInteger;
  const auto steps = static_cast<double>((int64_t{1} << bits) - 1);
  const double lowest = is_signed ? -(steps + 1) / 2 : 0;
  const int trailing = axis < 0 ? 0 : rank - 1 - static_cast<int>(axis);
  auto bound = [&](size_t i) {
    return WithTrailingOnes(build, CastTo(build, in[i], DType::kFloat32), trailing);
  };
  Expr low = bound(1);
  Expr high = bound(2);
  Expr x = CastTo(build, in[0], DType::kFloat32);
  Operand out;
  if (mode == "MIN_COMBINED") {
    Expr scale = build.Div(build.Sub(high, low), steps);
    out = build.Add(build.Mul(build.Sub(x, lowest), scale), low);
  } else if (mode == "MIN_FIRST") {
    // The lowest number is a multiple of the step.
    Expr scale = build.Div(build.Sub(high, low), steps);
    Expr first = build.Mul(build.Round(build.Div(low, scale)), scale);
    out = build.Add(build.Mul(build.Sub(x, lowest), scale), first);
  } else if (mode == "SCALED") {
    const double most = is_signed ? -lowest - 1 : steps;
    Expr scale = build.Div(high, most);
    if (is_signed) {
      scale = build.Maximum(build.Div(low, narrow ? lowest + 1 : lowest), scale);
    }
    out = build.Mul(x, scale);
  } else {
    return InvalidArgument("`mode`: expected MIN_COMBINED, MIN_FIRST, or SCALED, found `",
                           Printable(mode), "`");
  }
  return CastTo(build, out, dtype);
}

struct QuantizeOptions {
  std::string mode;
  std::string round_mode;
  bool narrow = false;
  int64_t axis = -1;
  double least_range = 0.01;
  DType dtype = DType::kUInt8;
};

StatusOr<QuantizeOptions> ReadQuantize(const OpCall& call) {
  QuantizeOptions out;
  SIGNET_ASSIGN_OR_RETURN(out.mode, call.attributes.String("mode"));
  SIGNET_ASSIGN_OR_RETURN(out.round_mode, call.attributes.String("round_mode"));
  SIGNET_ASSIGN_OR_RETURN(out.narrow, call.attributes.Bool("narrow_range"));
  SIGNET_ASSIGN_OR_RETURN(out.axis, call.attributes.Int("axis"));
  SIGNET_ASSIGN_OR_RETURN(out.least_range, call.attributes.Float("ensure_minimum_range"));
  SIGNET_ASSIGN_OR_RETURN(out.dtype, TfDType(call, "T"));
  if (out.mode != "MIN_COMBINED" && out.mode != "MIN_FIRST" && out.mode != "SCALED") {
    return InvalidArgument("`mode`: expected MIN_COMBINED, MIN_FIRST, or SCALED, found `",
                           Printable(out.mode), "`");
  }
  if (out.round_mode != "HALF_AWAY_FROM_ZERO" && out.round_mode != "HALF_TO_EVEN") {
    return InvalidArgument("`round_mode`: expected HALF_AWAY_FROM_ZERO or HALF_TO_EVEN, found `",
                           Printable(out.round_mode), "`");
  }
  if (out.round_mode == "HALF_TO_EVEN" && out.mode != "SCALED") {
    return InvalidArgument("`round_mode`: HALF_TO_EVEN requires the mode SCALED, found `", out.mode,
                           "`");
  }
  if (!IsInteger(out.dtype) || SizeOf(out.dtype) > 4) {
    return InvalidArgument("`T`: expected integers of at most 32 bits, found `", NameOf(out.dtype),
                           "`");
  }
  return out;
}

// Converts numbers to small integers. Also returns the range that the integers represent.
TfOutputs ExpandQuantize(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(const QuantizeOptions attributes, ReadQuantize(call));
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(in, 0));
  const int64_t axis = attributes.axis;
  if (axis < -1 || axis >= rank) return InvalidArgument("`axis`: expected a dimension or -1");
  const PartialShape range_shape =
      axis < 0 ? PartialShape{} : PartialShape{KnownSize(in[0], static_cast<int>(axis))};
  auto bound = [&](size_t i) -> Expr {
    if (axis < 0) return AsScalar(build, CastTo(build, in[i], DType::kFloat32));
    if (!in[i].spec.shape()->IsCompatibleWith(range_shape)) {
      return InvalidArgument("input ", i, ": expected the shape `", range_shape, "`, found `",
                             in[i].spec, "`");
    }
    return CastTo(build, in[i], DType::kFloat32);
  };
  Expr given_low = bound(1);
  Expr given_high = bound(2);
  SIGNET_RETURN_IF_ERROR(
      CheckCondition(build, build.ReduceAll(build.GreaterEqual(given_high, given_low)),
                     InvalidArgument("`max_range`: expected at least `min_range`")));
  auto number = [&](double value) { return Number(build, value, DType::kFloat32); };
  // The range includes 0, and is not too small.
  Expr low = build.Minimum(given_low, number(0));
  Expr size = build.Maximum(number(1), build.Maximum(build.Abs(given_low), build.Abs(given_high)));
  Expr least = build.Add(low, build.Mul(size, number(attributes.least_range)));
  Expr high = build.Maximum(build.Maximum(given_high, least), number(0));
  const bool is_signed = InfoOf(attributes.dtype).family == DTypeClass::kSignedInteger;
  const auto steps = static_cast<double>((int64_t{1} << (8 * SizeOf(attributes.dtype))) - 1);
  const double lowest = is_signed ? -(steps + 1) / 2 : 0;
  const double highest = lowest + steps;
  const int trailing = axis < 0 ? 0 : rank - 1 - static_cast<int>(axis);
  auto along = [&](const Expr& x) { return WithTrailingOnes(build, x, trailing); };
  Expr x = CastTo(build, in[0], DType::kFloat32);
  auto inside = [&] { return build.Minimum(build.Maximum(x, along(low)), along(high)); };
  // The division is made in float64, because float32 cannot hold every count of steps of 32 bits.
  auto steps_per = [&](double count, const Expr& range) {
    Expr wide = CastTo(build, range, DType::kFloat64);
    return CastTo(build, build.Div(Number(build, count, wide), wide), DType::kFloat32);
  };
  Operand out;
  if (attributes.mode == "MIN_COMBINED") {
    Expr scale = steps_per(steps, build.Sub(high, low));
    Expr above = build.Mul(build.Sub(inside(), along(low)), along(scale));
    out = is_signed ? RoundAwayFromZero(build, build.Add(above, number(lowest)))
                    : build.Floor(build.Add(above, number(0.5)));
  } else if (attributes.mode == "MIN_FIRST") {
    // The lowest number is rounded to a multiple of the step.
    Expr is_empty = build.Equal(low, high);
    Expr scale = build.Select(is_empty, number(0), steps_per(steps, build.Sub(high, low)));
    Expr first = build.Sub(RoundAwayFromZero(build, build.Mul(low, scale)), number(lowest));
    Expr scaled = RoundAwayFromZero(build, build.Mul(x, along(scale)));
    out = build.Minimum(build.Maximum(build.Sub(scaled, along(first)), number(lowest)),
                        number(highest));
  } else {
    const double first = attributes.narrow ? lowest + 1 : lowest;
    // The larger steps of the two sides are used, and the other side gets a wider range.
    auto factor = [&](double count, const Expr& end) {
      Expr is_usable = build.Greater(build.Mul(end, number(count)), number(0));
      return build.Select(is_usable, steps_per(count, end),
                          number(std::numeric_limits<float>::max()));
    };
    Expr scale = build.Minimum(factor(first, low), factor(highest, high));
    low = build.Div(number(first), scale);
    high = build.Div(number(highest), scale);
    Expr scaled = build.Mul(inside(), along(scale));
    out = attributes.round_mode == "HALF_TO_EVEN" ? build.Round(scaled)
                                                  : RoundAwayFromZero(build, scaled);
  }
  return AllOf({build.Cast(out, {.dtype = attributes.dtype}), low, high});
}

}  // namespace

std::vector<OpDef> TfQuantizedOps() {
  std::vector<OpDef> ops;
  auto add = [&](const char* name, const char* summary, std::vector<std::string> inputs,
                 std::vector<AttributeDef> attributes, ExpandFn expand) {
    ops.push_back(TfOp(name, summary, std::move(inputs), std::move(attributes), expand));
  };
  const std::vector<AttributeDef> fake = {{"num_bits", AttributeOf(8)},
                                          {"narrow_range", AttributeOf(false)}};
  std::vector<AttributeDef> with_range = fake;
  with_range.push_back({"min", AttributeOf(-6.0)});
  with_range.push_back({"max", AttributeOf(6.0)});
  const char* summary = "Rounds numbers to the steps of a quantization";
  add("FakeQuantWithMinMaxArgs", summary, {"inputs"}, with_range, ExpandFakeQuant);
  add("FakeQuantWithMinMaxVars", summary, {"inputs", "min", "max"}, fake, ExpandFakeQuant);
  add("FakeQuantWithMinMaxVarsPerChannel", summary, {"inputs", "min", "max"}, fake,
      ExpandFakeQuant);
  add("Dequantize", "Converts small integers to numbers", {"input", "min_range", "max_range"},
      {{"mode", AttributeOf("MIN_COMBINED")},
       {"narrow_range", AttributeOf(false)},
       {"axis", AttributeOf(-1)},
       {"dtype", AttributeOf(DType::kFloat32)}},
      ExpandDequantize);
  add("QuantizeV2", "Converts numbers to small integers", {"input", "min_range", "max_range"},
      {{"T"},
       {"mode", AttributeOf("MIN_COMBINED")},
       {"round_mode", AttributeOf("HALF_AWAY_FROM_ZERO")},
       {"narrow_range", AttributeOf(false)},
       {"axis", AttributeOf(-1)},
       {"ensure_minimum_range", AttributeOf(0.01)}},
      ExpandQuantize);
  std::vector<AttributeDef> attributes = {{"signed_input", AttributeOf(true)},
                                          {"range_given", AttributeOf(false)},
                                          {"narrow_range", AttributeOf(false)},
                                          {"axis", AttributeOf(-1)}};
  add("QuantizeAndDequantizeV3", summary, {"input", "input_min", "input_max", "num_bits"},
      attributes, ExpandQuantizeDequantize);
  attributes.push_back({"num_bits", AttributeOf(8)});
  attributes.push_back({"round_mode", AttributeOf("HALF_TO_EVEN")});
  for (const char* name : {"QuantizeAndDequantizeV2", "QuantizeAndDequantizeV4"}) {
    add(name, summary, {"input", "input_min", "input_max"}, attributes, ExpandQuantizeDequantize);
  }
  return ops;
}

}  // namespace signet
