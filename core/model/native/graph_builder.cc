#include "core/model/native/graph_builder.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "core/model/native/attribute_value.h"
#include "core/model/native/dependency_order.h"
#include "core/model/native/limits.h"
#include "core/model/native/references.h"
#include "core/ops/catalog.h"
#include "core/ops/def/op_registry.h"
#include "core/ops/def/output_count.h"

namespace signet {
namespace {

// Returns true if `attribute` of a control op is the name of a function, or several (`functions`).
bool NamesFunction(const OpDef& op, std::string_view attribute) {
  constexpr std::string_view kNames[] = {"function", "then", "else", "condition", "body"};
  return op.control != Control::kNone &&
         std::find(std::begin(kNames), std::end(kNames), attribute) != std::end(kNames);
}

bool NamesFunctions(const OpDef& op, std::string_view attribute) {
  return op.control != Control::kNone && attribute == "functions";
}

class GraphBuilder {
 public:
  GraphBuilder(const FunctionType& type, const Captures& captures,
               const absl::flat_hash_set<std::string>& functions, bool may_override)
      : functions_(functions), may_override_(may_override), references_(type, captures, graph_) {}

  Status AddNodes(const v1::Function& function) {
    if (function.nodes_size() > kMaxNodes) {
      return InvalidArgument(function.nodes_size(), " nodes exceed the limit of ", kMaxNodes);
    }
    graph_.nodes.resize(static_cast<size_t>(function.nodes_size()));
    for (int i = 0; i < function.nodes_size(); ++i) {
      SIGNET_RETURN_IF_ERROR(
          At(WhereIs(function, i), references_.AddNode(function.nodes(i).name(), i)));
    }
    for (int i = 0; i < function.nodes_size(); ++i) {
      auto node = ReadNode(function.nodes(i));
      if (!node.ok()) return At(WhereIs(function, i), node.status());
      graph_.nodes[static_cast<size_t>(i)] = *std::move(node);
    }
    return absl::OkStatus();
  }

  Status SetResult(std::string_view reference) {
    if (reference.empty())
      return InvalidArgument("missing reference to the value that the function returns");
    SIGNET_ASSIGN_OR_RETURN(graph_.result, references_.Resolve(reference));
    return absl::OkStatus();
  }

  StatusOr<BuiltGraph> Finish() && {
    SIGNET_RETURN_IF_ERROR(CheckOutputs());
    SIGNET_RETURN_IF_ERROR(SortNodes());
    return BuiltGraph{std::move(graph_), std::move(callees_)};
  }

 private:
  static std::string WhereIs(const v1::Function& function, int i) {
    const std::string& name = function.nodes(i).name();
    return name.empty() ? Cat("node ", i) : Cat("node `", Printable(name), "`");
  }

  StatusOr<GraphNode> ReadNode(const v1::Node& proto) {
    GraphNode node;
    node.name = proto.name();
    if (proto.op().empty()) return InvalidArgument("missing op");
    SIGNET_ASSIGN_OR_RETURN(node.op, BuiltinOps().FindCallable(proto.op()));
    if (proto.inputs_size() > kMaxNodeInputs) {
      return InvalidArgument(proto.inputs_size(), " inputs exceed the limit of ", kMaxNodeInputs);
    }
    SIGNET_RETURN_IF_ERROR(CheckArity(*node.op, static_cast<size_t>(proto.inputs_size())));
    for (int i = 0; i < proto.inputs_size(); ++i) {
      auto edge = references_.Resolve(proto.inputs(i));
      if (!edge.ok()) return At(Cat("input ", i), edge.status());
      node.inputs.push_back(*edge);
    }
    SIGNET_RETURN_IF_ERROR(ReadAttributes(proto, node));
    return node;
  }

  // Attributes with `from` count as set. Their values are inserted when they are known.
  Status ReadAttributes(const v1::Node& proto, GraphNode& node) {
    std::map<std::string, const v1::Attribute*> sorted;
    for (const auto& [name, attribute] : proto.attributes()) sorted.emplace(name, &attribute);
    NamedTypes given;
    for (const auto& [name, attribute] : sorted) {
      auto value = ReadAttribute(name, *attribute, node);
      if (!value.ok()) return At(Cat("attribute `", Printable(name), "`"), value.status());
      given.emplace_back(name, *std::move(value));
    }
    SIGNET_ASSIGN_OR_RETURN(Attributes complete,
                            CompleteAttributes(*node.op, Attributes(std::move(given))));
    NamedTypes known;
    for (const auto& [name, value] : complete.entries()) {
      bool is_edge = std::any_of(node.attribute_edges.begin(), node.attribute_edges.end(),
                                 [&name = name](const auto& edge) { return edge.first == name; });
      if (!is_edge) known.emplace_back(name, value);
    }
    node.attributes = Attributes(std::move(known));
    return absl::OkStatus();
  }

  StatusOr<TypeSpec> ReadAttribute(const std::string& name, const v1::Attribute& attribute,
                                   GraphNode& node) {
    if (NamesFunctions(*node.op, name)) {
      if (!attribute.has_strings()) {
        return InvalidArgument(
            "expected names of functions of the model, `strings { values: \"NAME\" ... }`");
      }
      for (const std::string& function : attribute.strings().values()) {
        SIGNET_RETURN_IF_ERROR(CheckFunction(function));
        callees_.push_back(function);
      }
    }
    bool names_function = NamesFunction(*node.op, name);
    if (names_function && !attribute.has_function()) {
      return InvalidArgument("expected the name of a function of the model, `function: \"NAME\"`");
    }
    if (attribute.has_function()) {
      SIGNET_RETURN_IF_ERROR(CheckFunction(attribute.function()));
      if (names_function) callees_.push_back(attribute.function());
    }
    if (attribute.value_case() != v1::Attribute::kFrom) return AttributeFromProto(attribute);
    SIGNET_ASSIGN_OR_RETURN(GraphEdge edge, references_.Resolve(attribute.from()));
    node.attribute_edges.emplace_back(name, edge);
    return AttributeOf(true);  // a placeholder: Complete only checks that it is set
  }

  Status CheckFunction(const std::string& name) const {
    if (functions_.contains(name)) return absl::OkStatus();
    return NotFound("function `", Printable(name),
                    "` not found; functions: ", ListNames({functions_.begin(), functions_.end()}));
  }

  template <class Visit>
  static void VisitEdges(GraphNode& node, Visit visit) {
    for (GraphEdge& edge : node.inputs) visit(edge);
    for (auto& [name, edge] : node.attribute_edges) visit(edge);
  }

  // Rejects references to outputs that a node does not have for any types.
  Status CheckOutputs() {
    for (GraphNode& node : graph_.nodes) {
      Status status;
      VisitEdges(node, [&](const GraphEdge& edge) {
        if (status.ok()) status = CheckOutput(edge);
      });
      SIGNET_RETURN_IF_ERROR(At(Cat("node `", Printable(node.name), "`"), status));
    }
    return At("result", CheckOutput(graph_.result));
  }

  Status CheckOutput(const GraphEdge& edge) const {
    if (edge.kind != GraphEdge::Kind::kNode) return absl::OkStatus();
    const GraphNode& node = graph_.nodes[static_cast<size_t>(edge.index)];
    const bool is_control = node.op->control != Control::kNone;
    if (may_override_ && !is_control && !node.op->any_type) return absl::OkStatus();
    const auto most = MaxOutputs(*node.op, node.inputs.size());
    if (!most || static_cast<size_t>(edge.output) < *most) return absl::OkStatus();
    return InvalidArgument("expected an output of node `", Printable(node.name), "`, which has ",
                           *most, " (op `", node.op->name, "`), found output ", edge.output);
  }

  Status SortNodes() {
    std::vector<std::vector<int>> dependencies(graph_.nodes.size());
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      VisitEdges(graph_.nodes[i], [&](const GraphEdge& edge) {
        if (edge.kind == GraphEdge::Kind::kNode) dependencies[i].push_back(edge.index);
      });
    }
    DependencyOrder sorted = OrderByDependencies(dependencies);
    if (!sorted.cycle.empty()) return CycleOf(sorted.cycle);
    std::vector<int> place(graph_.nodes.size());
    std::vector<GraphNode> nodes;
    nodes.reserve(graph_.nodes.size());
    for (int i : sorted.order) {
      place[static_cast<size_t>(i)] = static_cast<int>(nodes.size());
      nodes.push_back(std::move(graph_.nodes[static_cast<size_t>(i)]));
    }
    auto move = [&](GraphEdge& edge) {
      if (edge.kind == GraphEdge::Kind::kNode) edge.index = place[static_cast<size_t>(edge.index)];
    };
    for (GraphNode& node : nodes) VisitEdges(node, move);
    move(graph_.result);
    graph_.nodes = std::move(nodes);
    return absl::OkStatus();
  }

  // Returns the error for a cycle of nodes. Each node on the cycle uses an output of the next one.
  Status CycleOf(const std::vector<int>& cycle) const {
    constexpr size_t kMost = 8;
    std::vector<std::string> names;
    for (size_t i = 0; i < cycle.size() && i < kMost; ++i) {
      names.push_back(Cat("`", graph_.nodes[static_cast<size_t>(cycle[i])].name, "`"));
    }
    if (cycle.size() > kMost) names.push_back(Cat("(", cycle.size() - kMost, " more)"));
    names.push_back(names[0]);
    return InvalidArgument("nodes use each other in a cycle: ", Join(names, " <- "));
  }

  const absl::flat_hash_set<std::string>& functions_;
  const bool may_override_;
  Graph graph_;  // nodes in the order of the message, then nodes made for fields
  References references_;
  std::vector<std::string> callees_;
};

}  // namespace

StatusOr<BuiltGraph> BuildGraph(const v1::Function& function, const FunctionType& type,
                                const Captures& captures,
                                const absl::flat_hash_set<std::string>& functions,
                                bool may_override) {
  for (const Parameter& parameter : type.parameters()) {
    if (!captures.contains(parameter.name)) continue;
    return InvalidArgument("parameter `", parameter.name,
                           "`: duplicate name; a capture has it, too");
  }
  GraphBuilder builder(type, captures, functions, may_override);
  SIGNET_RETURN_IF_ERROR(builder.AddNodes(function));
  SIGNET_RETURN_IF_ERROR(At("result", builder.SetResult(function.result())));
  return std::move(builder).Finish();
}

}  // namespace signet
