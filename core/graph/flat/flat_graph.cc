#include "core/graph/flat/flat_graph.h"

#include <algorithm>
#include <sstream>

#include "core/graph/flat/control_nodes.h"

namespace signet {
namespace {

std::string EdgeName(int edge) { return edge == kNoEdge ? "_" : Cat("%", edge); }

std::string NodeText(const FlatGraph& graph, const FlatNode& node) {
  std::vector<std::string> outputs, inputs, types;
  for (int edge : node.outputs) {
    outputs.push_back(EdgeName(edge));
    types.push_back(graph.edges[static_cast<size_t>(edge)].spec.ToString());
  }
  for (int edge : node.inputs) inputs.push_back(EdgeName(edge));
  std::string attributes = node.attributes.ToString();
  std::string text = Cat(Join(outputs, ", "), " = ", node.op->name, "(", Join(inputs, ", "),
                         attributes.empty() ? "" : "; ", attributes, ")  ", Join(types, ", "));
  for (size_t i = 0; i < node.bodies.size(); ++i) {
    text += Cat("\n  body ", i, ":");
    std::istringstream lines(node.bodies[i]->ToString());
    for (std::string line; std::getline(lines, line);) text += Cat("\n    ", line);
  }
  return text;
}

}  // namespace

std::string FlatGraph::ToString() const {
  std::string out = "inputs:";
  for (int i = 0; i < num_inputs; ++i) {
    out += Cat(i == 0 ? " " : ", ", EdgeName(i), " ", edges[static_cast<size_t>(i)].spec);
  }
  out += "\n";
  for (size_t i = static_cast<size_t>(num_inputs); i < edges.size(); ++i) {
    if (!edges[i].constant.has_value()) continue;
    bool used = std::count(results.begin(), results.end(), static_cast<int>(i)) > 0;
    for (const FlatNode& node : nodes) {
      used |= std::count(node.inputs.begin(), node.inputs.end(), static_cast<int>(i)) > 0;
    }
    if (used) out += Cat(EdgeName(static_cast<int>(i)), " = constant  ", edges[i].spec, "\n");
  }
  for (const FlatNode& node : nodes) out += NodeText(*this, node) + "\n";
  out += "results:";
  for (size_t i = 0; i < results.size(); ++i) {
    out += Cat(i == 0 ? " " : ", ", EdgeName(results[i]));
  }
  return out + "\n";
}

NodeInputs InputsOf(const FlatGraph& graph, std::span<const int> inputs) {
  NodeInputs out;
  for (int edge : inputs) {
    if (edge == kNoEdge) {
      out.specs.emplace_back();
      out.constants.push_back(nullptr);
      continue;
    }
    const FlatEdge& from = graph.edges[static_cast<size_t>(edge)];
    out.specs.push_back(from.spec);
    out.constants.push_back(from.constant.has_value() ? &from.constant : nullptr);
  }
  return out;
}

void PruneDead(FlatGraph& graph) {
  std::vector<bool> needed(graph.edges.size(), false);
  for (int edge : graph.results) needed[static_cast<size_t>(edge)] = true;
  std::vector<FlatNode> kept;
  for (auto node = graph.nodes.rbegin(); node != graph.nodes.rend(); ++node) {
    bool used = std::any_of(node->outputs.begin(), node->outputs.end(),
                            [&](int edge) { return needed[static_cast<size_t>(edge)]; });
    if (!used && !HasEffect(*node)) continue;
    if (HasBodies(*node)) PruneControl(*node, needed);
    for (int edge : node->inputs) {
      if (edge != kNoEdge) needed[static_cast<size_t>(edge)] = true;
    }
    kept.push_back(std::move(*node));
  }
  std::reverse(kept.begin(), kept.end());
  graph.nodes = std::move(kept);
}

}  // namespace signet
