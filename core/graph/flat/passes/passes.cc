#include "core/graph/flat/passes/passes.h"

#include <iterator>

#include "core/base/hash.h"
#include "core/graph/flat/control_nodes.h"
#include "core/graph/flat/passes/fuse_elementwise.h"
#include "core/graph/flat/passes/rules.h"

namespace signet {
namespace {

uint64_t OptimizeBodies(FlatNode& node, const OpRegistry& ops) {
  uint64_t applied = 0;
  for (auto& body : node.bodies) {
    auto optimized = std::make_shared<FlatGraph>(*body);
    applied += Optimize(*optimized, ops);
    body = std::move(optimized);
  }
  return applied;
}

// Applies the first rule that can be applied to node `i`, and returns whether there is one. Adds it
// to `applied` if it rounds.
bool ApplyOne(Rewriter& rewriter, size_t i, uint64_t& applied) {
  const std::span<const Rule> families[] = {IdentityRules(), LinearRules(), ConvolutionRules(),
                                            NormalizationRules(), ScaleRules()};
  for (size_t family = 0; family < std::size(families); ++family) {
    const uint64_t before = HashBytes(rewriter.node(i).op->name);
    const Rule* rule = ApplyRules(rewriter, i, families[family]);
    if (rule == nullptr) continue;
    const auto number = static_cast<uint64_t>(rule - families[family].data());
    if (rule->rounds) applied += MixHash(MixHash(before, family), number);
    return true;
  }
  return false;
}

}  // namespace

uint64_t Optimize(FlatGraph& graph, const OpRegistry& ops) {
  uint64_t applied = 0;
  for (FlatNode& node : graph.nodes) applied += OptimizeBodies(node, ops);
  Rewriter rewriter(graph, ops);
  for (size_t i = 0; i < rewriter.num_nodes(); ++i) {
    if (HasBodies(rewriter.node(i))) continue;
    // Each rule that applies leaves less to apply to.
    while (ApplyOne(rewriter, i, applied)) {
      if (rewriter.UsesOf(rewriter.node(i).outputs[0]) == 0) break;
    }
  }
  FuseElementwise(rewriter);
  rewriter.Finish();
  return applied;
}

}  // namespace signet
