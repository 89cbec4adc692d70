#include "core/graph/passes/passes.h"

#include "core/graph/control_nodes.h"
#include "core/graph/passes/fuse_elementwise.h"
#include "core/graph/passes/rules.h"

namespace signet {
namespace {

void OptimizeBodies(FlatNode& node) {
  for (auto& body : node.bodies) {
    auto optimized = std::make_shared<FlatGraph>(*body);
    Optimize(*optimized);
    body = std::move(optimized);
  }
}

}  // namespace

void Optimize(FlatGraph& graph) {
  for (FlatNode& node : graph.nodes) OptimizeBodies(node);
  Rewriter rewriter(graph);
  for (size_t i = 0; i < rewriter.num_nodes(); ++i) {
    if (HasBodies(rewriter.node(i))) continue;
    // Each rule that applies leaves less to apply to.
    while (ApplyRules(rewriter, i, IdentityRules()) || ApplyRules(rewriter, i, LinearRules()) ||
           ApplyRules(rewriter, i, ConvolutionRules()) ||
           ApplyRules(rewriter, i, NormalizationRules()) || ApplyRules(rewriter, i, ScaleRules())) {
      if (rewriter.UsesOf(rewriter.node(i).outputs[0]) == 0) break;
    }
  }
  FuseElementwise(rewriter);
  rewriter.Finish();
}

}  // namespace signet
