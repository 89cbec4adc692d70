// Losses of classes: NegativeLogLikelihoodLoss, and SoftmaxCrossEntropyLoss, which is the first one
// applied to a log_softmax.

#include <numeric>

#include "core/frontends/onnx/lower/build/inputs.h"
#include "core/frontends/onnx/lower/build/tensor_expressions.h"
#include "core/frontends/onnx/lower/standard/standard_ops.h"
#include "core/ops/build/op_builder.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

using Values = std::vector<GraphValue>;

// Returns the elements that `target` selects from the classes, which are dimension 1 of `x`.
StatusOr<GraphValue> Picked(OpBuilder& build, const Operand& x, const Operand& target) {
  SIGNET_ASSIGN_OR_RETURN(int rank, TensorRank(x));
  if (rank < 2) return GraphValue{};
  std::vector<int64_t> perm(static_cast<size_t>(rank));
  std::iota(perm.begin(), perm.end(), 0);
  perm.erase(perm.begin() + 1);
  perm.push_back(1);
  Expr at = build.ExpandDims(target, {.axis = -1});
  Expr picked =
      build.Gather(Permute(build, x, perm), at, {.axis = rank - 1, .batch_dims = rank - 1});
  return build.Squeeze(picked, {.axes = -1});
}

// Returns the loss of the log-probabilities `x`, [items, classes, ...], for the classes in
// `target`, [items, ...].
StatusOr<GraphValue> LossOf(OpBuilder& build, const OpCall& call, const Operand& x,
                            std::span<const GraphValue> inputs) {
  SIGNET_RETURN_IF_ERROR(TensorAt(inputs, 1).status());
  SIGNET_ASSIGN_OR_RETURN(std::string reduction, call.attributes.String("reduction"));
  SIGNET_ASSIGN_OR_RETURN(auto ignored, call.attributes.OptionalInt("ignore_index"));
  if (reduction != "none" && reduction != "sum" && reduction != "mean") {
    return InvalidArgument("attribute `reduction`: expected none, sum, or mean, found `",
                           Printable(reduction), "`");
  }
  Operand target = inputs[1];
  Operand skipped;
  if (ignored) {
    skipped = build.Equal(CastTo(build, target, DType::kInt64), Int64Constant(build, *ignored));
    target = build.Select(skipped, Number(build, 0, target), target);
  }
  Expr loss = build.Neg(Picked(build, x, target));
  Operand weight;
  if (IsGiven(inputs, 2)) weight = build.Gather(inputs[2], target);
  if (ignored) {
    Operand counted = IsGiven(weight) ? weight : Number(build, 1, x);
    weight = build.Select(skipped, Number(build, 0, x), counted);
    // A skipped element may be infinite.
    loss = build.Select(skipped, Number(build, 0, x), loss);
  }
  if (IsGiven(weight)) loss = loss * weight;
  if (reduction == "none") return loss;
  if (reduction == "mean" && !IsGiven(weight)) return build.ReduceMean(loss);
  Expr sum = build.ReduceSum(loss);
  return reduction == "sum" ? sum : sum / build.ReduceSum(weight);
}

StatusOr<Values> ExpandLikelihood(OpBuilder& build, const OpCall& call,
                                  std::span<const GraphValue> inputs) {
  SIGNET_RETURN_IF_ERROR(RankAt(inputs, 0).status());
  return OneOutput(LossOf(build, call, inputs[0], inputs));
}

StatusOr<Values> ExpandCrossEntropy(OpBuilder& build, const OpCall& call,
                                    std::span<const GraphValue> inputs) {
  SIGNET_RETURN_IF_ERROR(RankAt(inputs, 0).status());
  Expr log_shares = build.LogSoftmax(inputs[0], {.axis = 1});
  SIGNET_ASSIGN_OR_RETURN(GraphValue loss, LossOf(build, call, log_shares, inputs));
  return AllOf({loss, log_shares});
}

}  // namespace

std::vector<OpDef> OnnxLossOps() {
  const std::vector<AttributeDef> attributes = {{"reduction", AttributeOf("mean")},
                                                {"ignore_index", NoneAttribute()}};
  std::vector<OpDef> ops;
  ops.push_back(OnnxOp("onnx.NegativeLogLikelihoodLoss", "Takes the loss of log-probabilities",
                       {"input", "target", "weight?"}, attributes, ExpandLikelihood));
  ops.push_back(OnnxOp("onnx.SoftmaxCrossEntropyLoss", "Takes the loss of scores",
                       {"scores", "labels", "weights?"}, attributes, ExpandCrossEntropy));
  return ops;
}

}  // namespace signet
