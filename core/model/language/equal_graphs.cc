#include "core/model/language/equal_graphs.h"

#include <algorithm>
#include <string_view>

namespace signet {
namespace {

class Comparison {
 public:
  Comparison(const Graph& expected, const Graph& found) : expected_(expected), found_(found) {}

  Status Compare() {
    if (expected_.nodes.size() != found_.nodes.size()) {
      return FailedPrecondition("expected ", expected_.nodes.size(), " nodes, found ",
                                found_.nodes.size());
    }
    for (size_t i = 0; i < found_.nodes.size(); ++i) indices_.emplace(KeyOf(found_, i), i);
    for (size_t i = 0; i < expected_.nodes.size(); ++i) {
      const GraphNode& node = expected_.nodes[i];
      auto other = indices_.find(KeyOf(expected_, i));
      Status status = other == indices_.end() ? FailedPrecondition("expected this node, found none")
                                              : CompareNodes(node, found_.nodes[other->second]);
      if (!status.ok()) return At(Cat("node `", Printable(node.name), "`"), status);
    }
    if (!IsSameEdge(expected_.result, found_.result)) {
      return FailedPrecondition("result: expected another value");
    }
    return absl::OkStatus();
  }

 private:
  // Checks of the signature may have the name of another node. They are in the same order.
  static std::string KeyOf(const Graph& graph, size_t i) {
    return graph.nodes[i].checks_signature ? Cat("check ", i) : Cat("node ", graph.nodes[i].name);
  }

  Status CompareNodes(const GraphNode& a, const GraphNode& b) const {
    if (a.op != b.op)
      return FailedPrecondition("expected op `", a.op->name, "`, found `", b.op->name, "`");
    if (a.attributes != b.attributes) {
      return FailedPrecondition("expected the attributes `", a.attributes.ToString(), "`, found `",
                                b.attributes.ToString(), "`");
    }
    if (a.inputs.size() != b.inputs.size()) {
      return FailedPrecondition("expected ", a.inputs.size(), " inputs, found ", b.inputs.size());
    }
    for (size_t k = 0; k < a.inputs.size(); ++k) {
      if (!IsSameEdge(a.inputs[k], b.inputs[k])) {
        return FailedPrecondition("input ", k, ": expected another value");
      }
    }
    auto by_name = [](const auto& x, const auto& y) { return x.first < y.first; };
    auto edges = a.attribute_edges;
    auto others = b.attribute_edges;
    std::sort(edges.begin(), edges.end(), by_name);
    std::sort(others.begin(), others.end(), by_name);
    const bool same = std::equal(edges.begin(), edges.end(), others.begin(), others.end(),
                                 [&](const auto& x, const auto& y) {
                                   return x.first == y.first && IsSameEdge(x.second, y.second);
                                 });
    return same ? absl::OkStatus() : FailedPrecondition("expected other values of attributes");
  }

  bool IsSameEdge(const GraphEdge& a, const GraphEdge& b) const {
    if (a.kind != b.kind || a.output != b.output) return false;
    const auto i = static_cast<size_t>(a.index);
    const auto j = static_cast<size_t>(b.index);
    switch (a.kind) {
      case GraphEdge::Kind::kParameter:
        return i == j;
      case GraphEdge::Kind::kCapture:
        return expected_.captures[i] == found_.captures[j];
      case GraphEdge::Kind::kLiteral:
        return SameValue(expected_.literals[i], found_.literals[j]);
      case GraphEdge::Kind::kNode:
        return KeyOf(expected_, i) == KeyOf(found_, j);
    }
    return false;
  }

  const Graph& expected_;
  const Graph& found_;
  absl::flat_hash_map<std::string, size_t> indices_;  // of the nodes of `found_`
};

}  // namespace

Status EqualGraphs(const Graph& expected, const Graph& found) {
  return Comparison(expected, found).Compare();
}

Status EqualFunctions(const FunctionDef& expected, const FunctionDef& found) {
  auto differs = [](std::string_view what) {
    return FailedPrecondition("expected the same ", what);
  };
  if (expected.doc != found.doc) return differs("documentation");
  if (expected.type != found.type) return differs("signature");
  if (expected.parameter_docs != found.parameter_docs) return differs("parameter documentation");
  if (expected.examples != found.examples) return differs("examples");
  if (expected.dimension_names != found.dimension_names) return differs("names of dimensions");
  if (expected.defaults.size() != found.defaults.size()) return differs("defaults");
  for (const auto& [name, value] : expected.defaults) {
    auto other = found.defaults.find(name);
    if (other == found.defaults.end() || !SameValue(value, other->second))
      return differs("defaults");
  }
  return EqualGraphs(expected.graph, found.graph);
}

}  // namespace signet
