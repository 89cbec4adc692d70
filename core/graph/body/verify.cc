#include "core/graph/body/verify.h"

#include <algorithm>

#include "core/graph/body/function_references.h"
#include "core/ops/def/op_registry.h"
#include "core/ops/def/output_count.h"

namespace signet {
namespace {

// Checks the edges of a graph.
class EdgeVerifier {
 public:
  EdgeVerifier(const Graph& graph, size_t num_parameters, bool may_override)
      : graph_(graph), num_parameters_(num_parameters), may_override_(may_override) {}

  // Checks the number of inputs, and all edges. `end` is the number of nodes that they may refer
  // to.
  Status CheckInputs(const GraphNode& node, size_t end) const {
    if (node.op == nullptr) return InvalidArgument("no op");
    SIGNET_RETURN_IF_ERROR(CheckArity(*node.op, node.inputs.size()));
    for (size_t k = 0; k < node.inputs.size(); ++k) {
      SIGNET_RETURN_IF_ERROR(At(Cat("input ", k), CheckEdge(node.inputs[k], end)));
    }
    for (const auto& [name, edge] : node.attribute_edges) {
      SIGNET_RETURN_IF_ERROR(At(Cat("attribute `", Printable(name), "`"), CheckEdge(edge, end)));
    }
    return absl::OkStatus();
  }

  Status CheckEdge(const GraphEdge& edge, size_t end) const {
    size_t size = end;
    const char* kind = "an earlier node, found node ";
    switch (edge.kind) {
      case GraphEdge::Kind::kParameter:
        size = num_parameters_;
        kind = "a parameter, found parameter ";
        break;
      case GraphEdge::Kind::kCapture:
        size = graph_.captures.size();
        kind = "a capture, found capture ";
        break;
      case GraphEdge::Kind::kLiteral:
        size = graph_.literals.size();
        kind = "a literal, found literal ";
        break;
      case GraphEdge::Kind::kNode:
        break;
    }
    if (edge.index < 0 || static_cast<size_t>(edge.index) >= size) {
      return InvalidArgument("expected ", kind, edge.index);
    }
    return CheckOutput(edge);
  }

 private:
  Status CheckOutput(const GraphEdge& edge) const {
    if (edge.output == 0) return absl::OkStatus();
    if (edge.kind != GraphEdge::Kind::kNode || edge.output < 0) {
      return InvalidArgument("expected output 0, found output ", edge.output);
    }
    const GraphNode& node = graph_.nodes[static_cast<size_t>(edge.index)];
    if (node.op == nullptr) return absl::OkStatus();  // the node itself is an error
    const bool is_control = node.op->control != Control::kNone;
    if (may_override_ && !is_control && !node.op->any_type) return absl::OkStatus();
    const auto most = MaxOutputs(*node.op, node.inputs.size());
    if (!most || static_cast<size_t>(edge.output) < *most) return absl::OkStatus();
    return InvalidArgument("expected an output of node `", Printable(node.name), "`, which has ",
                           *most, " (op `", node.op->name, "`), found output ", edge.output);
  }

  const Graph& graph_;
  const size_t num_parameters_;
  const bool may_override_;
};

Status CheckAttributes(const GraphNode& node) {
  SIGNET_ASSIGN_OR_RETURN(Attributes complete, CompleteAttributesOf(node));
  if (complete == node.attributes) return absl::OkStatus();
  return InvalidArgument("expected the attributes `", complete.ToString(), "`, found `",
                         node.attributes.ToString(), "`");
}

Status CheckCalls(const GraphNode& node, const absl::flat_hash_set<std::string>& functions) {
  for (const auto& [name, edge] : node.attribute_edges) {
    if (!NamesFunction(*node.op, name) && !NamesFunctions(*node.op, name)) continue;
    return InvalidArgument("attribute `", name, "`: expected a function of the model");
  }
  SIGNET_ASSIGN_OR_RETURN(std::vector<FunctionReference> calls, FunctionReferences(node));
  for (const auto& [attribute, name] : calls) {
    if (functions.contains(name)) continue;
    return NotFound("attribute `", attribute, "`: function `", Printable(name),
                    "` not found; functions: ", ListNames({functions.begin(), functions.end()}));
  }
  return absl::OkStatus();
}

}  // namespace

Status Verify(const FunctionDef& def, const GraphScope& scope) {
  const Graph& graph = def.graph;
  for (const std::string& capture : graph.captures) {
    if (!scope.captures.contains(capture)) {
      return NotFound("capture `", Printable(capture), "` not found");
    }
  }
  const EdgeVerifier edges(graph, def.type.parameters().size(), scope.may_override);
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const GraphNode& node = graph.nodes[i];
    Status status = edges.CheckInputs(node, i);
    if (status.ok()) status = CheckAttributes(node);
    if (status.ok()) status = CheckCalls(node, scope.functions);
    if (!status.ok()) return At(PlaceOfNode(node.name, i), std::move(status));
  }
  return At("result", edges.CheckEdge(graph.result, graph.nodes.size()));
}

std::string PlaceOfNode(std::string_view name, size_t index) {
  return name.empty() ? Cat("node ", index) : Cat("node `", Printable(name), "`");
}

Status VerifyEdge(const GraphEdge& edge, const Graph& graph, size_t num_parameters) {
  return EdgeVerifier(graph, num_parameters, /*may_override=*/true)
      .CheckEdge(edge, graph.nodes.size());
}

Status VerifyInputs(const GraphNode& node, const Graph& graph, size_t num_parameters) {
  return EdgeVerifier(graph, num_parameters, /*may_override=*/true)
      .CheckInputs(node, graph.nodes.size());
}

StatusOr<Attributes> CompleteAttributesOf(const GraphNode& node) {
  if (node.attribute_edges.empty()) return CompleteAttributes(*node.op, node.attributes);
  // Attributes from edges count as given. Their values are known when the function is specialized.
  auto is_edge = [&](std::string_view name) {
    return std::any_of(node.attribute_edges.begin(), node.attribute_edges.end(),
                       [&](const auto& edge) { return edge.first == name; });
  };
  NamedTypes given = node.attributes.entries();
  for (const auto& [name, edge] : node.attribute_edges) {
    const bool is_duplicate =
        std::any_of(given.begin(), given.end(),
                    [&name = name](const auto& other) { return other.first == name; });
    if (is_duplicate) return InvalidArgument("duplicate attribute `", Printable(name), "`");
    given.emplace_back(name, AttributeOf(true));
  }
  SIGNET_ASSIGN_OR_RETURN(Attributes complete,
                          CompleteAttributes(*node.op, Attributes(std::move(given))));
  NamedTypes known;
  for (const auto& [name, value] : complete.entries()) {
    if (!is_edge(name)) known.emplace_back(name, value);
  }
  return Attributes(std::move(known));
}

}  // namespace signet
