// Normalizations.

#include <algorithm>

#include "core/frontends/onnx/lower/build/arithmetic.h"
#include "core/frontends/onnx/lower/build/dtypes.h"
#include "core/frontends/onnx/lower/build/inputs.h"
#include "core/frontends/onnx/lower/standard/standard_ops.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

using Values = std::vector<GraphValue>;

GraphValue RootOf(Arithmetic& f, const GraphValue& variance, double epsilon) {
  return f("sqrt", {f("add", {variance, f.Number(epsilon, variance)})});
}

// The mean of the squares of `centered`, along axes.
GraphValue MeanSquare(Arithmetic& f, const GraphValue& centered, std::span<const int64_t> axes) {
  return f.Reduce("reduce_mean", f("square", {centered}), axes, true);
}

std::vector<int64_t> AxesFrom(int first, int rank) {
  std::vector<int64_t> axes;
  for (int axis = first; axis < rank; ++axis) axes.push_back(axis);
  return axes;
}

// x * scale + bias, each of one number a channel, which are dimension 1.
GraphValue Affine(Arithmetic& f, const GraphValue& x, GraphValue scale, GraphValue bias) {
  int behind = f.RankOf(x) - 2;
  scale = f.WithOnesBehind(f.Cast(scale, f.DTypeOf(x)), behind);
  bias = f.WithOnesBehind(f.Cast(bias, f.DTypeOf(x)), behind);
  return f("add", {f("mul", {x, scale}), bias});
}

// --- batches ------------------------------------------------------------------------------------

// By the mean and the variance of the batch itself, which also move those of batches before.
StatusOr<Values> TrainingBatch(Arithmetic& f, const GraphValue& x,
                               std::span<const GraphValue> inputs, double epsilon,
                               double momentum) {
  std::vector<int64_t> axes = AxesFrom(1, f.RankOf(x));
  if (!axes.empty()) axes[0] = 0;
  GraphValue mean = f.Reduce("reduce_mean", x, axes, true);
  GraphValue centered = f("sub", {x, mean});
  GraphValue variance = MeanSquare(f, centered, axes);
  GraphValue y =
      Affine(f, f("div", {centered, RootOf(f, variance, epsilon)}), inputs[1], inputs[2]);
  auto moved = [&](const GraphValue& before, const GraphValue& now) {
    GraphValue kept = f("mul", {before, f.Number(momentum, before)});
    GraphValue flat = f.Cast(f.ReshapeLike(now, before), f.DTypeOf(before));
    return f("add", {kept, f("mul", {flat, f.Number(1 - momentum, before)})});
  };
  return f.Give(
      {f.Cast(y, f.DTypeOf(inputs[0])), moved(inputs[3], mean), moved(inputs[4], variance)});
}

StatusOr<Values> ExpandBatch(OpBuilder& build, const OpCall& call,
                             std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(inputs, 0));
  SIGNET_ASSIGN_OR_RETURN(double epsilon, call.attributes.Float("epsilon"));
  SIGNET_ASSIGN_OR_RETURN(double momentum, call.attributes.Float("momentum"));
  SIGNET_ASSIGN_OR_RETURN(int64_t training, call.attributes.Int("training_mode"));
  Arithmetic f(build);
  GraphValue x = f.AsWideFloat(inputs[0]);
  if (training != 0) return TrainingBatch(f, x, inputs, epsilon, momentum);
  auto wide = [&](size_t i) { return f.Cast(inputs[i], f.DTypeOf(x)); };
  // One number a channel, or with `spatial=0` of old, one for each element of the batch's items.
  int behind = rank - 1 - f.RankOf(inputs[1]);
  GraphValue scale = f("div", {wide(1), RootOf(f, wide(4), epsilon)});
  GraphValue bias = f("sub", {wide(2), f("mul", {wide(3), scale})});
  GraphValue scaled = f("mul", {x, f.WithOnesBehind(scale, behind)});
  GraphValue y = f("add", {scaled, f.WithOnesBehind(bias, behind)});
  // Before version 14 there were outputs of the statistics, which do not move here.
  return f.Give({f.Cast(y, f.DTypeOf(inputs[0])), inputs[3], inputs[4], inputs[3], inputs[4]});
}

// --- instances, groups, rows --------------------------------------------------------------------

Attributes RowAttributes(int64_t axis, double epsilon) {
  return Attributes({{"axis", AttributeOf(axis)}, {"epsilon", AttributeOf(epsilon)}});
}

StatusOr<Values> ExpandInstance(OpBuilder& build, const OpCall& call,
                                std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(double epsilon, call.attributes.Float("epsilon"));
  Arithmetic f(build);
  GraphValue rows = f("layer_norm", {f.AsWideFloat(inputs[0])}, RowAttributes(2, epsilon));
  return f.Give(f.Cast(Affine(f, rows, inputs[1], inputs[2]), f.DTypeOf(inputs[0])));
}

StatusOr<Values> ExpandGroup(OpBuilder& build, const OpCall& call,
                             std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(inputs, 0));
  SIGNET_ASSIGN_OR_RETURN(double epsilon, call.attributes.Float("epsilon"));
  SIGNET_ASSIGN_OR_RETURN(int64_t groups, call.attributes.Int("num_groups"));
  Arithmetic f(build);
  GraphValue x = f.AsWideFloat(inputs[0]);
  GraphValue row = f("floordiv", {f.Product(x, 1, rank), f.Int(groups)});
  const GraphValue sizes[] = {f.Size(x, 0), f.Int(groups), row};
  GraphValue rows = f("layer_norm", {f.ReshapeTo(x, sizes)}, RowAttributes(2, epsilon));
  // Before version 21 scale and bias were of groups.
  bool of_groups = OpsetOf(call) < 21;
  if (of_groups) rows = Affine(f, rows, inputs[1], inputs[2]);
  GraphValue y = f.ReshapeLike(rows, x);
  if (!of_groups) y = Affine(f, y, inputs[1], inputs[2]);
  return f.Give(f.Cast(y, f.DTypeOf(inputs[0])));
}

// Whether `given` has the shape of rows of `x`, as far as is known: else it is broadcast.
bool IsRow(Arithmetic& f, const GraphValue& given, const GraphValue& x, int axis) {
  if (f.RankOf(given) != f.RankOf(x) - axis) return false;
  for (int i = axis; i < f.RankOf(x); ++i) {
    int64_t size = f.KnownSize(given, i - axis);
    if (size != kUnknownDim && size != f.KnownSize(x, i)) return false;
  }
  return true;
}

StatusOr<Values> ExpandRows(OpBuilder& build, const OpCall& call,
                            std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(inputs, 0));
  SIGNET_ASSIGN_OR_RETURN(double epsilon, call.attributes.Float("epsilon"));
  SIGNET_ASSIGN_OR_RETURN(int axis, AxisAttribute(call, "axis", rank, ""));
  Arithmetic f(build);
  GraphValue x = f.AsWideFloat(inputs[0]);
  bool centered = call.op.name == "onnx.LayerNormalization";
  std::string_view op = centered ? "layer_norm" : "rms_norm";
  GraphValue scale = f.Cast(inputs[1], f.DTypeOf(x));
  GraphValue bias = IsGiven(inputs, 2) ? f.Cast(inputs[2], f.DTypeOf(x)) : GraphValue{};
  bool fits = IsRow(f, scale, x, axis) && (!bias.spec || IsRow(f, bias, x, axis));
  GraphValue y;
  if (fits && bias.spec) {
    y = f(op, {x, scale, bias}, RowAttributes(axis, epsilon));
  } else if (fits) {
    y = f(op, {x, scale}, RowAttributes(axis, epsilon));
  } else {
    y = f("mul", {f(op, {x}, RowAttributes(axis, epsilon)), scale});
    if (bias.spec) y = f("add", {y, bias});
  }
  // Of two types the result of RMSNormalization has that of the scale.
  Values outputs = {f.Cast(y, f.DTypeOf(inputs[centered ? 0 : 1]))};
  SIGNET_ASSIGN_OR_RETURN(int64_t wanted, call.attributes.Int("outputs"));
  if (wanted > 1) {
    std::vector<int64_t> axes = AxesFrom(axis, rank);
    GraphValue mean = f.Reduce("reduce_mean", x, axes, true);
    GraphValue variance = MeanSquare(f, f("sub", {x, mean}), axes);
    // Statistics are of float32, unless stash_type names another.
    SIGNET_ASSIGN_OR_RETURN(int64_t stash, call.attributes.Int("stash_type"));
    DType dtype = DTypeFromOnnx(stash).value_or(DType::kFloat32);
    outputs.push_back(f.Cast(mean, dtype));
    outputs.push_back(f.Cast(f("reciprocal", {RootOf(f, variance, epsilon)}), dtype));
  }
  return f.Give(std::move(outputs));
}

// --- others -------------------------------------------------------------------------------------

StatusOr<Values> ExpandLp(OpBuilder& build, const OpCall& call,
                          std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(int64_t p, call.attributes.Int("p"));
  SIGNET_ASSIGN_OR_RETURN(int64_t axis, call.attributes.Int("axis"));
  if (p != 1 && p != 2) return InvalidArgument("attribute `p` is ", p, "; takes 1 or 2");
  Arithmetic f(build);
  GraphValue x = f.AsWideFloat(inputs[0]);
  const int64_t axes[] = {axis};
  GraphValue norm = f.Reduce("reduce_sum", f(p == 1 ? "abs" : "square", {x}), axes, true);
  if (p == 2) norm = f("sqrt", {norm});
  // What is all 0 stays so.
  GraphValue is_zero = f("equal", {norm, f.Number(0, norm)});
  norm = f("select", {is_zero, f.Number(1, norm), norm});
  return f.Give(f.Cast(f("div", {x, norm}), f.DTypeOf(inputs[0])));
}

StatusOr<Values> ExpandMeanVariance(OpBuilder& build, const OpCall& call,
                                    std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(std::vector<int64_t> axes, call.attributes.Ints("axes"));
  Arithmetic f(build);
  GraphValue x = f.AsWideFloat(inputs[0]);
  GraphValue centered = f("sub", {x, f.Reduce("reduce_mean", x, axes, true)});
  GraphValue deviation = f("sqrt", {MeanSquare(f, centered, axes)});
  GraphValue y = f("div", {centered, f("add", {deviation, f.Number(1e-9, x)})});
  return f.Give(f.Cast(y, f.DTypeOf(inputs[0])));
}

StatusOr<Values> ExpandLrn(OpBuilder& build, const OpCall& call,
                           std::span<const GraphValue> inputs) {
  Arithmetic f(build);
  GraphValue y = f("local_response_norm", {f.AsWideFloat(inputs[0])}, call.attributes);
  return f.Give(f.Cast(y, f.DTypeOf(inputs[0])));
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
  ops.push_back(OnnxOp("onnx.LayerNormalization", "Normalizes the dimensions behind an axis",
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
