// Operators that draw random numbers. The numbers are Signet's own: the same in every run, and
// different for each node.

#include <cmath>

#include "core/frontends/savedmodel/lower/tf_op.h"

namespace signet {
namespace {

StatusOr<GraphValue> SeedOf(OpBuilder& build, const OpCall& call) {
  int64_t seed = 0;
  for (const char* name : {"seed", "seed2"}) {
    if (!call.attributes.Has(name)) continue;
    SIGNET_ASSIGN_OR_RETURN(int64_t part, call.attributes.Int(name));
    seed =
        static_cast<int64_t>(static_cast<uint64_t>(seed) * 1'000'003 + static_cast<uint64_t>(part));
  }
  SIGNET_ASSIGN_OR_RETURN(int64_t node, call.attributes.Int("node"));
  return Int64Constant(build, seed == 0 ? node : seed);
}

Expr ShapeInput(OpBuilder& build, TfInputs in, size_t i) { return AsInt64(build, in[i]); }

// Draws numbers of float32 or float64, and converts them to `dtype`.
Expr DrawFloats(OpBuilder& build, bool is_normal, const Operand& seed, const Operand& shape,
                DType dtype) {
  const DType wide = dtype == DType::kFloat64 ? DType::kFloat64 : DType::kFloat32;
  Expr numbers = is_normal ? build.RandomNormal(seed, shape, {.dtype = wide})
                           : build.RandomUniform(seed, shape, {.dtype = wide});
  return CastTo(build, numbers, dtype);
}

TfOutputs ExpandRandom(OpBuilder& build, const OpCall& call, TfInputs in) {
  const std::string_view name = std::string_view(call.op.name).substr(3);
  SIGNET_ASSIGN_OR_RETURN(DType dtype, TfDType(call, "dtype"));
  Operand seed;
  if (name.starts_with("Stateless")) {
    // The seed of the call: two integers.
    seed = build.ReduceSum(build.Mul(
        AsInt64(build, in[1]), build.AsExpr(Ints(build, std::vector<int64_t>{1'000'003, 1}))));
  } else {
    SIGNET_ASSIGN_OR_RETURN(GraphValue made, SeedOf(build, call));
    seed = made;
  }
  Expr shape = ShapeInput(build, in, 0);
  if (name.find("Truncated") != std::string_view::npos) {
    // The inverse of the distribution function on the part within two standard deviations, as an
    // error function: both sides are found by bisection.
    Expr target = build.Mul(build.Sub(DrawFloats(build, false, seed, shape, DType::kFloat64), 0.5),
                            2 * 0.9544997361036416);
    Expr low = build.Sub(build.Mul(target, 0.0), 2.0);
    Expr high = build.Add(build.Mul(target, 0.0), 2.0);
    for (int i = 0; i < 40; ++i) {
      Expr middle = build.Mul(build.Add(low, high), 0.5);
      Expr is_less = build.Less(build.Erf(build.Mul(middle, std::sqrt(0.5))), target);
      low = build.Select(is_less, middle, low);
      high = build.Select(is_less, high, middle);
    }
    return CastTo(build, low, dtype);
  }
  const bool is_normal = name.find("Normal") != std::string_view::npos;
  return DrawFloats(build, is_normal, seed, shape, dtype);
}

TfOutputs ExpandRandomInts(OpBuilder& build, const OpCall& call, TfInputs in) {
  const bool is_stateless = call.op.name == "tf.StatelessRandomUniformInt";
  const size_t low = is_stateless ? 2 : 1;
  Operand seed;
  if (is_stateless) {
    seed = build.ReduceSum(build.Mul(
        AsInt64(build, in[1]), build.AsExpr(Ints(build, std::vector<int64_t>{1'000'003, 1}))));
  } else {
    SIGNET_ASSIGN_OR_RETURN(GraphValue made, SeedOf(build, call));
    seed = made;
  }
  const DType dtype = DTypeAt(in, low);
  Expr first = AsInt64(build, in[low]);
  Expr count = build.Sub(AsInt64(build, in[low + 1]), first);
  Expr fraction = DrawFloats(build, false, seed, ShapeInput(build, in, 0), DType::kFloat64);
  Expr steps =
      AsInt64(build, build.Floor(build.Mul(fraction, CastTo(build, count, DType::kFloat64))));
  return CastTo(build, build.Add(first, build.Minimum(steps, build.Sub(count, 1))), dtype);
}

TfOutputs ExpandMultinomial(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(GraphValue seed, SeedOf(build, call));
  SIGNET_ASSIGN_OR_RETURN(auto count, FindInts(build, call, in, 1));
  SIGNET_ASSIGN_OR_RETURN(DType dtype, TfDType(call, "output_dtype"));
  if (count.size() != 1) return InvalidArgument("`num_samples`: expected one number");
  return CastTo(build, build.RandomCategorical(seed, in[0], {.num_samples = count[0]}), dtype);
}

TfOutputs ExpandShuffle(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(GraphValue seed, SeedOf(build, call));
  return build.RandomShuffle(in[0], seed);
}

}  // namespace

std::vector<OpDef> TfRandomOps() {
  const AttributeDef seed = {"seed", AttributeOf(0)};
  const AttributeDef seed2 = {"seed2", AttributeOf(0)};
  std::vector<OpDef> ops;
  for (const char* name : {"RandomUniform", "RandomStandardNormal", "TruncatedNormal"}) {
    ops.push_back(TfOp(name, "Draws random numbers", {"shape"},
                       {{"dtype"}, seed, seed2, NodeAttribute()}, ExpandRandom));
  }
  for (const char* name :
       {"StatelessRandomUniform", "StatelessRandomNormal", "StatelessTruncatedNormal"}) {
    ops.push_back(TfOp(name, "Draws random numbers", {"shape", "seed"},
                       {{"dtype", AttributeOf(DType::kFloat32)}}, ExpandRandom));
  }
  ops.push_back(TfOp("RandomUniformInt", "Draws random integers", {"shape", "minval", "maxval"},
                     {seed, seed2, NodeAttribute()}, ExpandRandomInts));
  ops.push_back(TfOp("StatelessRandomUniformInt", "Draws random integers",
                     {"shape", "seed", "minval", "maxval"}, {}, ExpandRandomInts));
  ops.push_back(TfOp("Multinomial", "Draws positions by their logits", {"logits", "num_samples"},
                     {seed, seed2, {"output_dtype", AttributeOf(DType::kInt64)}, NodeAttribute()},
                     ExpandMultinomial));
  ops.push_back(TfOp("RandomShuffle", "Shuffles rows", {"value"}, {seed, seed2, NodeAttribute()},
                     ExpandShuffle));
  return ops;
}

}  // namespace signet
