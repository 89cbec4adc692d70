#include "core/graph/flat/passes/remove_identities_pass.h"

#include <algorithm>

#include "core/ops/def/inference.h"

namespace signet {
namespace {

// identity(x), and a view or a cast of x to the type of x
bool RemoveNode(Rewriter& rewriter, size_t i) {
  const FlatNode& node = rewriter.node(i);
  const std::string& op = node.op->name;
  if (op == "identity") return rewriter.ReplaceUses(i, node.inputs[0]);
  if (op != "reshape" && op != "cast" && op != "broadcast_to" && op != "expand_dims" &&
      op != "squeeze" && op != "flatten") {
    return false;
  }
  bool same = rewriter.TypeOf(node.inputs[0]) == rewriter.TypeOf(node.outputs[0]);
  if (!same || (op != "cast" && !rewriter.KnownShape(node.inputs[0]))) return false;
  return rewriter.ReplaceUses(i, node.inputs[0]);
}

// A view of a view, of known shape: a view of the inner view's input
bool JoinViews(Rewriter& rewriter, size_t i) {
  const std::initializer_list<std::string_view> kViews = {"reshape", "expand_dims", "squeeze",
                                                          "flatten"};
  const FlatNode& node = rewriter.node(i);
  if (std::find(kViews.begin(), kViews.end(), node.op->name) == kViews.end()) return false;
  const FlatNode* inner = rewriter.Producer(node.inputs[0], kViews, false);
  auto shape = rewriter.KnownShape(node.outputs[0]);
  if (inner == nullptr || !shape) return false;
  return rewriter.ReplaceOp(i, "reshape", {inner->inputs[0]},
                            Attributes({{"shape", AttributeOf(shape->dims())}}));
}

constexpr Rule kIdentityRules[] = {{"RemoveNode", RemoveNode}, {"JoinViews", JoinViews}};

}  // namespace

const Pass kRemoveIdentitiesPass = {
    "RemoveIdentities", /*may_change_rounding=*/false,
    [](Rewriter& rewriter) { return ApplyRules(rewriter, kIdentityRules); }};

}  // namespace signet
