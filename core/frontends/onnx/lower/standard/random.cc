// Random numbers by Philox, the same in every run. The default seed is the number of the node.

#include <bit>
#include <cmath>

#include "core/frontends/onnx/lower/build/dtypes.h"
#include "core/frontends/onnx/lower/build/inputs.h"
#include "core/frontends/onnx/lower/build/tensor_expressions.h"
#include "core/frontends/onnx/lower/standard/standard_ops.h"
#include "core/ops/build/op_builder.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

using Values = std::vector<GraphValue>;

StatusOr<GraphValue> SeedOf(OpBuilder& build, const OpCall& call) {
  if (IsNone(call.attributes, "seed")) {
    SIGNET_ASSIGN_OR_RETURN(int64_t node, call.attributes.Int("node"));
    return Int64Constant(build, node);
  }
  // Seeds are floats, and each seed has a different sequence of numbers.
  SIGNET_ASSIGN_OR_RETURN(double seed, call.attributes.Float("seed"));
  return Int64Constant(build, std::bit_cast<int64_t>(seed));
}

// Returns the dtype in attribute `dtype`, or the dtype of `like`.
StatusOr<DType> WantedDType(const OpCall& call, const Operand& like) {
  SIGNET_ASSIGN_OR_RETURN(auto number, call.attributes.OptionalInt("dtype"));
  return number ? OnnxDTypeAttribute(*number, "dtype") : TensorDType(like);
}

// Draws numbers of float32 or float64 with the shape of attribute `shape`, or of `like`.
Expr Draw(OpBuilder& build, std::string_view op, const Operand& seed, const Operand& shape,
          DType dtype, std::initializer_list<std::pair<std::string, TypeSpec>> of) {
  bool wide = dtype == DType::kFloat64;
  NamedTypes attributes(of.begin(), of.end());
  attributes.emplace_back("dtype", AttributeOf(wide ? DType::kFloat64 : DType::kFloat32));
  return CastTo(build, build.CallOne(op, {seed, shape}, Attributes(std::move(attributes))), dtype);
}

Expr ShapeOf(OpBuilder& build, const Operand& x) {
  SIGNET_ASSIGN_OR_RETURN(int rank, TensorRank(x));
  return DimSizes(build, x, 0, rank);
}

StatusOr<Values> ExpandNumbers(OpBuilder& build, const OpCall& call,
                               std::span<const GraphValue> inputs) {
  Operand shape;
  Operand like;
  if (inputs.empty()) {
    SIGNET_ASSIGN_OR_RETURN(std::vector<int64_t> sizes, call.attributes.Ints("shape"));
    shape = Ints(build, sizes);
  } else {
    like = inputs[0];
    shape = ShapeOf(build, like);
  }
  bool normal = call.op.name.starts_with("onnx.RandomNormal");
  SIGNET_RETURN_IF_ERROR(shape.value().status());
  SIGNET_ASSIGN_OR_RETURN(DType dtype, WantedDType(call, like));
  SIGNET_ASSIGN_OR_RETURN(GraphValue seed, SeedOf(build, call));
  SIGNET_ASSIGN_OR_RETURN(double a, call.attributes.Float(normal ? "mean" : "low"));
  SIGNET_ASSIGN_OR_RETURN(double b, call.attributes.Float(normal ? "scale" : "high"));
  if (normal) {
    return Draw(build, "random_normal", seed, shape, dtype,
                {{"mean", AttributeOf(a)}, {"stddev", AttributeOf(b)}});
  }
  return Draw(build, "random_uniform", seed, shape, dtype,
              {{"low", AttributeOf(a)}, {"high", AttributeOf(b)}});
}

StatusOr<Values> ExpandBernoulli(OpBuilder& build, const OpCall& call,
                                 std::span<const GraphValue> inputs) {
  SIGNET_RETURN_IF_ERROR(TensorAt(inputs, 0).status());
  Expr x = AsWideFloat(build, inputs[0]);
  SIGNET_ASSIGN_OR_RETURN(GraphValue seed, SeedOf(build, call));
  Expr drawn = Draw(build, "random_uniform", seed, ShapeOf(build, x), TensorDType(x), {});
  SIGNET_ASSIGN_OR_RETURN(DType dtype, WantedDType(call, inputs[0]));
  return CastTo(build, build.Less(drawn, x), dtype);
}

StatusOr<Values> ExpandMultinomial(OpBuilder& build, const OpCall& call,
                                   std::span<const GraphValue> inputs) {
  SIGNET_RETURN_IF_ERROR(TensorAt(inputs, 0).status());
  SIGNET_ASSIGN_OR_RETURN(int64_t samples, call.attributes.Int("sample_size"));
  SIGNET_ASSIGN_OR_RETURN(GraphValue seed, SeedOf(build, call));
  Expr drawn =
      build.RandomCategorical(seed, AsWideFloat(build, inputs[0]), {.num_samples = samples});
  SIGNET_ASSIGN_OR_RETURN(DType dtype, WantedDType(call, {}));
  return CastTo(build, drawn, dtype);
}

// If `training` is not known now, it is evaluated when the function runs.
StatusOr<Values> ExpandDropout(OpBuilder& build, const OpCall& call,
                               std::span<const GraphValue> inputs) {
  SIGNET_RETURN_IF_ERROR(TensorAt(inputs, 0).status());
  SIGNET_ASSIGN_OR_RETURN(int64_t wanted, call.attributes.Int("outputs"));
  const GraphValue& x = inputs[0];
  // Before version 10, the mask had the dtype of the input.
  DType mask_dtype = OpsetOf(call) < 10 ? TensorDType(x) : DType::kBool;
  GraphValue training = InputOr(inputs, 2);
  const Tensor* known = nullptr;
  if (training.spec) {
    SIGNET_ASSIGN_OR_RETURN(training, CastTo(build, AsScalar(build, training), DType::kBool));
    known = build.LookupConstant(training.components[0]);
  }
  if (!training.spec || (known != nullptr && !known->scalar<bool>())) {
    std::vector<Operand> outputs = {x};
    if (wanted > 1) outputs.push_back(CastTo(build, build.OnesLike(x), mask_dtype));
    return AllOf(outputs);
  }
  SIGNET_ASSIGN_OR_RETURN(double default_ratio, call.attributes.Float("ratio"));
  Expr ratio = IsGiven(inputs, 1) ? CastTo(build, inputs[1], DType::kFloat32)
                                  : Number(build, default_ratio, DType::kFloat32);
  SIGNET_ASSIGN_OR_RETURN(GraphValue seed, SeedOf(build, call));
  Expr drawn = Draw(build, "random_uniform", seed, ShapeOf(build, x), DType::kFloat32, {});
  Expr keep = build.GreaterEqual(drawn, ratio);
  Expr one = Number(build, 1, ratio);
  Expr scale = build.Reciprocal(one - ratio);
  if (known == nullptr) {
    keep = build.LogicalOr(keep, build.LogicalNot(training));
    scale = build.Select(training, scale, one);
  }
  Expr scaled = x * CastTo(build, scale, TensorDType(x));
  return AllOf({build.Select(keep, scaled, Number(build, 0, x)), CastTo(build, keep, mask_dtype)});
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
