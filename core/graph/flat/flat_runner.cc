#include "core/graph/flat/flat_runner.h"

#include <iterator>

namespace signet {
namespace {

StatusOr<Components> RunControl(const FlatNode& node, std::span<const Tensor* const> inputs,
                                const FlatRun& run) {
  auto run_body = [&](size_t body, std::span<const Tensor* const> given) {
    return RunFlatGraph(*node.bodies[body], given, run);
  };
  if (node.op == &SwitchOp()) return RunSwitch(node.bodies.size(), inputs, run_body);
  LoopForm form = LoopForm::Of(node.attributes);
  const FlatGraph& body = *node.bodies[0];
  std::vector<TypeSpec> pieces;
  for (size_t i = body.results.size() - form.collected.size(); i < body.results.size(); ++i) {
    pieces.push_back(body.edges[static_cast<size_t>(body.results[i])].spec);
  }
  auto steps = static_cast<int64_t>(body.nodes.size()) + 1;
  return RunLoop({form, pieces, steps, run.budget, run.check}, inputs, run_body);
}

StatusOr<Components> RunNode(const FlatNode& node, std::span<const Tensor> edges,
                             const FlatRun& run) {
  static const Tensor absent;
  std::vector<const Tensor*> inputs;
  for (int edge : node.inputs) {
    inputs.push_back(edge == kNoEdge ? &absent : &edges[static_cast<size_t>(edge)]);
  }
  if (HasBodies(node)) return RunControl(node, inputs, run);
  std::vector<TypeSpec> specs;
  for (const Tensor*& input : inputs) {
    specs.push_back(input->has_value() ? input->spec() : TypeSpec());
    if (!input->has_value()) input = nullptr;
  }
  OpCall call{*node.op, specs, node.attributes, inputs};
  SIGNET_ASSIGN_OR_RETURN(std::vector<TypeSpec> types, node.op->infer(call));
  SIGNET_ASSIGN_OR_RETURN(std::vector<Tensor> made,
                          RunKernelOnce(call, types, run.parallel, &run.budget, run.check));
  return Components(std::make_move_iterator(made.begin()), std::make_move_iterator(made.end()));
}

}  // namespace

StatusOr<Components> RunFlatGraph(const FlatGraph& graph, std::span<const Tensor* const> inputs,
                                  const FlatRun& run) {
  const int64_t before = run.budget.bytes;
  std::vector<Tensor> edges(graph.edges.size());
  for (size_t i = 0; i < edges.size(); ++i) {
    edges[i] = i < inputs.size() ? *inputs[i] : graph.edges[i].constant;
  }
  for (const FlatNode& node : graph.nodes) {
    SIGNET_RETURN_IF_ERROR(run.check());
    auto outputs = RunNode(node, edges, run);
    if (!outputs.ok()) return HasBodies(node) ? outputs.status() : AtOp(*node.op, outputs.status());
    for (size_t i = 0; i < outputs->size(); ++i) {
      edges[static_cast<size_t>(node.outputs[i])] = std::move((*outputs)[i]);
    }
  }
  Components results;
  for (int edge : graph.results) results.push_back(edges[static_cast<size_t>(edge)]);
  run.budget.KeepOnly(before, BytesOf(results));
  return results;
}

}  // namespace signet
