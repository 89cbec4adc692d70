// Operators that compute each element of the result from elements at the same position.

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/frontends/savedmodel/lower/tf_op.h"

namespace signet {
namespace {

// An operator that is an op with the same inputs.
struct SameOp {
  const char* name;
  const char* op;
};

constexpr SameOp kUnary[] = {{"Abs", "abs"},
                             {"Neg", "neg"},
                             {"Square", "square"},
                             {"Sqrt", "sqrt"},
                             {"Rsqrt", "rsqrt"},
                             {"Reciprocal", "reciprocal"},
                             {"Inv", "reciprocal"},
                             {"Exp", "exp"},
                             {"Expm1", "expm1"},
                             {"Log", "log"},
                             {"Log1p", "log1p"},
                             {"Erf", "erf"},
                             {"Sin", "sin"},
                             {"Cos", "cos"},
                             {"Tan", "tan"},
                             {"Asin", "asin"},
                             {"Acos", "acos"},
                             {"Atan", "atan"},
                             {"Sinh", "sinh"},
                             {"Cosh", "cosh"},
                             {"Tanh", "tanh"},
                             {"Asinh", "asinh"},
                             {"Acosh", "acosh"},
                             {"Atanh", "atanh"},
                             {"Floor", "floor"},
                             {"Ceil", "ceil"},
                             {"IsNan", "is_nan"},
                             {"IsInf", "is_inf"},
                             {"IsFinite", "is_finite"},
                             {"LogicalNot", "logical_not"},
                             {"Sigmoid", "sigmoid"},
                             {"Softplus", "softplus"},
                             {"Relu", "relu"},
                             {"ComplexAbs", "abs"}};

constexpr SameOp kBinary[] = {{"AddV2", "add"},
                              {"Sub", "sub"},
                              {"Mul", "mul"},
                              {"FloorDiv", "floordiv"},
                              {"FloorMod", "mod"},
                              {"Maximum", "maximum"},
                              {"Minimum", "minimum"},
                              {"Less", "less"},
                              {"LessEqual", "less_equal"},
                              {"Greater", "greater"},
                              {"GreaterEqual", "greater_equal"},
                              {"LogicalAnd", "logical_and"},
                              {"LogicalOr", "logical_or"},
                              {"BitwiseAnd", "bitwise_and"},
                              {"BitwiseOr", "bitwise_or"},
                              {"BitwiseXor", "bitwise_xor"},
                              {"LeftShift", "shift_left"},
                              {"RightShift", "shift_right"}};

TfOutputs ExpandSame(OpBuilder& build, const OpCall& call, TfInputs in) {
  const std::string_view name = std::string_view(call.op.name).substr(3);
  for (auto table : {std::span<const SameOp>(kUnary), std::span<const SameOp>(kBinary)}) {
    for (const SameOp& row : table) {
      if (name == row.name) return build.Call(std::string_view(row.op), in, {});
    }
  }
  return Internal("no op for ", name);
}

bool IsSignedInteger(DType dtype) { return InfoOf(dtype).family == DTypeClass::kSignedInteger; }

TfOutputs ExpandAdd(OpBuilder& build, const OpCall&, TfInputs in) {
  if (DTypeAt(in, 0) == DType::kString) return build.StringConcat(in[0], in[1]);
  return build.Add(in[0], in[1]);
}

TfOutputs ExpandAddN(OpBuilder& build, const OpCall&, TfInputs in) {
  if (in.empty()) return InvalidArgument("expected at least one input");
  Operand sum = in[0];
  for (size_t i = 1; i < in.size(); ++i) sum = build.Add(sum, in[i]);
  return sum;
}

// Integer division toward zero.
Expr TruncatedQuotient(OpBuilder& build, const Operand& x, const Operand& y) {
  Expr remainder = build.Mod(x, y, {.truncated = true});
  return build.Floordiv(build.Sub(x, remainder), y);
}

TfOutputs ExpandDiv(OpBuilder& build, const OpCall&, TfInputs in) {
  const DType dtype = DTypeAt(in, 0);
  if (IsInteger(dtype)) return TruncatedQuotient(build, in[0], in[1]);
  return build.Div(in[0], in[1]);
}

// Returns `value` where `test` is not zero, and 0 elsewhere.
Expr UnlessZero(OpBuilder& build, const Operand& test, const Operand& value) {
  Expr zero = Zero(build, TensorDType(test));
  return build.Select(build.Equal(test, zero), zero, value);
}

TfOutputs ExpandUnlessZero(OpBuilder& build, const OpCall& call, TfInputs in) {
  const std::string_view name = std::string_view(call.op.name).substr(3);
  if (name == "DivNoNan") return UnlessZero(build, in[1], build.Div(in[0], in[1]));
  if (name == "MulNoNan") return UnlessZero(build, in[1], build.Mul(in[0], in[1]));
  if (name == "Xdivy") return UnlessZero(build, in[0], build.Div(in[0], in[1]));
  if (name == "Xlogy") return UnlessZero(build, in[0], build.Mul(in[0], build.Log(in[1])));
  return UnlessZero(build, in[0], build.Mul(in[0], build.Log1p(in[1])));
}

TfOutputs ExpandSquaredDifference(OpBuilder& build, const OpCall&, TfInputs in) {
  Expr difference = build.Sub(in[0], in[1]);
  if (!IsComplex(DTypeAt(in, 0))) return build.Square(difference);
  // The difference times its conjugate.
  const ComplexParts parts = ComplexPartsOf(build, difference);
  Expr size = build.Add(build.Square(parts.real), build.Square(parts.imaginary));
  return ComplexOf(build, {size, build.ZerosLike(size)});
}

TfOutputs ExpandTruncateMod(OpBuilder& build, const OpCall&, TfInputs in) {
  return build.Mod(in[0], in[1], {.truncated = true});
}

TfOutputs ExpandPow(OpBuilder& build, const OpCall&, TfInputs in) {
  if (IsInteger(DTypeAt(in, 1)) && IsSignedInteger(DTypeAt(in, 1))) {
    Expr zero = Zero(build, DTypeAt(in, 1));
    SIGNET_RETURN_IF_ERROR(
        CheckCondition(build, build.ReduceAll(build.GreaterEqual(in[1], zero)),
                       InvalidArgument("expected exponents of at least 0 for integers")));
  }
  return build.Pow(in[0], in[1]);
}

TfOutputs ExpandSign(OpBuilder& build, const OpCall&, TfInputs in) {
  if (!IsComplex(DTypeAt(in, 0))) return build.Sign(in[0]);
  // A complex number is divided by its size.
  const ComplexParts parts = ComplexPartsOf(build, in[0]);
  Expr size = build.Abs(in[0]);
  Expr divisor =
      build.Select(build.Equal(size, Number(build, 0, size)), Number(build, 1, size), size);
  return ComplexOf(build, {build.Div(parts.real, divisor), build.Div(parts.imaginary, divisor)});
}

TfOutputs ExpandErfc(OpBuilder& build, const OpCall&, TfInputs in) {
  // For large x, 1 - erf(x) has no correct digits: a continued fraction is used there.
  const DType dtype = DTypeAt(in, 0);
  Expr x = AsWideFloat(build, in[0]);
  auto number = [&](double value) { return Number(build, value, x); };
  Expr magnitude = build.Maximum(build.Abs(x), number(1));
  Expr fraction = magnitude;
  for (int k = 40; k >= 1; --k) {
    fraction = build.Add(magnitude, build.Div(number(k / 2.0), fraction));
  }
  Expr tail = build.Div(
      build.Mul(build.Exp(build.Neg(build.Square(magnitude))), number(std::numbers::inv_sqrtpi)),
      fraction);
  Expr near = build.Sub(number(1), build.Erf(x));
  Expr far = build.Select(build.Less(x, number(0)), build.Sub(number(2), tail), tail);
  return CastTo(build, build.Select(build.Less(build.Abs(x), number(1)), near, far), dtype);
}

Expr Angle(OpBuilder& build, const Expr& y, const Expr& x) {
  auto number = [&](double value) { return Number(build, value, y); };
  Expr zero = number(0);
  // The sign bit, which -0 has too: 1 / -0 is less than 0.
  auto is_negative = [&](const Expr& v) {
    return build.LogicalOr(
        build.Less(v, zero),
        build.LogicalAnd(build.Equal(v, zero), build.Less(build.Reciprocal(v), zero)));
  };
  Expr size_x = build.Abs(x);
  Expr size_y = build.Abs(y);
  Expr both_infinite = build.LogicalAnd(build.IsInf(x), build.IsInf(y));
  Expr both_zero = build.LogicalAnd(build.Equal(size_x, zero), build.Equal(size_y, zero));
  Expr ratio = build.Div(size_y, size_x);
  ratio = build.Select(both_infinite, number(1), build.Select(both_zero, zero, ratio));
  Expr angle = build.Atan(ratio);
  angle = build.Select(is_negative(x), build.Sub(number(std::numbers::pi), angle), angle);
  Expr out = build.Select(is_negative(y), build.Neg(angle), angle);
  Expr is_nan = build.LogicalOr(build.IsNan(x), build.IsNan(y));
  return build.Select(is_nan, build.Add(x, y), out);
}

TfOutputs ExpandAtan2(OpBuilder& build, const OpCall&, TfInputs in) {
  return Angle(build, build.AsExpr(in[0]), build.AsExpr(in[1]));
}

TfOutputs ExpandRound(OpBuilder& build, const OpCall&, TfInputs in) {
  if (!IsFloat(DTypeAt(in, 0))) return build.Identity(in[0]);
  return build.Round(in[0]);
}

Expr CompareEqual(OpBuilder& build, bool is_equal, const Operand& x, const Operand& y) {
  return is_equal ? build.Equal(x, y) : build.NotEqual(x, y);
}

// Equal and NotEqual: shapes that do not broadcast differ, unless that is an error.
TfOutputs ExpandEqual(OpBuilder& build, const OpCall& call, TfInputs in) {
  const bool is_equal = call.op.name == "tf.Equal";
  SIGNET_ASSIGN_OR_RETURN(bool fails, call.attributes.Bool("incompatible_shape_error"));
  const PartialShape& left = *in[0].spec.shape();
  const PartialShape& right = *in[1].spec.shape();
  auto shape = BroadcastShapes(left, right);
  if (!fails && !shape.ok()) return OneOutput(build.Constant(Tensor::Scalar(!is_equal)));
  if (fails || !left.has_rank() || !right.has_rank()) {
    return CompareEqual(build, is_equal, in[0], in[1]);
  }
  // Sizes that are known only at a call, and may not broadcast then.
  Operand fits;
  Operand x = in[0];
  Operand y = in[1];
  const int rank = std::min(left.rank(), right.rank());
  for (int i = 1; i <= rank; ++i) {
    const int64_t a = left.dim(left.rank() - i);
    const int64_t b = right.dim(right.rank() - i);
    if (a == 1 || b == 1 || (a == b && a != kUnknownDim)) continue;
    Expr own = DimSize(build, in[0], left.rank() - i);
    Expr other = DimSize(build, in[1], right.rank() - i);
    Expr same = build.LogicalOr(build.Equal(own, other),
                                build.LogicalOr(build.Equal(own, 1), build.Equal(other, 1)));
    fits = fits.passed() ? build.LogicalAnd(fits, same) : same;
  }
  if (!fits.passed()) return CompareEqual(build, is_equal, x, y);
  // If they do not, each of these dimensions is cut to one element, and no element is equal.
  auto cut = [&](const Operand& value, const PartialShape& own, const PartialShape& other) {
    Expr out = build.AsExpr(value);
    for (int i = 1; i <= rank; ++i) {
      const int axis = own.rank() - i;
      const int64_t a = own.dim(axis);
      const int64_t b = other.dim(other.rank() - i);
      if (a == 1 || b == 1 || (a == b && a != kUnknownDim)) continue;
      Expr whole = DimSize(build, value, axis);
      Expr limit = build.Select(fits, whole, build.Minimum(whole, 1));
      Expr zero = build.AsExpr(Ints(build, std::vector<int64_t>{0}));
      out = build.Slice(out, zero, build.Reshape(limit, {.shape = {1}}),
                        Ints(build, std::vector<int64_t>{axis}));
    }
    return out;
  };
  Expr equal = build.LogicalAnd(build.Equal(cut(x, left, right), cut(y, right, left)), fits);
  return is_equal ? equal : build.LogicalNot(equal);
}

TfOutputs ExpandApproximateEqual(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(double tolerance, call.attributes.Float("tolerance"));
  return build.Less(build.Abs(build.Sub(in[0], in[1])), Number(build, tolerance, in[0]));
}

TfOutputs ExpandInvert(OpBuilder& build, const OpCall&, TfInputs in) {
  const DType dtype = DTypeAt(in, 0);
  Expr ones = IsSignedInteger(dtype) ? Number(build, -1, dtype)
                                     : build.Sub(Number(build, 0, dtype), Number(build, 1, dtype));
  return build.BitwiseXor(in[0], ones);
}

TfOutputs ExpandActivation(OpBuilder& build, const OpCall& call, TfInputs in) {
  const std::string_view name = std::string_view(call.op.name).substr(3);
  auto number = [&](double value) { return Number(build, value, in[0]); };
  Expr x = build.AsExpr(in[0]);
  Expr zero = number(0);
  if (name == "Relu6") return build.Clip(x, zero, number(6));
  if (name == "LeakyRelu") {
    SIGNET_ASSIGN_OR_RETURN(double alpha, call.attributes.Float("alpha"));
    return build.Select(build.Greater(x, zero), x, build.Mul(x, number(alpha)));
  }
  if (name == "Softsign") return build.Div(x, build.Add(build.Abs(x), number(1)));
  // Expm1 of numbers above 0 is not used and may overflow.
  Expr low = build.Expm1(build.Minimum(x, zero));
  if (name == "Elu") return build.Select(build.Less(x, zero), low, x);
  constexpr double kScale = 1.0507009873554805;
  constexpr double kAlpha = 1.6732632423543772;
  return build.Select(build.Less(x, zero), build.Mul(low, number(kScale * kAlpha)),
                      build.Mul(x, number(kScale)));
}

TfOutputs ExpandSoftmax(OpBuilder& build, const OpCall& call, TfInputs in) {
  if (call.op.name == "tf.Softmax") return build.Softmax(in[0], {.axis = -1});
  return build.LogSoftmax(in[0], {.axis = -1});
}

TfOutputs ExpandCast(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(DType to, TfDType(call, "DstT"));
  const DType from = DTypeAt(in, 0);
  if (from == to) return build.Identity(in[0]);
  if (to == DType::kBool) return build.NotEqual(in[0], Zero(build, from));
  return build.Cast(in[0], {.dtype = to});
}

TfOutputs ExpandClip(OpBuilder& build, const OpCall&, TfInputs in) {
  return build.Minimum(build.Maximum(in[0], in[1]), in[2]);
}

// The unsigned integers with `bytes` bytes.
DType UnsignedOf(size_t bytes) {
  return bytes == 1   ? DType::kUInt8
         : bytes == 2 ? DType::kUInt16
         : bytes == 4 ? DType::kUInt32
                      : DType::kUInt64;
}

Expr BitcastTo(OpBuilder& build, const Operand& x, DType dtype) {
  return TensorDType(x) == dtype ? build.AsExpr(x) : build.Bitcast(x, {.dtype = dtype});
}

// Bits of elements of another size: narrower ones are a new last dimension, the lowest bits first,
// and wider ones take the last dimension.
TfOutputs ExpandBitcast(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(DType to, TfDType(call, "type"));
  const DType from = DTypeAt(in, 0);
  const size_t own = SizeOf(from);
  const size_t wanted = SizeOf(to);
  const bool has_bits =
      from != DType::kString && to != DType::kString && from != DType::kBool && to != DType::kBool;
  if (!has_bits || (own != wanted && (IsComplex(from) || IsComplex(to)))) {
    return Unimplemented("unsupported Bitcast from `", NameOf(from), "` to `", NameOf(to), "`");
  }
  if (own == wanted) return BitcastTo(build, in[0], to);
  const auto bits = static_cast<int64_t>(8 * std::min(own, wanted));
  const auto count = static_cast<int64_t>(std::max(own, wanted) / std::min(own, wanted));
  const DType narrow = UnsignedOf(std::min(own, wanted));
  const DType wide = UnsignedOf(std::max(own, wanted));
  std::vector<uint64_t> by;
  for (int64_t i = 0; i < count; ++i) by.push_back(static_cast<uint64_t>(i * bits));
  Expr shifts = CastTo(build, build.Constant(Tensor::Of<uint64_t>({count}, by)), wide);
  if (own > wanted) {
    Expr x = build.ExpandDims(BitcastTo(build, in[0], wide), {.axis = -1});
    return BitcastTo(build, CastTo(build, build.ShiftRight(x, shifts), narrow), to);
  }
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(in, 0));
  const int64_t last = rank == 0 ? 0 : KnownSize(in[0], rank - 1);
  if (last != count && last != kUnknownDim) {
    return InvalidArgument("expected ", count, " elements in the last dimension, found `",
                           in[0].spec, "`");
  }
  SIGNET_RETURN_IF_ERROR(CheckCondition(
      build, build.Equal(DimSize(build, in[0], rank - 1), Int64Constant(build, count)),
      InvalidArgument("expected ", count, " elements in the last dimension")));
  Expr x = CastTo(build, BitcastTo(build, in[0], narrow), wide);
  // The parts have no bits in common, so their sum has the bits of all.
  return BitcastTo(build, build.ReduceSum(build.ShiftLeft(x, shifts), {.axes = {-1}}), to);
}

// Checks that all numbers are finite.
TfOutputs ExpandCheckNumerics(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(std::string message, call.attributes.String("message"));
  SIGNET_RETURN_IF_ERROR(
      CheckCondition(build, build.ReduceAll(build.IsFinite(in[0])),
                     InvalidArgument(Printable(message), message.empty() ? "" : ": ",
                                     "expected finite numbers, found NaN or an infinity")));
  return build.Identity(in[0]);
}

TfOutputs ExpandLike(OpBuilder& build, const OpCall& call, TfInputs in) {
  if (call.op.name == "tf.OnesLike") return build.OnesLike(in[0]);
  if (DTypeAt(in, 0) != DType::kString) return build.ZerosLike(in[0]);
  return build.BroadcastTo(Zero(build, DType::kString),
                           build.Shape(in[0], {.dtype = DType::kInt64}));
}

TfOutputs ExpandIdentity(OpBuilder& build, const OpCall&, TfInputs in) {
  return build.Identity(in[0]);
}

// A value as a condition: a number other than 0, a text that is not empty, or a tensor with
// elements.
TfOutputs ExpandToBool(OpBuilder& build, const OpCall&, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(in, 0));
  const DType dtype = DTypeAt(in, 0);
  if (rank != 0) return build.Greater(build.Size(in[0], {.dtype = DType::kInt64}), 0);
  if (dtype == DType::kBool) return build.Identity(in[0]);
  return build.NotEqual(in[0], Zero(build, dtype));
}

TfOutputs ExpandEnsureShape(OpBuilder& build, const OpCall& call, TfInputs in) {
  if (IsNone(call.attributes, "shape")) return build.Identity(in[0]);
  SIGNET_ASSIGN_OR_RETURN(auto dims, call.attributes.Ints("shape"));
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorAt(in, 0));
  if (!x->shape().has_rank()) {
    // Compares the sizes at run time. The result has a known rank.
    Expr shape = build.DynamicShape(in[0]);
    SIGNET_ASSIGN_OR_RETURN(GraphValue found, DimSize(build, shape, 0));
    SIGNET_RETURN_IF_ERROR(CheckSameSize(build, found,
                                         Int64Constant(build, static_cast<int64_t>(dims.size())),
                                         InvalidArgument("expected rank ", dims.size())));
    std::vector<Operand> sizes;
    for (size_t axis = 0; axis < dims.size(); ++axis) {
      Expr size = build.Gather(shape, Int64Constant(build, static_cast<int64_t>(axis)));
      sizes.push_back(dims[axis] < 0 ? size : build.AsExpr(Int64Constant(build, dims[axis])));
      if (dims[axis] < 0) continue;
      SIGNET_RETURN_IF_ERROR(
          CheckCondition(build, build.Equal(size, dims[axis]),
                         InvalidArgument("expected size ", dims[axis], " of dimension ", axis)));
    }
    return ReshapeTo(build, in[0], sizes);
  }
  const int rank = x->shape().rank();
  if (static_cast<size_t>(rank) != dims.size()) {
    return InvalidArgument("expected rank ", dims.size(), ", found `", in[0].spec, "`");
  }
  for (int axis = 0; axis < rank; ++axis) {
    const int64_t size = dims[static_cast<size_t>(axis)];
    if (size < 0) continue;
    SIGNET_RETURN_IF_ERROR(
        CheckCondition(build, build.Equal(DimSize(build, in[0], axis), Int64Constant(build, size)),
                       InvalidArgument("expected size ", size, " of dimension ", axis)));
  }
  return build.Identity(in[0]);
}

TfOutputs ExpandComplexPart(OpBuilder& build, const OpCall& call, TfInputs in) {
  const std::string_view name = std::string_view(call.op.name).substr(3);
  const DType dtype = DTypeAt(in, 0);
  if (!IsComplex(dtype)) {
    if (name == "Real" || name == "Conj") return build.Identity(in[0]);
    if (name == "Imag") return build.ZerosLike(in[0]);
    return build.Select(build.Less(in[0], Zero(build, dtype)),
                        Number(build, std::numbers::pi, dtype), Number(build, 0, dtype));
  }
  const ComplexParts parts = ComplexPartsOf(build, in[0]);
  if (name == "Real") return parts.real;
  if (name == "Imag") return parts.imaginary;
  if (name == "Angle") return Angle(build, parts.imaginary, parts.real);
  return ComplexOf(build, {parts.real, build.Neg(parts.imaginary)});
}

TfOutputs ExpandComplex(OpBuilder& build, const OpCall&, TfInputs in) {
  return ComplexOf(build, {build.AsExpr(in[0]), build.AsExpr(in[1])});
}

}  // namespace

std::vector<OpDef> TfMathOps() {
  std::vector<OpDef> ops;
  for (const SameOp& row : kUnary) {
    ops.push_back(TfOp(row.name, "Computes each element from one element", {"x"}, {}, ExpandSame));
  }
  for (const SameOp& row : kBinary) {
    ops.push_back(
        TfOp(row.name, "Computes each element from two elements", {"x", "y"}, {}, ExpandSame));
  }
  auto add = [&](const char* name, const char* summary, std::vector<std::string> inputs,
                 std::vector<AttributeDef> attributes, ExpandFn expand) {
    ops.push_back(TfOp(name, summary, std::move(inputs), std::move(attributes), expand));
  };
  add("Add", "Adds numbers, or joins texts", {"x", "y"}, {}, ExpandAdd);
  add("AddN", "Adds tensors of one shape", {"inputs..."}, {}, ExpandAddN);
  add("AccumulateNV2", "Adds tensors of one shape", {"inputs..."}, {}, ExpandAddN);
  for (const char* name : {"RealDiv", "Div", "TruncateDiv"}) {
    add(name, "Divides; integers toward zero", {"x", "y"}, {}, ExpandDiv);
  }
  for (const char* name : {"DivNoNan", "MulNoNan", "Xdivy", "Xlogy", "Xlog1py"}) {
    add(name, "Computes a value that is 0 where one input is 0", {"x", "y"}, {}, ExpandUnlessZero);
  }
  add("SquaredDifference", "Squares the difference", {"x", "y"}, {}, ExpandSquaredDifference);
  add("Mod", "Computes the remainder with the sign of x", {"x", "y"}, {}, ExpandTruncateMod);
  add("TruncateMod", "Computes the remainder with the sign of x", {"x", "y"}, {},
      ExpandTruncateMod);
  add("Sign", "Computes each element from one element", {"x"}, {}, ExpandSign);
  add("Pow", "Raises to a power", {"x", "y"}, {}, ExpandPow);
  add("Erfc", "Computes the complementary error function", {"x"}, {}, ExpandErfc);
  add("Atan2", "Computes the angle of a point", {"y", "x"}, {}, ExpandAtan2);
  add("Round", "Rounds to the nearest integer, halves to even", {"x"}, {}, ExpandRound);
  add("Rint", "Rounds to the nearest integer, halves to even", {"x"}, {}, ExpandRound);
  for (const char* name : {"Equal", "NotEqual"}) {
    add(name, "Compares elements", {"x", "y"}, {{"incompatible_shape_error", AttributeOf(true)}},
        ExpandEqual);
  }
  add("ApproximateEqual", "Compares elements with a tolerance", {"x", "y"},
      {{"tolerance", AttributeOf(1e-5)}}, ExpandApproximateEqual);
  add("Invert", "Inverts bits", {"x"}, {}, ExpandInvert);
  for (const char* name : {"Relu6", "Elu", "Selu", "Softsign"}) {
    add(name, "Computes an activation", {"features"}, {}, ExpandActivation);
  }
  add("LeakyRelu", "Computes an activation", {"features"}, {{"alpha", AttributeOf(0.2)}},
      ExpandActivation);
  add("Softmax", "Computes the softmax of the last dimension", {"logits"}, {}, ExpandSoftmax);
  add("LogSoftmax", "Computes the logarithm of the softmax", {"logits"}, {}, ExpandSoftmax);
  add("Cast", "Changes the dtype", {"x"}, {{"DstT"}, {"Truncate", AttributeOf(false)}}, ExpandCast);
  add("ClipByValue", "Limits elements to a range", {"t", "clip_value_min", "clip_value_max"}, {},
      ExpandClip);
  add("Bitcast", "Interprets bits as another dtype", {"input"}, {{"type"}}, ExpandBitcast);
  for (const char* name : {"CheckNumerics", "CheckNumericsV2"}) {
    add(name, "Rejects numbers that are not finite", {"tensor"}, {{"message", AttributeOf("")}},
        ExpandCheckNumerics);
  }
  add("ZerosLike", "Creates zeros in the shape of a value", {"x"}, {}, ExpandLike);
  add("OnesLike", "Creates ones in the shape of a value", {"x"}, {}, ExpandLike);
  add("Identity", "Returns its input", {"input"}, {}, ExpandIdentity);
  add("ToBool", "Converts a value to a condition", {"x"}, {}, ExpandToBool);
  add("EnsureShape", "Checks a shape", {"input"}, {{"shape"}}, ExpandEnsureShape);
  for (const char* name : {"Real", "Imag", "Conj", "Angle"}) {
    add(name, "Returns a part of complex numbers", {"input"}, {}, ExpandComplexPart);
  }
  add("Complex", "Creates complex numbers", {"real", "imag"}, {}, ExpandComplex);
  return ops;
}

}  // namespace signet
