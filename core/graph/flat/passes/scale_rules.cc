// Scales and shifts by constants that follow one another: one of each.
//
//   mul(mul(x, a), b)          =>  mul(x, a b)
//   add(add(x, a), b)          =>  add(x, a + b)
//   mul(add(mul(x, a), b), c)  =>  add(mul(x, a c), b c)

#include "core/graph/flat/passes/channels.h"
#include "core/graph/flat/passes/rules.h"

namespace signet {
namespace {

// A call of an op on something and a constant.
struct WithConstant {
  size_t node;
  int x;
  Tensor constant;
};

std::optional<WithConstant> Parts(const Rewriter& rewriter, const FlatNode& node) {
  for (size_t side : {size_t{0}, size_t{1}}) {
    auto constant = rewriter.Constant(node.inputs[side]);
    if (!constant || rewriter.Constant(node.inputs[1 - side])) continue;
    auto index = static_cast<size_t>(&node - rewriter.graph().nodes.data());
    return WithConstant{index, node.inputs[1 - side], *std::move(constant)};
  }
  return std::nullopt;
}

// What writes `edge`, which nobody else reads, if it is a call of `op` with a constant.
std::optional<WithConstant> Below(const Rewriter& rewriter, int edge, std::string_view op) {
  const FlatNode* node = rewriter.Producer(edge, {op});
  return node == nullptr ? std::nullopt : Parts(rewriter, *node);
}

bool JoinAlike(Rewriter& rewriter, size_t i) {
  const std::string& op = rewriter.node(i).op->name;
  if (op != "mul" && op != "add") return false;
  auto above = Parts(rewriter, rewriter.node(i));
  if (!above) return false;
  auto below = Below(rewriter, above->x, op);
  if (!below) return false;
  auto both = CombinedAlike(below->constant, above->constant,
                            op == "mul" ? Combine::kMultiply : Combine::kAdd);
  if (!both) return false;
  return rewriter.Become(i, op, {below->x, rewriter.AddConstant(*std::move(both))});
}

bool ScaleShift(Rewriter& rewriter, size_t i) {
  if (rewriter.node(i).op->name != "mul") return false;
  auto scale = Parts(rewriter, rewriter.node(i));
  if (!scale) return false;
  auto shift = Below(rewriter, scale->x, "add");
  if (!shift) return false;
  auto first = Below(rewriter, shift->x, "mul");
  if (!first) return false;
  auto factor = CombinedAlike(first->constant, scale->constant, Combine::kMultiply);
  auto summand = CombinedAlike(shift->constant, scale->constant, Combine::kMultiply);
  // Of the same shapes, so that what is made has the types that were there.
  if (!factor || !summand || factor->shape() != first->constant.shape() ||
      summand->shape() != shift->constant.shape() ||
      rewriter.TypeOf(rewriter.node(i).outputs[0]) != rewriter.TypeOf(scale->x)) {
    return false;
  }
  const int product = shift->x;
  if (!rewriter.Become(first->node, "mul", {first->x, rewriter.AddConstant(*std::move(factor))})) {
    return false;
  }
  SIGNET_CHECK(rewriter.Become(i, "add", {product, rewriter.AddConstant(*std::move(summand))}));
  return true;
}

constexpr Rule kScaleRules[] = {{JoinAlike, /*rounds=*/true}, {ScaleShift, /*rounds=*/true}};

}  // namespace

std::span<const Rule> ScaleRules() { return kScaleRules; }

}  // namespace signet
