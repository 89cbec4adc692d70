// Losses of classes: NegativeLogLikelihoodLoss, and SoftmaxCrossEntropyLoss, which is that of a
// log_softmax.

#include <numeric>

#include "core/frontends/onnx/lower/build/arithmetic.h"
#include "core/frontends/onnx/lower/build/inputs.h"
#include "core/frontends/onnx/lower/standard/standard_ops.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

using Values = std::vector<GraphValue>;

// What `target` picks of the classes, which are dimension 1 of `x`.
GraphValue Picked(Arithmetic& f, const GraphValue& x, const GraphValue& target) {
  int rank = f.RankOf(x);
  if (rank < 2) return {};
  std::vector<int64_t> perm(static_cast<size_t>(rank));
  std::iota(perm.begin(), perm.end(), 0);
  perm.erase(perm.begin() + 1);
  perm.push_back(1);
  GraphValue at = f("expand_dims", {target}, IntAttribute("axis", -1));
  GraphValue picked =
      f("gather", {f.Permute(x, perm), at},
        Attributes({{"axis", AttributeOf(rank - 1)}, {"batch_dims", AttributeOf(rank - 1)}}));
  return f("squeeze", {picked}, IntAttribute("axes", -1));
}

// The loss of log-probabilities `x`: [items, classes, ...], for the classes of `target`: [items,
// ...].
StatusOr<GraphValue> LossOf(Arithmetic& f, const OpCall& call, const GraphValue& x,
                            std::span<const GraphValue> inputs) {
  SIGNET_RETURN_IF_ERROR(TensorAt(inputs, 1).status());
  SIGNET_ASSIGN_OR_RETURN(std::string reduction, call.attributes.String("reduction"));
  SIGNET_ASSIGN_OR_RETURN(auto ignored, call.attributes.OptionalInt("ignore_index"));
  if (reduction != "none" && reduction != "sum" && reduction != "mean") {
    return InvalidArgument("attribute `reduction` is `", Printable(reduction),
                           "`; takes none, sum or mean");
  }
  GraphValue target = inputs[1];
  GraphValue skipped;
  if (ignored) {
    skipped = f("equal", {f.Cast(target, DType::kInt64), f.Int(*ignored)});
    target = f("select", {skipped, f.Number(0, target), target});
  }
  GraphValue loss = f("neg", {Picked(f, x, target)});
  GraphValue weight;
  if (IsGiven(inputs, 2)) weight = f("gather", {inputs[2], target});
  if (ignored) {
    GraphValue counted = weight.spec ? weight : f.Number(1, x);
    weight = f("select", {skipped, f.Number(0, x), counted});
    // What is left out may be infinite.
    loss = f("select", {skipped, f.Number(0, x), loss});
  }
  if (weight.spec) loss = f("mul", {loss, weight});
  if (reduction == "none") return loss;
  if (reduction == "mean" && !weight.spec) return f("reduce_mean", {loss});
  GraphValue sum = f("reduce_sum", {loss});
  return reduction == "sum" ? sum : f("div", {sum, f("reduce_sum", {weight})});
}

StatusOr<Values> ExpandLikelihood(OpBuilder& build, const OpCall& call,
                                  std::span<const GraphValue> inputs) {
  SIGNET_RETURN_IF_ERROR(RankAt(inputs, 0).status());
  Arithmetic f(build);
  SIGNET_ASSIGN_OR_RETURN(GraphValue loss, LossOf(f, call, inputs[0], inputs));
  return f.Give(loss);
}

StatusOr<Values> ExpandCrossEntropy(OpBuilder& build, const OpCall& call,
                                    std::span<const GraphValue> inputs) {
  SIGNET_RETURN_IF_ERROR(RankAt(inputs, 0).status());
  Arithmetic f(build);
  GraphValue log_shares = f("log_softmax", {inputs[0]}, IntAttribute("axis", 1));
  SIGNET_ASSIGN_OR_RETURN(GraphValue loss, LossOf(f, call, log_shares, inputs));
  return f.Give({loss, log_shares});
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
