// Operators that compute special functions, losses, and ranks.

#include <cmath>
#include <limits>
#include <numbers>

#include "core/frontends/savedmodel/lower/tf_op.h"
#include "core/ops/def/attribute_list.h"

namespace signet {
namespace {

// An operator that is an op with the same inputs.
struct FunctionOp {
  const char* name;
  const char* op;
  const char* summary;
};

constexpr FunctionOp kUnaryFunctions[] = {
    {"BesselI0", "bessel_i0", "Computes the modified Bessel function I0"},
    {"BesselI0e", "bessel_i0e", "Computes the scaled modified Bessel function I0"},
    {"BesselI1", "bessel_i1", "Computes the modified Bessel function I1"},
    {"BesselI1e", "bessel_i1e", "Computes the scaled modified Bessel function I1"},
    {"BesselJ0", "bessel_j0", "Computes the Bessel function J0"},
    {"BesselJ1", "bessel_j1", "Computes the Bessel function J1"},
    {"BesselK0", "bessel_k0", "Computes the modified Bessel function K0"},
    {"BesselK0e", "bessel_k0e", "Computes the scaled modified Bessel function K0"},
    {"BesselK1", "bessel_k1", "Computes the modified Bessel function K1"},
    {"BesselK1e", "bessel_k1e", "Computes the scaled modified Bessel function K1"},
    {"BesselY0", "bessel_y0", "Computes the Bessel function Y0"},
    {"BesselY1", "bessel_y1", "Computes the Bessel function Y1"},
    {"Dawsn", "dawsn", "Computes the Dawson function"},
    {"Expint", "expint", "Computes the exponential integral"},
    {"Spence", "spence", "Computes the Spence function"},
};

constexpr FunctionOp kBinaryFunctions[] = {
    {"Igamma", "igamma", "Computes the lower incomplete gamma function"},
    {"Igammac", "igammac", "Computes the upper incomplete gamma function"},
    {"NextAfter", "next_after", "Returns the next number in a direction"},
    {"Polygamma", "polygamma", "Computes derivatives of Digamma"},
    {"Zeta", "zeta", "Computes the Hurwitz zeta function"},
};

TfOutputs ExpandFunction(OpBuilder& build, const OpCall& call, TfInputs in) {
  const std::string_view name = std::string_view(call.op.name).substr(3);
  for (auto table : {std::span<const FunctionOp>(kUnaryFunctions),
                     std::span<const FunctionOp>(kBinaryFunctions)}) {
    for (const FunctionOp& row : table) {
      if (name == row.name) return build.Call(std::string_view(row.op), in, {});
    }
  }
  return Internal("no op for ", name);
}

TfOutputs ExpandBetainc(OpBuilder& build, const OpCall&, TfInputs in) {
  // Scalars broadcast, but other shapes do not.
  for (size_t i = 0; i < 3; ++i) {
    for (size_t k = 0; k < i; ++k) {
      const PartialShape& own = *in[i].spec.shape();
      const PartialShape& other = *in[k].spec.shape();
      if ((own.has_rank() && own.rank() == 0) || (other.has_rank() && other.rank() == 0)) continue;
      if (!own.IsCompatibleWith(other)) {
        return InvalidArgument("expected inputs of one shape or scalars, found `", in[k].spec,
                               "` and `", in[i].spec, "`");
      }
    }
  }
  return build.Betainc(in[0], in[1], in[2]);
}

Expr AsDouble(OpBuilder& build, const Operand& x) { return CastTo(build, x, DType::kFloat64); }

// The logarithm of the gamma function of numbers of at least 0.5, by the approximation of Lanczos.
Expr LogGammaAbove(OpBuilder& build, const Expr& x) {
  constexpr double kTerms[] = {676.5203681218851,     -1259.1392167224028,  771.32342877765313,
                               -176.61502916214059,   12.507343278686905,   -0.13857109526572012,
                               9.9843695780195716e-6, 1.5056327351493116e-7};
  Expr sum = Number(build, 0.99999999999980993, x);
  Expr before = build.Sub(x, 1.0);
  for (int i = 0; i < 8; ++i) {
    sum = build.Add(sum, build.Div(Number(build, kTerms[i], x), build.Add(before, 1.0 + i)));
  }
  Expr t = build.Add(before, 7.5);
  Expr out = build.Mul(build.Add(before, 0.5), build.Log(t));
  out = build.Add(build.Sub(out, t), build.Log(sum));
  return build.Add(out, 0.5 * std::log(2 * std::numbers::pi));
}

TfOutputs ExpandLgamma(OpBuilder& build, const OpCall&, TfInputs in) {
  Expr x = AsDouble(build, in[0]);
  // Below 0.5, by reflection. The distance to the nearest integer keeps the sine exact there.
  Expr is_low = build.Less(x, 0.5);
  Expr above = LogGammaAbove(build, build.Select(is_low, build.Sub(build.Mul(x, -1.0), -1.0), x));
  Expr distance = build.Sub(x, build.Round(x));
  Expr sine = build.Abs(build.Sin(build.Mul(distance, std::numbers::pi)));
  Expr below = build.Sub(build.Log(build.Div(Number(build, std::numbers::pi, x), sine)), above);
  Expr out = build.Select(is_low, below, above);
  Expr infinite = Number(build, std::numeric_limits<double>::infinity(), x);
  return CastTo(build, build.Select(build.IsInf(x), infinite, out), DTypeAt(in, 0));
}

TfOutputs ExpandDigamma(OpBuilder& build, const OpCall&, TfInputs in) {
  Expr x = AsDouble(build, in[0]);
  Expr is_low = build.Less(x, 0.5);
  Expr y = build.Select(is_low, build.Sub(build.Mul(x, -1.0), -1.0), x);
  // Steps up to numbers of at least 10, where a series of few terms is exact.
  Expr steps = Number(build, 0, x);
  for (int i = 0; i < 10; ++i) {
    steps = build.Add(steps, build.Reciprocal(build.Add(y, static_cast<double>(i))));
  }
  Expr z = build.Add(y, 10.0);
  Expr inverse = build.Reciprocal(build.Square(z));
  constexpr double kTerms[] = {1.0 / 12,    -1.0 / 120,     1.0 / 252, -1.0 / 240,
                               1.0 / 132.0, -691.0 / 32760, 1.0 / 12};
  Expr series = Number(build, 0, x);
  for (int i = 6; i >= 0; --i) series = build.Mul(build.Add(series, kTerms[i]), inverse);
  Expr above = build.Sub(build.Log(z), build.Mul(build.Reciprocal(z), 0.5));
  above = build.Sub(build.Sub(above, series), steps);
  Expr distance = build.Sub(x, build.Round(x));
  Expr tangent = build.Tan(build.Mul(distance, std::numbers::pi));
  Expr below = build.Sub(above, build.Div(Number(build, std::numbers::pi, x), tangent));
  Expr is_pole = build.LogicalAnd(build.Equal(distance, 0.0), build.LessEqual(x, 0.0));
  Expr nan = Number(build, std::numeric_limits<double>::quiet_NaN(), x);
  Expr out = build.Select(is_low, build.Select(is_pole, nan, below), above);
  return CastTo(build, out, DTypeAt(in, 0));
}

// The inverse of the error function: an approximation, and steps of Newton's method.
Expr InverseErf(OpBuilder& build, const Expr& y) {
  constexpr double kA = 0.147;
  Expr rest = build.Log1p(build.Mul(build.Square(y), -1.0));
  Expr first = build.Add(build.Mul(rest, 0.5), 2 / (std::numbers::pi * kA));
  Expr inner = build.Sub(build.Square(first), build.Div(rest, kA));
  Expr x = build.Mul(build.Sign(y), build.Sqrt(build.Sub(build.Sqrt(inner), first)));
  for (int i = 0; i < 4; ++i) {
    Expr error = build.Sub(build.Erf(x), y);
    Expr slope =
        build.Mul(build.Exp(build.Mul(build.Square(x), -1.0)), 2 / std::sqrt(std::numbers::pi));
    Expr next = build.Sub(x, build.Div(error, slope));
    x = build.Select(build.IsFinite(next), next, x);
  }
  Expr infinite =
      build.Mul(build.Sign(y), Number(build, std::numeric_limits<double>::infinity(), y));
  Expr nan = Number(build, std::numeric_limits<double>::quiet_NaN(), y);
  Expr size = build.Abs(y);
  return build.Select(build.Less(size, 1.0), x,
                      build.Select(build.Equal(size, 1.0), infinite, nan));
}

TfOutputs ExpandErfinv(OpBuilder& build, const OpCall& call, TfInputs in) {
  Expr x = AsDouble(build, in[0]);
  if (call.op.name == "tf.Erfinv") return CastTo(build, InverseErf(build, x), DTypeAt(in, 0));
  Expr out = build.Mul(InverseErf(build, build.Sub(build.Mul(x, 2.0), 1.0)), std::sqrt(2.0));
  return CastTo(build, out, DTypeAt(in, 0));
}

TfOutputs ExpandPopulationCount(OpBuilder& build, const OpCall&, TfInputs in) {
  const size_t bytes = SizeOf(DTypeAt(in, 0));
  const DType dtype = bytes == 1   ? DType::kUInt8
                      : bytes == 2 ? DType::kUInt16
                      : bytes == 4 ? DType::kUInt32
                                   : DType::kUInt64;
  Expr x = DTypeAt(in, 0) == dtype ? build.AsExpr(in[0]) : build.Bitcast(in[0], {.dtype = dtype});
  std::vector<uint64_t> places;
  for (uint64_t i = 0; i < 8 * bytes; ++i) places.push_back(i);
  const auto count = static_cast<int64_t>(places.size());
  Expr shifts = CastTo(build, build.Constant(Tensor::Of<uint64_t>({count}, places)), dtype);
  Expr bits = build.ShiftRight(build.ExpandDims(x, {.axis = -1}), shifts);
  Expr low =
      build.BitwiseAnd(bits, CastTo(build, build.Constant(Tensor::Scalar(uint64_t{1})), dtype));
  return CastTo(build, build.ReduceSum(CastTo(build, low, DType::kInt32), {.axes = {-1}}),
                DType::kUInt8);
}

TfOutputs ExpandCross(OpBuilder& build, const OpCall&, TfInputs in) {
  auto rolled = [&](const GraphValue& x, int64_t first) {
    const int64_t order[] = {first, (first + 1) % 3, (first + 2) % 3};
    return build.Gather(x, Ints(build, order), {.axis = -1});
  };
  return build.Sub(build.Mul(rolled(in[0], 1), rolled(in[1], 2)),
                   build.Mul(rolled(in[0], 2), rolled(in[1], 1)));
}

TfOutputs ExpandDeterminant(OpBuilder& build, const OpCall&, TfInputs in) {
  return build.Det(in[0]);
}

TfOutputs ExpandSoftmaxLoss(OpBuilder& build, const OpCall& call, TfInputs in) {
  Expr logs = build.LogSoftmax(in[0], {.axis = -1});
  Expr marks = build.AsExpr(in[1]);
  if (call.op.name != "tf.SoftmaxCrossEntropyWithLogits") {
    Expr labels = build.ExpandDims(AsInt64(build, in[1]), {.axis = 1});
    Expr classes = build.Range({DimSize(build, in[0], 1)});
    SIGNET_RETURN_IF_ERROR(CheckCondition(
        build,
        build.ReduceAll(build.LogicalAnd(build.GreaterEqual(labels, 0),
                                         build.Less(labels, DimSize(build, in[0], 1)))),
        InvalidArgument("`labels`: expected the numbers of classes")));
    marks = CastTo(build, build.Equal(labels, classes), DTypeAt(in, 0));
  }
  // A class with the label 0 does not count, even if its logarithm is not finite.
  Expr terms = build.Select(build.Equal(marks, Zero(build, DTypeAt(in, 0))),
                            Zero(build, DTypeAt(in, 0)), build.Mul(logs, marks));
  Expr loss = build.Neg(build.ReduceSum(terms, {.axes = {-1}}));
  return AllOf({loss, build.Sub(build.Exp(logs), marks)});
}

TfOutputs ExpandInTopK(OpBuilder& build, const OpCall& call, TfInputs in) {
  Operand k;
  if (in.size() > 2) {
    k = AsScalar(build, AsInt64(build, in[2]));
  } else {
    SIGNET_ASSIGN_OR_RETURN(int64_t count, call.attributes.Int("k"));
    k = Int64Constant(build, count);
  }
  Expr classes = DimSize(build, in[0], 1);
  Expr targets = AsInt64(build, in[1]);
  Expr is_class = build.LogicalAnd(build.GreaterEqual(targets, 0), build.Less(targets, classes));
  Expr at =
      build.ExpandDims(build.Select(is_class, targets, build.ZerosLike(targets)), {.axis = 1});
  Expr own = build.Gather(in[0], at, {.axis = 1, .batch_dims = 1});
  // Classes with the same prediction as the target count as if they came after it.
  Expr better = AsInt64(build, build.Greater(in[0], own));
  Expr is_among = build.Less(build.ReduceSum(better, {.axes = {1}}), k);
  Expr finite = build.ReduceAll(build.IsFinite(in[0]), {.axes = {1}});
  return build.LogicalAnd(build.LogicalAnd(is_among, is_class), finite);
}

TfOutputs ExpandNthElement(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(bool reverse, call.attributes.Bool("reverse"));
  auto sorted = build.Sort(in[0], {.axis = -1, .descending = reverse});
  SIGNET_RETURN_IF_ERROR(sorted.status());
  return build.Gather((*sorted)[0], AsScalar(build, AsInt64(build, in[1])), {.axis = -1});
}

TfOutputs ExpandListDiff(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(DType index, TfDType(call, "out_idx"));
  // Both lists as numbers of distinct elements: an element of x is new if no element of y has its
  // number.
  auto found = build.Unique(build.Concat({in[0], in[1]}, {.axis = 0}), {.sorted = false});
  SIGNET_RETURN_IF_ERROR(found.status());
  Expr zero = build.AsExpr(Ints(build, std::vector<int64_t>{0}));
  Expr middle = build.Reshape(DimSize(build, in[0], 0), {.shape = {1}});
  Expr end = build.Reshape(DimSize(build, (*found)[2], 0), {.shape = {1}});
  Expr of_x = build.Slice((*found)[2], zero, middle, zero);
  Expr of_y = build.Slice((*found)[2], middle, end, zero);
  Expr counts = build.GroupSum(build.OnesLike(of_y), of_y, DimSize(build, (*found)[0], 0));
  Expr is_new = build.Equal(build.Gather(counts, of_x, {.axis = 0}), 0);
  Expr places = build.Range({DimSize(build, in[0], 0)});
  return AllOf(
      {build.BooleanMask(in[0], is_new), CastTo(build, build.BooleanMask(places, is_new), index)});
}

TfOutputs ExpandHistogram(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(DType dtype, TfDType(call, "dtype"));
  Expr values = AsDouble(build, build.Reshape(in[0], {.shape = {-1}}));
  Expr range = AsDouble(build, in[1]);
  Expr low = build.Gather(range, Int64Constant(build, 0), {.axis = 0});
  Expr high = build.Gather(range, Int64Constant(build, 1), {.axis = 0});
  Expr bins = AsScalar(build, AsInt64(build, in[2]));
  SIGNET_RETURN_IF_ERROR(CheckCondition(build, build.Less(low, high),
                                        InvalidArgument("`value_range`: expected two ascending "
                                                        "numbers")));
  Expr part = build.Div(build.Sub(values, low), build.Sub(high, low));
  Expr place = AsInt64(build, build.Floor(build.Mul(part, AsDouble(build, bins))));
  Expr bin = build.Maximum(build.Minimum(place, build.Sub(bins, 1)), 0);
  return CastTo(build, build.GroupSum(build.OnesLike(bin), bin, bins), dtype);
}

}  // namespace

std::vector<OpDef> TfSpecialOps() {
  std::vector<OpDef> ops;
  auto add = [&](const char* name, const char* summary, std::vector<std::string> inputs,
                 std::vector<AttributeDef> attributes, ExpandFn expand) {
    ops.push_back(TfOp(name, summary, std::move(inputs), std::move(attributes), expand));
  };
  for (const FunctionOp& row : kUnaryFunctions)
    add(row.name, row.summary, {"x"}, {}, ExpandFunction);
  for (const FunctionOp& row : kBinaryFunctions) {
    const std::string_view name = row.name;
    std::vector<std::string> inputs = {"a", "x"};
    if (name == "NextAfter") inputs = {"x1", "x2"};
    if (name == "Zeta") inputs = {"x", "q"};
    add(row.name, row.summary, std::move(inputs), {}, ExpandFunction);
  }
  add("Betainc", "Computes the incomplete beta function", {"a", "b", "x"}, {}, ExpandBetainc);
  const AttributeDef out_idx = {"out_idx", AttributeOf(DType::kInt32)};
  add("Lgamma", "Computes the logarithm of the gamma function", {"x"}, {}, ExpandLgamma);
  add("Digamma", "Computes the derivative of Lgamma", {"x"}, {}, ExpandDigamma);
  add("Erfinv", "Computes the inverse of the error function", {"x"}, {}, ExpandErfinv);
  add("Ndtri", "Computes quantiles of the normal distribution", {"x"}, {}, ExpandErfinv);
  add("PopulationCount", "Counts the bits that are set", {"x"}, {}, ExpandPopulationCount);
  add("Cross", "Computes the cross product of vectors in space", {"a", "b"}, {}, ExpandCross);
  add("MatrixDeterminant", "Computes determinants", {"input"}, {}, ExpandDeterminant);
  for (const char* name :
       {"SoftmaxCrossEntropyWithLogits", "SparseSoftmaxCrossEntropyWithLogits"}) {
    add(name, "Computes the loss of a classification", {"features", "labels"}, {},
        ExpandSoftmaxLoss);
  }
  add("InTopK", "Checks whether targets are among the best predictions", {"predictions", "targets"},
      {{"k"}}, ExpandInTopK);
  add("InTopKV2", "Checks whether targets are among the best predictions",
      {"predictions", "targets", "k"}, {}, ExpandInTopK);
  add("NthElement", "Finds the element at a position of the sorted rows", {"input", "n"},
      {{"reverse", AttributeOf(false)}}, ExpandNthElement);
  add("ListDiff", "Finds the elements that are not in another list", {"x", "y"}, {out_idx},
      ExpandListDiff);
  add("HistogramFixedWidth", "Counts values in ranges of one width",
      {"values", "value_range", "nbins"}, {{"dtype", AttributeOf(DType::kInt32)}}, ExpandHistogram);
  return ops;
}

}  // namespace signet
