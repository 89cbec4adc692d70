#include "core/graph/flat/passes/pass.h"

#include "core/base/hash.h"
#include "core/graph/flat/control_nodes.h"

namespace signet {
namespace {

const Rule* ApplyFirst(Rewriter& rewriter, size_t i, std::span<const Rule> rules) {
  for (const Rule& rule : rules) {
    rewriter.StartRule();
    if (rule.apply(rewriter, i)) return &rule;
  }
  return nullptr;
}

}  // namespace

PassResult ApplyRules(Rewriter& rewriter, std::span<const Rule> rules) {
  PassResult result;
  for (size_t i = 0; i < rewriter.num_nodes(); ++i) {
    if (HasBodies(rewriter.node(i))) continue;
    // This ends, because each rule leaves fewer nodes or simpler nodes to match.
    while (!rewriter.IsDead(i)) {
      const OpDef& op = *rewriter.node(i).op;
      const Rule* rule = ApplyFirst(rewriter, i, rules);
      if (rule == nullptr) break;
      result.changed = true;
      if (rule->may_change_rounding) {
        result.rounding += MixHash(HashBytes(op.name), HashBytes(rule->name));
      }
    }
  }
  return result;
}

}  // namespace signet
