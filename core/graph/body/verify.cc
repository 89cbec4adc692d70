#include "core/graph/body/verify.h"

#include <algorithm>

#include "core/graph/body/function_references.h"
#include "core/ops/def/op_registry.h"
#include "core/ops/def/output_count.h"

namespace signet {
namespace {

class BodyVerifier {
 public:
  BodyVerifier(const FunctionDef& def, const GraphScope& scope)
      : graph_(def.graph), num_parameters_(def.type.parameters().size()), scope_(scope) {}

  Status Run() const {
    for (const std::string& capture : graph_.captures) {
      if (!scope_.captures.contains(capture)) {
        return NotFound("capture `", Printable(capture), "` not found");
      }
    }
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      const GraphNode& node = graph_.nodes[i];
      const std::string where =
          node.name.empty() ? Cat("node ", i) : Cat("node `", Printable(node.name), "`");
      SIGNET_RETURN_IF_ERROR(At(where, CheckNode(node, i)));
    }
    return At("result", CheckEdge(graph_.result, graph_.nodes.size()));
  }

 private:
  Status CheckNode(const GraphNode& node, size_t i) const {
    if (node.op == nullptr) return InvalidArgument("no op");
    SIGNET_RETURN_IF_ERROR(CheckArity(*node.op, node.inputs.size()));
    for (size_t k = 0; k < node.inputs.size(); ++k) {
      SIGNET_RETURN_IF_ERROR(At(Cat("input ", k), CheckEdge(node.inputs[k], i)));
    }
    for (const auto& [name, edge] : node.attribute_edges) {
      SIGNET_RETURN_IF_ERROR(At(Cat("attribute `", Printable(name), "`"), CheckEdge(edge, i)));
    }
    SIGNET_RETURN_IF_ERROR(CheckAttributes(node));
    return CheckCalls(node);
  }

  // `end` is the number of nodes that the edge may refer to.
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

  Status CheckOutput(const GraphEdge& edge) const {
    if (edge.output == 0) return absl::OkStatus();
    if (edge.kind != GraphEdge::Kind::kNode || edge.output < 0) {
      return InvalidArgument("expected output 0, found output ", edge.output);
    }
    const GraphNode& node = graph_.nodes[static_cast<size_t>(edge.index)];
    const bool is_control = node.op->control != Control::kNone;
    if (scope_.may_override && !is_control && !node.op->any_type) return absl::OkStatus();
    const auto most = MaxOutputs(*node.op, node.inputs.size());
    if (!most || static_cast<size_t>(edge.output) < *most) return absl::OkStatus();
    return InvalidArgument("expected an output of node `", Printable(node.name), "`, which has ",
                           *most, " (op `", node.op->name, "`), found output ", edge.output);
  }

  // Attributes from edges count as given; their values are known when the function is specialized.
  static Status CheckAttributes(const GraphNode& node) {
    NamedTypes given = node.attributes.entries();
    for (const auto& [name, edge] : node.attribute_edges) {
      const bool is_duplicate =
          std::any_of(given.begin(), given.end(),
                      [&name = name](const auto& other) { return other.first == name; });
      if (is_duplicate) return InvalidArgument("duplicate attribute `", Printable(name), "`");
      given.emplace_back(name, AttributeOf(true));
    }
    const Attributes all(std::move(given));
    SIGNET_ASSIGN_OR_RETURN(Attributes complete, CompleteAttributes(*node.op, all));
    if (complete == all) return absl::OkStatus();
    return InvalidArgument("expected the attributes `", complete.ToString(), "`, found `",
                           all.ToString(), "`");
  }

  Status CheckCalls(const GraphNode& node) const {
    for (const auto& [name, edge] : node.attribute_edges) {
      if (!NamesFunction(*node.op, name) && !NamesFunctions(*node.op, name)) continue;
      return InvalidArgument("attribute `", name, "`: expected a function of the model");
    }
    SIGNET_ASSIGN_OR_RETURN(std::vector<FunctionReference> calls, FunctionReferences(node));
    for (const auto& [attribute, name] : calls) {
      if (scope_.functions.contains(name)) continue;
      return NotFound("attribute `", attribute, "`: function `", Printable(name),
                      "` not found; functions: ",
                      ListNames({scope_.functions.begin(), scope_.functions.end()}));
    }
    return absl::OkStatus();
  }

  const Graph& graph_;
  const size_t num_parameters_;
  const GraphScope& scope_;
};

}  // namespace

Status Verify(const FunctionDef& def, const GraphScope& scope) {
  return BodyVerifier(def, scope).Run();
}

}  // namespace signet
