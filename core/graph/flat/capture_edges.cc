#include "core/graph/flat/capture_edges.h"

#include <algorithm>

#include "core/graph/flat/control_nodes.h"

namespace signet {
namespace {

// Returns for each edge whether a node or a result reads it.
std::vector<bool> EdgesRead(const FlatGraph& graph) {
  std::vector<bool> read(graph.edges.size(), false);
  for (const FlatNode& node : graph.nodes) {
    for (int edge : node.inputs) {
      if (edge != kNoEdge) read[static_cast<size_t>(edge)] = true;
    }
  }
  for (int edge : graph.results) read[static_cast<size_t>(edge)] = true;
  return read;
}

// Removes the constants, and returns the bytes of the others.
size_t RemoveCaptureValues(FlatGraph& graph) {
  const std::vector<bool> read = EdgesRead(graph);
  size_t bytes = 0;
  for (size_t i = 0; i < graph.edges.size(); ++i) {
    FlatEdge& edge = graph.edges[i];
    if (!edge.capture.empty() || !read[i]) edge.constant = {};
    if (edge.constant.has_value()) bytes += edge.constant.num_bytes();
    if (!read[i]) edge.capture.clear();
  }
  for (FlatNode& node : graph.nodes) {
    for (auto& body : node.bodies) {
      auto changed = std::make_shared<FlatGraph>(*body);
      bytes += RemoveCaptureValues(*changed);
      body = std::move(changed);
    }
  }
  return bytes;
}

// A capture of another dtype than floats, and of at most this size, is taken for a size or an axis.
constexpr size_t kMaxSettingBytes = 4096;

}  // namespace

StatusOr<std::vector<TypeSpec>> InferWithCaptures(const FlatGraph& graph, const OpDef& op,
                                                  std::span<const int> inputs,
                                                  const Attributes& attributes,
                                                  std::set<std::string>& read) {
  NodeInputs known = InputsOf(graph, inputs);
  auto types = op.infer({op, known.specs, attributes, known.constants});
  std::vector<const Tensor*> others = known.constants;
  std::vector<std::string> hidden;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (known.constants[i] == nullptr) continue;
    const FlatEdge& edge = graph.edges[static_cast<size_t>(inputs[i])];
    if (edge.capture.empty()) continue;
    if (!IsFloat(edge.constant.dtype()) && edge.constant.num_bytes() <= kMaxSettingBytes) {
      read.insert(edge.capture);
    } else {
      others[i] = nullptr;
      hidden.push_back(edge.capture);
    }
  }
  if (hidden.empty()) return types;
  auto unknown = op.infer({op, known.specs, attributes, others});
  const bool is_same = types.ok() && unknown.ok() && *types == *unknown;
  if (!is_same) read.insert(hidden.begin(), hidden.end());
  return types;
}

bool UsesCaptures(const FlatGraph& graph) {
  const std::vector<bool> read = EdgesRead(graph);
  for (size_t i = 0; i < graph.edges.size(); ++i) {
    if (read[i] && !graph.edges[i].capture.empty()) return true;
  }
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [](const FlatNode& node) {
    return std::any_of(node.bodies.begin(), node.bodies.end(),
                       [](const auto& body) { return UsesCaptures(*body); });
  });
}

std::set<std::string> FoldedCaptures(const FlatGraph& graph) {
  std::set<std::string> folded = graph.folded_captures;
  for (const FlatNode& node : graph.nodes) {
    for (const auto& body : node.bodies) folded.merge(FoldedCaptures(*body));
  }
  return folded;
}

std::shared_ptr<const FlatGraph> WithoutCaptureValues(const FlatGraph& graph,
                                                      size_t max_constant_bytes) {
  auto out = std::make_shared<FlatGraph>(graph);
  return RemoveCaptureValues(*out) <= max_constant_bytes ? out : nullptr;
}

StatusOr<FlatGraph> WithCaptureValues(const FlatGraph& graph, FindCapture find) {
  FlatGraph out = graph;
  for (FlatEdge& edge : out.edges) {
    if (edge.capture.empty()) continue;
    SIGNET_ASSIGN_OR_RETURN(Value value, find(edge.capture));
    if (edge.component >= value.components().size() ||
        value.components()[edge.component].spec() != edge.spec) {
      return FailedPrecondition("capture `", Printable(edge.capture), "`: expected component ",
                                edge.component, " of type `", edge.spec, "`, found `", value.spec(),
                                "`");
    }
    edge.constant = value.components()[edge.component];
  }
  for (FlatNode& node : out.nodes) {
    for (auto& body : node.bodies) {
      SIGNET_ASSIGN_OR_RETURN(FlatGraph changed, WithCaptureValues(*body, find));
      body = std::make_shared<const FlatGraph>(std::move(changed));
    }
  }
  return out;
}

}  // namespace signet
