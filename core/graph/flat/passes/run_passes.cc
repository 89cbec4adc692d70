#include "core/graph/flat/passes/run_passes.h"

#include <cstdlib>
#include <iostream>
#include <memory>
#include <utility>

#include "core/graph/flat/verify.h"

namespace signet {
namespace {

bool IsSet(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && std::string_view(value) == "1";
}

void PrintGraph(std::string_view pass, const FlatGraph& graph) {
  std::cerr << Cat("after pass ", pass, ":\n", graph.ToString());
}

// Verifies and shows the graph that `pass` changed.
Status CheckChange(const Pass& pass, const FlatGraph& graph, const PassOptions& options) {
  if (options.verify) SIGNET_RETURN_IF_ERROR(At(Cat("after pass ", pass.name), Verify(graph)));
  if (options.on_change) {
    FlatGraph live = graph;
    PruneDead(live);
    options.on_change(pass.name, live);
  }
  return absl::OkStatus();
}

StatusOr<uint64_t> RunGroup(Rewriter& rewriter, const PassGroup& group,
                            const PassOptions& options) {
  uint64_t rounding = 0;
  size_t unchanged = 0;  // passes that ran since the last change
  for (size_t next = 0; unchanged < group.size(); next = (next + 1) % group.size()) {
    const Pass& pass = *group[next];
    const PassResult result = pass.run(rewriter);
    SIGNET_CHECK(pass.may_change_rounding || result.rounding == 0);
    rounding += result.rounding;
    unchanged = result.changed ? 1 : unchanged + 1;
    if (result.changed) SIGNET_RETURN_IF_ERROR(CheckChange(pass, rewriter.graph(), options));
  }
  return rounding;
}

}  // namespace

const PassOptions& PassOptionsFromEnvironment() {
  static const auto* const options = new PassOptions{
      .verify = IsSet("SIGNET_VERIFY_PASSES"),
      .on_change = IsSet("SIGNET_PRINT_PASSES") ? PrintGraph : nullptr,
  };
  return *options;
}

StatusOr<uint64_t> RunPasses(FlatGraph& graph, const OpRegistry& ops,
                             std::span<const PassGroup> groups, const PassOptions& options) {
  uint64_t rounding = 0;
  for (FlatNode& node : graph.nodes) {
    for (auto& body : node.bodies) {
      auto rewritten = std::make_shared<FlatGraph>(*body);
      SIGNET_ASSIGN_OR_RETURN(uint64_t of_body, RunPasses(*rewritten, ops, groups, options));
      rounding += of_body;
      body = std::move(rewritten);
    }
  }
  Rewriter rewriter(graph, ops);
  for (const PassGroup& group : groups) {
    SIGNET_ASSIGN_OR_RETURN(uint64_t of_group, RunGroup(rewriter, group, options));
    rounding += of_group;
  }
  PruneDead(graph);
  return rounding;
}

}  // namespace signet
