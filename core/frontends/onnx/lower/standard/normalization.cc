// Normalizations.

#include <algorithm>

#include "core/frontends/onnx/lower/build/dtypes.h"
#include "core/frontends/onnx/lower/build/inputs.h"
#include "core/frontends/onnx/lower/build/tensor_expressions.h"
#include "core/frontends/onnx/lower/standard/standard_ops.h"
#include "core/ops/build/op_builder.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

using Values = std::vector<GraphValue>;

StatusOr<GraphValue> RootOf(OpBuilder& build, const Operand& variance, double epsilon) {
  return build.Sqrt(variance + Number(build, epsilon, variance));
}

// Returns the mean of the squares of `centered` along axes.
StatusOr<GraphValue> MeanSquare(OpBuilder& build, const Operand& centered,
                                std::span<const int64_t> axes) {
  return build.ReduceMean(build.Square(centered), {.axes = axes, .keepdims = true});
}

std::vector<int64_t> AxesFrom(int first, int rank) {
  std::vector<int64_t> axes;
  for (int axis = first; axis < rank; ++axis) axes.push_back(axis);
  return axes;
}

// Returns x * scale + bias, with one number per channel, which is dimension 1.
Expr Affine(OpBuilder& build, const Operand& x, const Operand& scale, const Operand& bias) {
  SIGNET_ASSIGN_OR_RETURN(int rank, TensorRank(x));
  auto of_channels = [&](const Operand& numbers) {
    return WithTrailingOnes(build, CastTo(build, numbers, TensorDType(x)), rank - 2);
  };
  Expr factor = of_channels(scale);
  return x * factor + of_channels(bias);
}

// --- batches ------------------------------------------------------------------------------------

// Normalizes by the mean and the variance of the batch, which also update the running statistics.
StatusOr<Values> TrainingBatch(OpBuilder& build, const Operand& x,
                               std::span<const GraphValue> inputs, double epsilon,
                               double momentum) {
  SIGNET_ASSIGN_OR_RETURN(int rank, TensorRank(x));
  std::vector<int64_t> axes = AxesFrom(1, rank);
  if (!axes.empty()) axes[0] = 0;
  Expr mean = build.ReduceMean(x, {.axes = axes, .keepdims = true});
  Expr centered = x - mean;
  Operand variance = MeanSquare(build, centered, axes);
  Expr normal = centered / RootOf(build, variance, epsilon);
  Expr y = Affine(build, normal, inputs[1], inputs[2]);
  auto moved = [&](const Operand& before, const Operand& now) {
    Expr kept = before * Number(build, momentum, before);
    Expr flat = CastTo(build, ReshapeLike(build, now, before), TensorDType(before));
    return kept + flat * Number(build, 1 - momentum, before);
  };
  return AllOf({CastTo(build, y, TensorDType(inputs[0])), moved(inputs[3], mean),
                moved(inputs[4], variance)});
}

StatusOr<Values> ExpandBatch(OpBuilder& build, const OpCall& call,
                             std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(inputs, 0));
  SIGNET_ASSIGN_OR_RETURN(double epsilon, call.attributes.Float("epsilon"));
  SIGNET_ASSIGN_OR_RETURN(double momentum, call.attributes.Float("momentum"));
  SIGNET_ASSIGN_OR_RETURN(int64_t training, call.attributes.Int("training_mode"));
  Expr x = AsWideFloat(build, inputs[0]);
  if (training != 0) return TrainingBatch(build, x, inputs, epsilon, momentum);
  auto wide = [&](size_t i) { return CastTo(build, inputs[i], TensorDType(x)); };
  // One number per channel or, with `spatial=0` in old versions, one per element of an item.
  SIGNET_ASSIGN_OR_RETURN(int own_rank, TensorRank(inputs[1]));
  int behind = rank - 1 - own_rank;
  Expr scale = wide(1) / RootOf(build, wide(4), epsilon);
  Expr bias = wide(2) - wide(3) * scale;
  Expr scaled = x * WithTrailingOnes(build, scale, behind);
  Expr y = scaled + WithTrailingOnes(build, bias, behind);
  // Before version 14, the statistics were outputs. They are not updated here.
  return AllOf(
      {CastTo(build, y, TensorDType(inputs[0])), inputs[3], inputs[4], inputs[3], inputs[4]});
}

// --- instances, groups, rows --------------------------------------------------------------------

Attributes RowAttributes(int64_t axis, double epsilon) {
  return Attributes({{"axis", AttributeOf(axis)}, {"epsilon", AttributeOf(epsilon)}});
}

StatusOr<Values> ExpandInstance(OpBuilder& build, const OpCall& call,
                                std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(double epsilon, call.attributes.Float("epsilon"));
  Expr rows = build.LayerNorm(AsWideFloat(build, inputs[0]), {.axis = 2, .epsilon = epsilon});
  return CastTo(build, Affine(build, rows, inputs[1], inputs[2]), TensorDType(inputs[0]));
}

StatusOr<Values> ExpandGroup(OpBuilder& build, const OpCall& call,
                             std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(inputs, 0));
  SIGNET_ASSIGN_OR_RETURN(double epsilon, call.attributes.Float("epsilon"));
  SIGNET_ASSIGN_OR_RETURN(int64_t groups, call.attributes.Int("num_groups"));
  Expr x = AsWideFloat(build, inputs[0]);
  Expr row = build.Floordiv(DimProduct(build, x, 1, rank), Int64Constant(build, groups));
  Expr grouped = ReshapeTo(build, x, {DimSize(build, x, 0), Int64Constant(build, groups), row});
  Expr rows = build.LayerNorm(grouped, {.axis = 2, .epsilon = epsilon});
  // Before version 21, scale and bias had one element per group.
  bool of_groups = OpsetOf(call) < 21;
  if (of_groups) rows = Affine(build, rows, inputs[1], inputs[2]);
  Expr y = ReshapeLike(build, rows, x);
  if (!of_groups) y = Affine(build, y, inputs[1], inputs[2]);
  return CastTo(build, y, TensorDType(inputs[0]));
}

// Returns true if `given` is known to have the shape of rows of `x`. Otherwise, it is broadcast.
StatusOr<bool> IsRow(const Operand& given, const Operand& x, int axis, int rank) {
  SIGNET_ASSIGN_OR_RETURN(int own, TensorRank(given));
  if (own != rank - axis) return false;
  for (int i = axis; i < rank; ++i) {
    int64_t size = KnownSize(given, i - axis);
    if (size != kUnknownDim && size != KnownSize(x, i)) return false;
  }
  return true;
}

StatusOr<Values> ExpandRows(OpBuilder& build, const OpCall& call,
                            std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(inputs, 0));
  SIGNET_ASSIGN_OR_RETURN(double epsilon, call.attributes.Float("epsilon"));
  SIGNET_ASSIGN_OR_RETURN(int axis, AxisAttribute(call, "axis", rank, ""));
  Expr x = AsWideFloat(build, inputs[0]);
  bool centered = call.op.name == "onnx.LayerNormalization";
  std::string_view op = centered ? "layer_norm" : "rms_norm";
  Expr scale = CastTo(build, inputs[1], TensorDType(x));
  SIGNET_ASSIGN_OR_RETURN(bool fits, IsRow(scale, x, axis, rank));
  Operand bias;
  if (IsGiven(inputs, 2)) {
    bias = CastTo(build, inputs[2], TensorDType(x));
    SIGNET_ASSIGN_OR_RETURN(bool bias_fits, IsRow(bias, x, axis, rank));
    fits = fits && bias_fits;
  }
  Expr y = build.AsExpr(x);
  if (fits && IsGiven(bias)) {
    y = build.CallOne(op, {x, scale, bias}, RowAttributes(axis, epsilon));
  } else if (fits) {
    y = build.CallOne(op, {x, scale}, RowAttributes(axis, epsilon));
  } else {
    y = build.CallOne(op, {x}, RowAttributes(axis, epsilon)) * scale;
    if (IsGiven(bias)) y = y + bias;
  }
  // The result of RMSNormalization has the dtype of the scale.
  std::vector<Operand> outputs = {CastTo(build, y, TensorDType(inputs[centered ? 0 : 1]))};
  SIGNET_ASSIGN_OR_RETURN(int64_t wanted, call.attributes.Int("outputs"));
  if (wanted > 1) {
    std::vector<int64_t> axes = AxesFrom(axis, rank);
    Expr mean = build.ReduceMean(x, {.axes = axes, .keepdims = true});
    Operand variance = MeanSquare(build, x - mean, axes);
    // Statistics are float32, unless stash_type is another type.
    SIGNET_ASSIGN_OR_RETURN(int64_t stash, call.attributes.Int("stash_type"));
    DType dtype = DTypeFromOnnx(stash).value_or(DType::kFloat32);
    outputs.push_back(CastTo(build, mean, dtype));
    outputs.push_back(CastTo(build, build.Reciprocal(RootOf(build, variance, epsilon)), dtype));
  }
  return AllOf(outputs);
}

// --- others -------------------------------------------------------------------------------------

StatusOr<Values> ExpandLp(OpBuilder& build, const OpCall& call,
                          std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(int64_t p, call.attributes.Int("p"));
  SIGNET_ASSIGN_OR_RETURN(int64_t axis, call.attributes.Int("axis"));
  if (p != 1 && p != 2) return InvalidArgument("attribute `p`: expected 1 or 2, found ", p);
  Expr x = AsWideFloat(build, inputs[0]);
  Expr norm =
      build.ReduceSum(p == 1 ? build.Abs(x) : build.Square(x), {.axes = {axis}, .keepdims = true});
  if (p == 2) norm = build.Sqrt(norm);
  // Vectors of zeros remain zero.
  Expr is_zero = build.Equal(norm, Number(build, 0, norm));
  norm = build.Select(is_zero, Number(build, 1, norm), norm);
  return CastTo(build, x / norm, TensorDType(inputs[0]));
}

StatusOr<Values> ExpandMeanVariance(OpBuilder& build, const OpCall& call,
                                    std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(std::vector<int64_t> axes, call.attributes.Ints("axes"));
  Expr x = AsWideFloat(build, inputs[0]);
  Expr centered = x - build.ReduceMean(x, {.axes = axes, .keepdims = true});
  Expr deviation = build.Sqrt(MeanSquare(build, centered, axes));
  Expr y = centered / (deviation + Number(build, 1e-9, x));
  return CastTo(build, y, TensorDType(inputs[0]));
}

StatusOr<Values> ExpandLrn(OpBuilder& build, const OpCall& call,
                           std::span<const GraphValue> inputs) {
  Expr y = build.CallOne("local_response_norm", {AsWideFloat(build, inputs[0])}, call.attributes);
  return CastTo(build, y, TensorDType(inputs[0]));
}

}  // namespace

std::vector<OpDef> OnnxNormalizationOps() {
  const AttributeDef epsilon = {"epsilon", AttributeOf(1e-5)};
  const AttributeDef consumed = {"consumed_inputs", NoneAttribute()};
  const AttributeDef stash = {"stash_type", AttributeOf(1)};
  const std::vector<AttributeDef> rows = {
      {"axis", AttributeOf(-1)}, epsilon, stash, {"outputs", AttributeOf(1)}};
  const int64_t mean_variance_axes[] = {0, 2, 3};
  std::vector<OpDef> ops;
  ops.push_back(OnnxOp("onnx.BatchNormalization", "Normalizes channels by those of batches",
                       {"X", "scale", "B", "input_mean", "input_var"},
                       {epsilon,
                        {"momentum", AttributeOf(0.9)},
                        {"training_mode", AttributeOf(0)},
                        {"spatial", AttributeOf(1)},
                        {"is_test", AttributeOf(0)},
                        consumed},
                       ExpandBatch));
  ops.push_back(OnnxOp("onnx.InstanceNormalization", "Normalizes each channel of each item",
                       {"input", "scale", "B"}, {epsilon, consumed}, ExpandInstance));
  ops.push_back(OnnxOp("onnx.GroupNormalization", "Normalizes groups of channels of each item",
                       {"X", "scale", "bias"}, {OpsetAttribute(), epsilon, {"num_groups"}, stash},
                       ExpandGroup));
  ops.push_back(OnnxOp("onnx.LayerNormalization", "Normalizes the dimensions from an axis on",
                       {"X", "Scale", "B?"}, rows, ExpandRows));
  ops.push_back(OnnxOp("onnx.RMSNormalization", "Divides rows by the root of their mean square",
                       {"X", "scale"}, rows, ExpandRows));
  ops.push_back(OnnxOp("onnx.LpNormalization", "Divides by the norm along an axis", {"input"},
                       {{"axis", AttributeOf(-1)}, {"p", AttributeOf(2)}}, ExpandLp));
  ops.push_back(OnnxOp("onnx.MeanVarianceNormalization", "Gives a mean of 0 and a variance of 1",
                       {"X"}, {{"axes", AttributeOf(std::span<const int64_t>(mean_variance_axes))}},
                       ExpandMeanVariance));
  ops.push_back(OnnxOp("onnx.LRN", "Divides by a power of the squares of channels around", {"X"},
                       {{"alpha", AttributeOf(1e-4)},
                        {"beta", AttributeOf(0.75)},
                        {"bias", AttributeOf(1.0)},
                        {"size"}},
                       ExpandLrn));
  return ops;
}

}  // namespace signet
