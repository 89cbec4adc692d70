// Random numbers, by Philox: the same in every run. A node without a seed has that of its number.

#include <bit>
#include <cmath>

#include "core/frontends/onnx/lower/build/arithmetic.h"
#include "core/frontends/onnx/lower/build/dtypes.h"
#include "core/frontends/onnx/lower/build/inputs.h"
#include "core/frontends/onnx/lower/standard/standard_ops.h"
#include "core/ops/build/op_builder.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

using Values = std::vector<GraphValue>;

GraphValue SeedOf(Arithmetic& f, const OpCall& call) {
  if (IsNone(call.attributes, "seed")) return f.Int(f.Take(call.attributes.Int("node")));
  // Seeds are floats; each makes numbers of its own.
  double seed = f.Take(call.attributes.Float("seed"));
  return f.Int(std::bit_cast<int64_t>(seed));
}

// The dtype that attribute `dtype` names, or that of `like`.
DType WantedDType(Arithmetic& f, const OpCall& call, const GraphValue& like) {
  auto number = f.Take(call.attributes.OptionalInt("dtype"));
  return number ? f.Take(OnnxDTypeAttribute(*number, "dtype")) : Arithmetic::DTypeOf(like);
}

// Numbers of float32 or float64, of the shape of attribute `shape`, or of `like`.
GraphValue Draw(Arithmetic& f, std::string_view op, const GraphValue& seed, const GraphValue& shape,
                DType dtype, std::initializer_list<std::pair<std::string, TypeSpec>> of) {
  bool wide = dtype == DType::kFloat64;
  NamedTypes attributes(of.begin(), of.end());
  attributes.emplace_back("dtype", AttributeOf(wide ? DType::kFloat64 : DType::kFloat32));
  return f.Cast(f(op, {seed, shape}, Attributes(std::move(attributes))), dtype);
}

GraphValue ShapeOf(Arithmetic& f, const GraphValue& x) { return f.Sizes(x, 0, f.RankOf(x)); }

StatusOr<Values> ExpandNumbers(OpBuilder& build, const OpCall& call,
                               std::span<const GraphValue> inputs) {
  Arithmetic f(build);
  GraphValue shape;
  GraphValue like;
  if (inputs.empty()) {
    SIGNET_ASSIGN_OR_RETURN(std::vector<int64_t> sizes, call.attributes.Ints("shape"));
    shape = f.Ints(sizes);
  } else {
    like = inputs[0];
    shape = ShapeOf(f, like);
  }
  bool normal = call.op.name.starts_with("onnx.RandomNormal");
  DType dtype = WantedDType(f, call, like);
  auto number = [&](const char* from, const char* to) {
    return std::pair<std::string, TypeSpec>(to, AttributeOf(f.Take(call.attributes.Float(from))));
  };
  GraphValue seed = SeedOf(f, call);
  if (normal) {
    return f.Give(Draw(f, "random_normal", seed, shape, dtype,
                       {number("mean", "mean"), number("scale", "stddev")}));
  }
  return f.Give(Draw(f, "random_uniform", seed, shape, dtype,
                     {number("low", "low"), number("high", "high")}));
}

StatusOr<Values> ExpandBernoulli(OpBuilder& build, const OpCall& call,
                                 std::span<const GraphValue> inputs) {
  SIGNET_RETURN_IF_ERROR(TensorAt(inputs, 0).status());
  Arithmetic f(build);
  GraphValue x = f.AsWideFloat(inputs[0]);
  GraphValue drawn = Draw(f, "random_uniform", SeedOf(f, call), ShapeOf(f, x), f.DTypeOf(x), {});
  return f.Give(f.Cast(f("less", {drawn, x}), WantedDType(f, call, inputs[0])));
}

StatusOr<Values> ExpandMultinomial(OpBuilder& build, const OpCall& call,
                                   std::span<const GraphValue> inputs) {
  SIGNET_RETURN_IF_ERROR(TensorAt(inputs, 0).status());
  SIGNET_ASSIGN_OR_RETURN(int64_t samples, call.attributes.Int("sample_size"));
  Arithmetic f(build);
  GraphValue drawn = f("random_categorical", {SeedOf(f, call), f.AsWideFloat(inputs[0])},
                       IntAttribute("num_samples", samples));
  return f.Give(f.Cast(drawn, WantedDType(f, call, {})));
}

// Where `training` is not known, it decides when the function runs.
StatusOr<Values> ExpandDropout(OpBuilder& build, const OpCall& call,
                               std::span<const GraphValue> inputs) {
  SIGNET_RETURN_IF_ERROR(TensorAt(inputs, 0).status());
  SIGNET_ASSIGN_OR_RETURN(int64_t wanted, call.attributes.Int("outputs"));
  Arithmetic f(build);
  const GraphValue& x = inputs[0];
  // The mask was of the input's dtype before version 10.
  DType mask_dtype = OpsetOf(call) < 10 ? f.DTypeOf(x) : DType::kBool;
  GraphValue training = InputOr(inputs, 2);
  if (training.spec) training = f.Cast(f.AsScalar(training), DType::kBool);
  if (!f.ok()) return f.status();
  const Tensor* known = training.spec ? build.LookupConstant(training.components[0]) : nullptr;
  if (!training.spec || (known != nullptr && !known->scalar<bool>())) {
    Values outputs = {x};
    if (wanted > 1) outputs.push_back(f.Cast(f("ones_like", {x}), mask_dtype));
    return f.Give(std::move(outputs));
  }
  GraphValue ratio = IsGiven(inputs, 1)
                         ? f.Cast(inputs[1], DType::kFloat32)
                         : f.Number(f.Take(call.attributes.Float("ratio")), DType::kFloat32);
  GraphValue drawn = Draw(f, "random_uniform", SeedOf(f, call), ShapeOf(f, x), DType::kFloat32, {});
  GraphValue keep = f("greater_equal", {drawn, ratio});
  GraphValue one = f.Number(1, ratio);
  GraphValue scale = f("reciprocal", {f("sub", {one, ratio})});
  if (known == nullptr) {
    keep = f("logical_or", {keep, f("logical_not", {training})});
    scale = f("select", {training, scale, one});
  }
  GraphValue scaled = f("mul", {x, f.Cast(scale, f.DTypeOf(x))});
  return f.Give({f("select", {keep, scaled, f.Number(0, x)}), f.Cast(keep, mask_dtype)});
}

}  // namespace

std::vector<OpDef> OnnxRandomOps() {
  const AttributeDef seed = {"seed", NoneAttribute()};
  const AttributeDef node = {"node", AttributeOf(0)};
  const AttributeDef dtype = {"dtype", NoneAttribute()};
  std::vector<OpDef> ops;
  for (bool like : {false, true}) {
    std::vector<std::string> inputs;
    std::vector<AttributeDef> shared = {seed, node, dtype};
    if (like) {
      inputs.emplace_back("input");
    } else {
      shared.push_back({"shape"});
    }
    const char* suffix = like ? "Like" : "";
    std::vector<AttributeDef> normal = shared;
    normal.push_back({"mean", AttributeOf(0.0)});
    normal.push_back({"scale", AttributeOf(1.0)});
    ops.push_back(OnnxOp(Cat("onnx.RandomNormal", suffix), "Draws numbers of a normal distribution",
                         inputs, std::move(normal), ExpandNumbers));
    std::vector<AttributeDef> uniform = std::move(shared);
    uniform.push_back({"low", AttributeOf(0.0)});
    uniform.push_back({"high", AttributeOf(1.0)});
    ops.push_back(OnnxOp(Cat("onnx.RandomUniform", suffix), "Draws numbers between two bounds",
                         inputs, std::move(uniform), ExpandNumbers));
  }
  ops.push_back(OnnxOp("onnx.Bernoulli", "Draws whether, as likely as the input says", {"input"},
                       {seed, node, dtype}, ExpandBernoulli));
  ops.push_back(OnnxOp("onnx.Multinomial", "Draws classes, as likely as logits say", {"input"},
                       {seed, node, {"dtype", AttributeOf(6)}, {"sample_size", AttributeOf(1)}},
                       ExpandMultinomial));
  ops.push_back(OnnxOp("onnx.Dropout", "Drops elements by chance when a model is trained",
                       {"data", "ratio?", "training_mode?"},
                       {seed,
                        node,
                        OpsetAttribute(),
                        {"outputs", AttributeOf(1)},
                        {"ratio", AttributeOf(0.5)},
                        {"is_test", AttributeOf(0)},
                        {"consumed_inputs", NoneAttribute()}},
                       ExpandDropout));
  return ops;
}

}  // namespace signet
