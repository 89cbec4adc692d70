#include "core/graph/flat/passes/merge_scales_pass.h"

#include "core/graph/flat/passes/channel_constants.h"

namespace signet {
namespace {

// A call of an op on an edge and a constant.
struct CallWithConstant {
  size_t node;
  int x;
  Tensor constant;
};

std::optional<CallWithConstant> ParseCall(const Rewriter& rewriter, const FlatNode& node) {
  for (size_t side : {size_t{0}, size_t{1}}) {
    auto constant = rewriter.Constant(node.inputs[side]);
    if (!constant || rewriter.Constant(node.inputs[1 - side])) continue;
    auto index = static_cast<size_t>(&node - rewriter.graph().nodes.data());
    return CallWithConstant{index, node.inputs[1 - side], *std::move(constant)};
  }
  return std::nullopt;
}

// Returns the producer of `edge` if it is a call of `op` with a constant that has one reader.
std::optional<CallWithConstant> ProducerWithConstant(const Rewriter& rewriter, int edge,
                                                     std::string_view op) {
  const FlatNode* node = rewriter.Producer(edge, {op});
  return node == nullptr ? std::nullopt : ParseCall(rewriter, *node);
}

// mul(mul(x, a), b) and add(add(x, a), b)
bool MergeAlike(Rewriter& rewriter, size_t i) {
  const std::string& op = rewriter.node(i).op->name;
  if (op != "mul" && op != "add") return false;
  auto outer = ParseCall(rewriter, rewriter.node(i));
  if (!outer) return false;
  auto inner = ProducerWithConstant(rewriter, outer->x, op);
  if (!inner) return false;
  auto both = CombineConstants(inner->constant, outer->constant,
                               op == "mul" ? Combine::kMultiply : Combine::kAdd);
  if (!both) return false;
  return rewriter.ReplaceOp(i, op, {inner->x, rewriter.AddConstant(*std::move(both))});
}

// mul(add(mul(x, a), b), c)
bool MoveScaleBeforeShift(Rewriter& rewriter, size_t i) {
  if (rewriter.node(i).op->name != "mul") return false;
  auto scale = ParseCall(rewriter, rewriter.node(i));
  if (!scale) return false;
  auto shift = ProducerWithConstant(rewriter, scale->x, "add");
  if (!shift) return false;
  auto first = ProducerWithConstant(rewriter, shift->x, "mul");
  if (!first) return false;
  auto factor = CombineConstants(first->constant, scale->constant, Combine::kMultiply);
  auto summand = CombineConstants(shift->constant, scale->constant, Combine::kMultiply);
  // The shapes must stay the same, so that the types of both nodes stay the same.
  if (!factor || !summand || factor->shape() != first->constant.shape() ||
      summand->shape() != shift->constant.shape() ||
      rewriter.TypeOf(rewriter.node(i).outputs[0]) != rewriter.TypeOf(scale->x)) {
    return false;
  }
  const int product = shift->x;
  if (!rewriter.ReplaceOp(first->node, "mul",
                          {first->x, rewriter.AddConstant(*std::move(factor))})) {
    return false;
  }
  SIGNET_CHECK(rewriter.ReplaceOp(i, "add", {product, rewriter.AddConstant(*std::move(summand))}));
  return true;
}

constexpr Rule kScaleRules[] = {{"MergeAlike", MergeAlike, /*may_change_rounding=*/true},
                                {"MoveScaleBeforeShift", MoveScaleBeforeShift, true}};

}  // namespace

const Pass kMergeScalesPass = {"MergeScales", /*may_change_rounding=*/true, [](Rewriter& rewriter) {
                                 return ApplyRules(rewriter, kScaleRules);
                               }};

}  // namespace signet
