#include <algorithm>

#include "core/graph/flat/passes/rules.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

// Views and casts to the type that is there already, of sizes that are all known.
bool LeaveOut(Rewriter& rewriter, size_t i) {
  const FlatNode& node = rewriter.node(i);
  const std::string& op = node.op->name;
  if (op == "identity") return rewriter.Forward(i, node.inputs[0]);
  if (op != "reshape" && op != "cast" && op != "broadcast_to" && op != "expand_dims" &&
      op != "squeeze" && op != "flatten") {
    return false;
  }
  bool same = rewriter.TypeOf(node.inputs[0]) == rewriter.TypeOf(node.outputs[0]);
  if (!same || (op != "cast" && !rewriter.KnownShape(node.inputs[0]))) return false;
  return rewriter.Forward(i, node.inputs[0]);
}

// A view of a view of sizes that are known: of what is below.
bool JoinViews(Rewriter& rewriter, size_t i) {
  const std::initializer_list<std::string_view> kViews = {"reshape", "expand_dims", "squeeze",
                                                          "flatten"};
  const FlatNode& node = rewriter.node(i);
  if (std::find(kViews.begin(), kViews.end(), node.op->name) == kViews.end()) return false;
  const FlatNode* below = rewriter.Producer(node.inputs[0], kViews, false);
  auto shape = rewriter.KnownShape(node.outputs[0]);
  if (below == nullptr || !shape) return false;
  return rewriter.Become(i, "reshape", {below->inputs[0]},
                         Attributes({{"shape", AttributeOf(shape->dims())}}));
}

constexpr Rule kIdentityRules[] = {{LeaveOut}, {JoinViews}};

}  // namespace

std::span<const Rule> IdentityRules() { return kIdentityRules; }

const Rule* ApplyRules(Rewriter& rewriter, size_t i, std::span<const Rule> rules) {
  for (const Rule& rule : rules) {
    if (rule.apply(rewriter, i)) return &rule;
  }
  return nullptr;
}

}  // namespace signet
