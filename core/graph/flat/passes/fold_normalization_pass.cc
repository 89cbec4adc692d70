#include "core/graph/flat/passes/fold_normalization_pass.h"

#include "core/graph/flat/passes/channel_constants.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

// Returns the first axis of `node`, a mean over the last dimensions that keeps them. -1 if its axes
// are not the last dimensions.
int FirstAxisOf(const Rewriter& rewriter, const FlatNode& node) {
  const PartialShape& shape = *rewriter.TypeOf(node.inputs[0]).shape();
  const bool computed = node.inputs.size() > 1 && node.inputs[1] != kNoEdge;
  auto axes = OptionalInts(node.attributes, "axes");
  if (!shape.has_rank() || computed || !axes.ok() || !*axes || (*axes)->empty()) return -1;
  if (!node.attributes.Bool("keepdims").value_or(false)) return -1;
  const int rank = shape.rank();
  const auto count = static_cast<int>((*axes)->size());
  for (int64_t axis : **axes) {
    if ((axis < 0 ? axis + rank : axis) < rank - count) return -1;
  }
  return rank - count;
}

// Returns x if `edge` is the square of x, and otherwise kNoEdge.
int SquaredEdge(const Rewriter& rewriter, int edge) {
  const FlatNode* node = rewriter.Producer(edge, {"square", "mul", "pow"});
  if (node == nullptr) return kNoEdge;
  if (node->op->name == "mul" && node->inputs[0] != node->inputs[1]) return kNoEdge;
  if (node->op->name == "pow" && ScalarConstant(rewriter, node->inputs[1]) != 2) return kNoEdge;
  return node->inputs[0];
}

// mean(x * x) + epsilon
struct MeanSquare {
  int x;
  int axis;  // the first axis of the mean
  double epsilon;
};
std::optional<MeanSquare> MatchMeanSquare(const Rewriter& rewriter, int edge) {
  const FlatNode* add = rewriter.Producer(edge, {"add"});
  if (add == nullptr) return std::nullopt;
  for (size_t side : {size_t{0}, size_t{1}}) {
    const FlatNode* mean = rewriter.Producer(add->inputs[side], {"reduce_mean"});
    auto epsilon = ScalarConstant(rewriter, add->inputs[1 - side]);
    if (mean == nullptr || !epsilon) continue;
    const int axis = FirstAxisOf(rewriter, *mean);
    const int x = SquaredEdge(rewriter, mean->inputs[0]);
    if (axis >= 0 && x != kNoEdge) return MeanSquare{x, axis, *epsilon};
  }
  return std::nullopt;
}

// Matches `node` to x / sqrt(mean(x * x) + epsilon), or x times the inverse of the root.
std::optional<MeanSquare> MatchNormalized(const Rewriter& rewriter, const FlatNode& node) {
  auto root_of = [&](int edge) -> std::optional<MeanSquare> {
    const FlatNode* root = rewriter.Producer(edge, {"sqrt"});
    return root == nullptr ? std::nullopt : MatchMeanSquare(rewriter, root->inputs[0]);
  };
  if (node.op->name == "div") {
    auto found = root_of(node.inputs[1]);
    return found && found->x == node.inputs[0] ? found : std::nullopt;
  }
  if (node.op->name != "mul") return std::nullopt;
  for (size_t side : {size_t{0}, size_t{1}}) {
    const FlatNode* inverse = rewriter.Producer(node.inputs[side], {"rsqrt", "reciprocal", "div"});
    if (inverse == nullptr) continue;
    std::optional<MeanSquare> found;
    if (inverse->op->name == "rsqrt") found = MatchMeanSquare(rewriter, inverse->inputs[0]);
    if (inverse->op->name == "reciprocal") found = root_of(inverse->inputs[0]);
    if (inverse->op->name == "div" && ScalarConstant(rewriter, inverse->inputs[0]) == 1) {
      found = root_of(inverse->inputs[1]);
    }
    if (found && found->x == node.inputs[1 - side]) return found;
  }
  return std::nullopt;
}

// c / sqrt(mean(c * c) + epsilon): layer_norm(x) if c is x - mean(x), and otherwise rms_norm(c)
bool Normalize(Rewriter& rewriter, size_t i) {
  auto found = MatchNormalized(rewriter, rewriter.node(i));
  if (!found) return false;
  const Attributes attributes(
      {{"axis", AttributeOf(int64_t{found->axis})}, {"epsilon", AttributeOf(found->epsilon)}});
  const FlatNode* centered = rewriter.Producer(found->x, {"sub"}, false);
  if (centered != nullptr) {
    const int x = centered->inputs[0];
    const FlatNode* mean = rewriter.Producer(centered->inputs[1], {"reduce_mean"});
    if (mean != nullptr && mean->inputs[0] == x && FirstAxisOf(rewriter, *mean) == found->axis) {
      return rewriter.ReplaceOp(i, "layer_norm", {x}, attributes);
    }
  }
  return rewriter.ReplaceOp(i, "rms_norm", {found->x}, attributes);
}

// Returns an edge with the shape of a row of `norm` that stands for `edge` in an elementwise op
// with `norm`, or kNoEdge.
int RowOperand(Rewriter& rewriter, const FlatNode& norm, int edge) {
  const PartialShape& shape = *rewriter.TypeOf(norm.outputs[0]).shape();
  auto axis = norm.attributes.Int("axis");
  if (!axis.ok() || !shape.has_rank()) return kNoEdge;
  const int rank = shape.rank();
  const auto first = static_cast<int>(*axis < 0 ? *axis + rank : *axis);
  Shape row;
  for (int k = first; k < rank; ++k) {
    if (shape.dim(k) == kUnknownDim) return kNoEdge;
    row.push_back(shape.dim(k));
  }
  if (rewriter.KnownShape(edge) == row) return edge;
  if (first != rank - 1) return kNoEdge;
  auto along = VectorAlongAxis(rewriter, edge, rank, first, row.dim(0));
  return along ? rewriter.AddConstant(*std::move(along)) : kNoEdge;
}

// mul(norm(x), scale) and add(norm(x, scale), bias)
bool ScaleAndShift(Rewriter& rewriter, size_t i) {
  const FlatNode& node = rewriter.node(i);
  const bool scales = node.op->name == "mul";
  if (!scales && node.op->name != "add") return false;
  for (size_t side : {size_t{0}, size_t{1}}) {
    const FlatNode* norm = rewriter.Producer(node.inputs[side], {"layer_norm", "rms_norm"});
    if (norm == nullptr || norm->inputs.size() != (scales ? 1 : 2)) continue;
    if (!scales && norm->op->name != "layer_norm") continue;
    const int row = RowOperand(rewriter, *norm, node.inputs[1 - side]);
    if (row == kNoEdge) continue;
    std::vector<int> inputs = norm->inputs;
    inputs.push_back(row);
    if (rewriter.ReplaceOp(i, norm->op->name, std::move(inputs), norm->attributes)) return true;
  }
  return false;
}

constexpr Rule kNormalizationRules[] = {
    {"Normalize", Normalize, /*may_change_rounding=*/true},
    {"ScaleAndShift", ScaleAndShift, /*may_change_rounding=*/true}};

}  // namespace

const Pass kFoldNormalizationPass = {
    "FoldNormalization", /*may_change_rounding=*/true,
    [](Rewriter& rewriter) { return ApplyRules(rewriter, kNormalizationRules); }};

}  // namespace signet
