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

// The seed of a stateless operator, from two integers, or from the key and the counter of a
// generator.
Expr GivenSeed(OpBuilder& build, TfInputs in, bool has_key) {
  auto number = [&](const GraphValue& x) {
    return DTypeAt({&x, 1}, 0) == DType::kUInt64 ? build.Bitcast(x, {.dtype = DType::kInt64})
                                                 : AsInt64(build, x);
  };
  if (has_key) {
    return build.Add(build.ReduceSum(number(in[1])), build.ReduceSum(number(in[2])));
  }
  return build.ReduceSum(
      build.Mul(number(in[1]), build.AsExpr(Ints(build, std::vector<int64_t>{1'000'003, 1}))));
}

// The key and the counter that a seed of two integers stands for, and the number of an algorithm.
TfOutputs ExpandKeyCounter(OpBuilder& build, const OpCall& call, TfInputs in) {
  std::vector<Operand> out;
  if (call.op.name != "tf.StatelessRandomGetAlg") {
    Expr seed = build.Bitcast(AsInt64(build, in[0]), {.dtype = DType::kUInt64});
    Expr first = build.Slice(seed, {.starts = {0}, .limits = {1}, .axes = {0}});
    Expr second = build.Slice(seed, {.starts = {1}, .limits = {2}, .axes = {0}});
    out.push_back(first);
    out.push_back(build.Concat({build.ZerosLike(second), second}, {.axis = 0}));
  }
  if (call.op.name.ends_with("Alg")) out.push_back(build.Constant(Tensor::Scalar(int32_t{1})));
  return AllOf(Operands(out));
}

// Returns the seed that the inputs of a stateless operator state, or else that of the call.
StatusOr<GraphValue> SeedFor(OpBuilder& build, const OpCall& call, TfInputs in) {
  if (!call.op.name.starts_with("tf.Stateless")) return SeedOf(build, call);
  return GivenSeed(build, in, call.op.name.ends_with("V2"));
}

TfOutputs ExpandRandom(OpBuilder& build, const OpCall& call, TfInputs in) {
  const std::string_view name = std::string_view(call.op.name).substr(3);
  SIGNET_ASSIGN_OR_RETURN(DType dtype, TfDType(call, "dtype"));
  SIGNET_ASSIGN_OR_RETURN(GraphValue seed, SeedFor(build, call, in));
  // A generator of random numbers and an algorithm precede the shape.
  Expr shape = ShapeInput(build, in, name.starts_with("Stateful") ? 2 : 0);
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
  const bool is_stateless = call.op.name.starts_with("tf.Stateless");
  const bool has_key = call.op.name.ends_with("V2");
  const bool has_state = call.op.name == "tf.StatefulUniformInt";
  const size_t low = has_key ? 4 : has_state ? 3 : is_stateless ? 2 : 1;
  Operand seed;
  if (is_stateless) {
    seed = GivenSeed(build, in, has_key);
  } else {
    SIGNET_ASSIGN_OR_RETURN(GraphValue made, SeedOf(build, call));
    seed = made;
  }
  const DType dtype = DTypeAt(in, low);
  Expr first = AsInt64(build, in[low]);
  Expr count = build.Sub(AsInt64(build, in[low + 1]), first);
  Expr fraction =
      DrawFloats(build, false, seed, ShapeInput(build, in, has_state ? 2 : 0), DType::kFloat64);
  Expr steps =
      AsInt64(build, build.Floor(build.Mul(fraction, CastTo(build, count, DType::kFloat64))));
  return CastTo(build, build.Add(first, build.Minimum(steps, build.Sub(count, 1))), dtype);
}

// Draws integers of all bits.
TfOutputs ExpandRandomBits(OpBuilder& build, const OpCall& call, TfInputs in) {
  const std::string_view name = std::string_view(call.op.name).substr(3);
  SIGNET_ASSIGN_OR_RETURN(DType dtype, TfDType(call, "dtype"));
  if (!IsInteger(dtype)) return Unimplemented("unsupported `dtype` `", NameOf(dtype), "`");
  SIGNET_ASSIGN_OR_RETURN(GraphValue seed, SeedFor(build, call, in));
  // Two draws of 32 bits.
  Expr shape = ShapeInput(build, in, name.starts_with("Stateful") ? 2 : 0);
  auto half = [&](const Operand& own_seed) {
    Expr fraction = DrawFloats(build, false, own_seed, shape, DType::kFloat64);
    return AsInt64(build, build.Floor(build.Mul(fraction, 4294967296.0)));
  };
  Expr high = build.Mul(half(seed), build.AsExpr(Int64Constant(build, int64_t{1} << 32)));
  return CastTo(build, build.Add(high, half(build.Add(seed, 1))), dtype);
}

// The state of a generator, which a function of a served model does not change.
TfOutputs ExpandReadState(OpBuilder& build, const OpCall&, TfInputs in) {
  return build.Identity(in[0]);
}

TfOutputs ExpandMultinomial(OpBuilder& build, const OpCall& call, TfInputs in) {
  Operand seed;
  if (call.op.name == "tf.StatelessMultinomial") {
    seed = GivenSeed(build, in.subspan(1), /*has_key=*/false);
  } else {
    SIGNET_ASSIGN_OR_RETURN(GraphValue made, SeedOf(build, call));
    seed = made;
  }
  SIGNET_ASSIGN_OR_RETURN(auto count, FindInts(build, call, in, 1));
  SIGNET_ASSIGN_OR_RETURN(DType dtype, TfDType(call, "output_dtype"));
  if (count.size() != 1) return InvalidArgument("`num_samples`: expected one number");
  return CastTo(build, build.RandomCategorical(seed, in[0], {.num_samples = count[0]}), dtype);
}

TfOutputs ExpandShuffle(OpBuilder& build, const OpCall& call, TfInputs in) {
  if (call.op.name == "tf.StatelessShuffle") {
    return build.RandomShuffle(in[0], GivenSeed(build, in, /*has_key=*/true));
  }
  SIGNET_ASSIGN_OR_RETURN(GraphValue seed, SeedOf(build, call));
  return build.RandomShuffle(in[0], seed);
}

// Draws numbers for each element of a parameter of a distribution. The shape in input 0 precedes
// the dimensions of the parameter, or is the whole shape for operators with a given seed.
TfOutputs ExpandOfParameter(OpBuilder& build, const OpCall& call, TfInputs in) {
  const std::string_view name = std::string_view(call.op.name).substr(3);
  const bool is_gamma = name.find("Gamma") != std::string_view::npos;
  const bool is_stateless = name.starts_with("Stateless");
  const GraphValue& parameter = in[is_stateless ? in.size() - 1 : 1];
  DType dtype = TensorDType(Operand(parameter));
  const bool is_narrow = is_gamma && dtype == DType::kFloat32;
  const DType wide = is_narrow ? DType::kFloat32 : DType::kFloat64;
  if (!is_gamma) {
    SIGNET_ASSIGN_OR_RETURN(dtype, TfDType(call, "dtype"));
  }
  Operand seed;
  Expr shape = ShapeInput(build, in, 0);
  if (is_stateless) {
    seed = GivenSeed(build, in, name == "StatelessRandomGammaV3");
  } else {
    SIGNET_ASSIGN_OR_RETURN(GraphValue made, SeedOf(build, call));
    seed = made;
    SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(in, 1));
    shape = build.Concat({shape, DimSizes(build, parameter, 0, rank)}, {.axis = 0});
  }
  Expr parameters = build.BroadcastTo(CastTo(build, parameter, wide), shape);
  Expr numbers =
      is_gamma ? build.RandomGamma(seed, parameters) : build.RandomPoisson(seed, parameters);
  return CastTo(build, numbers, dtype);
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
  const AttributeDef dtype = {"dtype", AttributeOf(DType::kFloat32)};
  const std::vector<std::string> keyed = {"shape", "key", "counter", "alg"};
  for (const char* name :
       {"StatelessRandomUniformV2", "StatelessRandomNormalV2", "StatelessTruncatedNormalV2"}) {
    ops.push_back(TfOp(name, "Draws random numbers", keyed, {dtype}, ExpandRandom));
  }
  ops.push_back(TfOp("StatelessRandomUniformIntV2", "Draws random integers",
                     {"shape", "key", "counter", "alg", "minval", "maxval"}, {}, ExpandRandomInts));
  ops.push_back(TfOp("StatelessMultinomial", "Draws positions by their logits",
                     {"logits", "num_samples", "seed"},
                     {{"output_dtype", AttributeOf(DType::kInt64)}}, ExpandMultinomial));
  ops.push_back(TfOp("StatelessShuffle", "Shuffles rows", {"value", "key", "counter", "alg"}, {},
                     ExpandShuffle));
  for (const char* name :
       {"StatefulUniform", "StatefulStandardNormalV2", "StatefulTruncatedNormal"}) {
    ops.push_back(TfOp(name, "Draws random numbers", {"resource", "algorithm", "shape"},
                       {dtype, NodeAttribute()}, ExpandRandom));
  }
  ops.push_back(TfOp("StatefulUniformInt", "Draws random integers",
                     {"resource", "algorithm", "shape", "minval", "maxval"}, {NodeAttribute()},
                     ExpandRandomInts));
  ops.push_back(TfOp("RngReadAndSkip", "Returns the state of a generator of random numbers",
                     {"resource", "alg", "delta"}, {}, ExpandReadState));
  const char* generator = "Returns the parts of a generator of random numbers";
  ops.push_back(TfOp("StatelessRandomGetKeyCounter", generator, {"seed"}, {}, ExpandKeyCounter));
  ops.push_back(TfOp("StatelessRandomGetKeyCounterAlg", generator, {"seed"}, {}, ExpandKeyCounter));
  ops.push_back(TfOp("StatelessRandomGetAlg", generator, {}, {}, ExpandKeyCounter));
  ops.push_back(TfOp("RandomUniformInt", "Draws random integers", {"shape", "minval", "maxval"},
                     {seed, seed2, NodeAttribute()}, ExpandRandomInts));
  ops.push_back(TfOp("StatelessRandomUniformInt", "Draws random integers",
                     {"shape", "seed", "minval", "maxval"}, {}, ExpandRandomInts));
  ops.push_back(TfOp("Multinomial", "Draws positions by their logits", {"logits", "num_samples"},
                     {seed, seed2, {"output_dtype", AttributeOf(DType::kInt64)}, NodeAttribute()},
                     ExpandMultinomial));
  ops.push_back(TfOp("RandomGamma", "Draws random numbers with a gamma distribution",
                     {"shape", "alpha"}, {seed, seed2, NodeAttribute()}, ExpandOfParameter));
  const char* gamma = "Draws random numbers with a gamma distribution";
  ops.push_back(
      TfOp("StatelessRandomGammaV2", gamma, {"shape", "seed", "alpha"}, {}, ExpandOfParameter));
  ops.push_back(TfOp("StatelessRandomGammaV3", gamma, {"shape", "key", "counter", "alg", "alpha"},
                     {}, ExpandOfParameter));
  ops.push_back(TfOp("StatelessRandomPoisson", "Draws random numbers with a Poisson distribution",
                     {"shape", "seed", "lam"}, {{"dtype"}}, ExpandOfParameter));
  const AttributeDef bits = {"dtype", AttributeOf(DType::kUInt64)};
  ops.push_back(TfOp("StatelessRandomUniformFullInt", "Draws random integers", {"shape", "seed"},
                     {bits}, ExpandRandomBits));
  ops.push_back(TfOp("StatelessRandomUniformFullIntV2", "Draws random integers", keyed, {bits},
                     ExpandRandomBits));
  ops.push_back(TfOp("StatefulUniformFullInt", "Draws random integers",
                     {"resource", "algorithm", "shape"}, {bits, NodeAttribute()},
                     ExpandRandomBits));
  ops.push_back(TfOp(
      "RandomPoissonV2", "Draws random numbers with a Poisson distribution", {"shape", "rate"},
      {seed, seed2, {"dtype", AttributeOf(DType::kInt64)}, NodeAttribute()}, ExpandOfParameter));
  ops.push_back(TfOp("RandomShuffle", "Shuffles rows", {"value"}, {seed, seed2, NodeAttribute()},
                     ExpandShuffle));
  return ops;
}

}  // namespace signet
