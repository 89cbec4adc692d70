#include "core/graph/body/graph_builder.h"

#include "core/graph/body/dependency_order.h"
#include "core/graph/body/verify.h"
#include "core/ops/def/op_registry.h"

namespace signet {
namespace {

template <class Visit>
void VisitEdges(GraphNode& node, Visit visit) {
  for (GraphEdge& edge : node.inputs) visit(edge);
  for (auto& [name, edge] : node.attribute_edges) visit(edge);
}

}  // namespace

GraphBuilder::GraphBuilder(const OpRegistry& ops, const Captures& captures)
    : ops_(ops), captures_(captures) {}

void GraphBuilder::Fail(Status status) {
  if (status_.ok()) status_ = std::move(status);
}

// --- parameters, captures, literals -------------------------------------------------------------

GraphEdge GraphBuilder::AddParameter(std::string_view name) {
  if (!status_.ok()) return {};
  const GraphEdge edge{GraphEdge::Kind::kParameter, static_cast<int>(num_parameters_)};
  if (!names_.emplace(std::string(name), edge).second) {
    Fail(InvalidArgument("parameter `", Printable(name),
                         "`: duplicate name; another parameter or a node has it, too"));
    return {};
  }
  ++num_parameters_;
  return edge;
}

GraphEdge GraphBuilder::AddCapture(std::string_view name) {
  if (!status_.ok()) return {};
  auto [found, is_new] =
      capture_indices_.emplace(std::string(name), static_cast<int>(graph_.captures.size()));
  if (is_new) {
    if (!captures_.contains(found->first)) {
      Fail(NotFound("capture `", Printable(name), "` not found"));
      return {};
    }
    graph_.captures.emplace_back(name);
  }
  return {GraphEdge::Kind::kCapture, found->second};
}

GraphEdge GraphBuilder::AddLiteral(Value value) {
  if (!status_.ok()) return {};
  graph_.literals.push_back(std::move(value));
  return {GraphEdge::Kind::kLiteral, static_cast<int>(graph_.literals.size()) - 1};
}

GraphEdge GraphBuilder::AddLiteral(const Literal& literal) {
  auto known = literal_indices_.find(literal);
  if (known != literal_indices_.end()) return {GraphEdge::Kind::kLiteral, known->second};
  const GraphEdge edge = AddLiteral(Value::OfLiteral(literal));
  if (status_.ok()) literal_indices_.emplace(literal, edge.index);
  return edge;
}

// --- nodes --------------------------------------------------------------------------------------

GraphEdge GraphBuilder::AddNode(std::string_view name, std::string_view op, Edges inputs,
                                Attributes attributes, AttributeEdges attribute_edges) {
  return Add(ops_.FindCallable(op), {.name = std::string(name),
                                     .inputs = std::move(inputs),
                                     .attributes = std::move(attributes),
                                     .attribute_edges = std::move(attribute_edges)});
}

GraphEdge GraphBuilder::AddSignatureCheck(std::string_view label, std::string_view op, Edges inputs,
                                          Attributes attributes) {
  return Add(ops_.Find(op), {.name = std::string(label),
                             .inputs = std::move(inputs),
                             .attributes = std::move(attributes),
                             .checks_signature = true});
}

GraphEdge GraphBuilder::DeclareNode(std::string_view name) {
  has_declared_nodes_ = true;
  return Append({.name = std::string(name), .inputs = {}});
}

void GraphBuilder::DefineNode(GraphEdge node, std::string_view op, Edges inputs,
                              Attributes attributes, AttributeEdges attribute_edges) {
  if (!status_.ok()) return;
  const auto index = static_cast<size_t>(node.index);
  SIGNET_CHECK(node.kind == GraphEdge::Kind::kNode && index < graph_.nodes.size() &&
               graph_.nodes[index].op == nullptr);
  GraphNode defined{.name = std::move(graph_.nodes[index].name),
                    .inputs = std::move(inputs),
                    .attributes = std::move(attributes),
                    .attribute_edges = std::move(attribute_edges)};
  Status status = Complete(ops_.FindCallable(op), defined);
  if (!status.ok()) return Fail(At(PlaceOfNode(defined.name, index), std::move(status)));
  graph_.nodes[index] = std::move(defined);
}

GraphEdge GraphBuilder::Add(StatusOr<const OpDef*> op, GraphNode node) {
  if (!status_.ok()) return {};
  Status status = Complete(op, node);
  if (status.ok()) return Append(std::move(node));
  Fail(At(PlaceOfNode(node.name, graph_.nodes.size()), std::move(status)));
  return {};
}

GraphEdge GraphBuilder::Append(GraphNode node) {
  if (!status_.ok()) return {};
  const size_t index = graph_.nodes.size();
  const GraphEdge edge{GraphEdge::Kind::kNode, static_cast<int>(index)};
  if (index >= kMaxNodes) {
    Fail(InvalidArgument("nodes exceed the limit of ", kMaxNodes));
    return {};
  }
  if (!node.checks_signature) {
    auto [other, is_new] = names_.emplace(node.name, edge);
    if (!is_new) {
      const bool is_node = other->second.kind == GraphEdge::Kind::kNode;
      Fail(At(PlaceOfNode(node.name, index),
              InvalidArgument("duplicate name; ", is_node ? "another node" : "a parameter",
                              " has it, too")));
      return {};
    }
  }
  graph_.nodes.push_back(std::move(node));
  return edge;
}

Status GraphBuilder::Complete(const StatusOr<const OpDef*>& op, GraphNode& node) const {
  SIGNET_RETURN_IF_ERROR(op.status());
  node.op = *op;
  if (node.inputs.size() > kMaxNodeInputs) {
    return InvalidArgument(node.inputs.size(), " inputs exceed the limit of ", kMaxNodeInputs);
  }
  SIGNET_RETURN_IF_ERROR(VerifyInputs(node, graph_, num_parameters_));
  SIGNET_ASSIGN_OR_RETURN(node.attributes, CompleteAttributesOf(node));
  return absl::OkStatus();
}

// --- names and the result -----------------------------------------------------------------------

std::optional<GraphEdge> GraphBuilder::Lookup(std::string_view name) const {
  auto found = names_.find(absl::string_view(name.data(), name.size()));
  return found == names_.end() ? std::nullopt : std::optional(found->second);
}

std::vector<std::string> GraphBuilder::Names() const {
  std::vector<std::string> names;
  names.reserve(names_.size());
  for (const auto& [name, edge] : names_) names.push_back(name);
  return names;
}

StatusOr<Graph> GraphBuilder::Finish(GraphEdge result) && {
  SIGNET_RETURN_IF_ERROR(status_);
  SIGNET_RETURN_IF_ERROR(At("result", VerifyEdge(result, graph_, num_parameters_)));
  graph_.result = result;
  if (has_declared_nodes_) SIGNET_RETURN_IF_ERROR(SortNodes());
  return std::move(graph_);
}

Status GraphBuilder::SortNodes() {
  std::vector<std::vector<int>> dependencies(graph_.nodes.size());
  for (size_t i = 0; i < graph_.nodes.size(); ++i) {
    if (graph_.nodes[i].op == nullptr) {
      return At(PlaceOfNode(graph_.nodes[i].name, i), InvalidArgument("missing definition"));
    }
    VisitEdges(graph_.nodes[i], [&](const GraphEdge& edge) {
      if (edge.kind == GraphEdge::Kind::kNode) dependencies[i].push_back(edge.index);
    });
  }
  DependencyOrder sorted = OrderByDependencies(dependencies);
  if (!sorted.cycle.empty()) return CycleOf(sorted.cycle);
  std::vector<int> places(graph_.nodes.size());
  std::vector<GraphNode> nodes;
  nodes.reserve(graph_.nodes.size());
  for (int i : sorted.order) {
    places[static_cast<size_t>(i)] = static_cast<int>(nodes.size());
    nodes.push_back(std::move(graph_.nodes[static_cast<size_t>(i)]));
  }
  auto move = [&](GraphEdge& edge) {
    if (edge.kind == GraphEdge::Kind::kNode) edge.index = places[static_cast<size_t>(edge.index)];
  };
  for (GraphNode& node : nodes) VisitEdges(node, move);
  move(graph_.result);
  graph_.nodes = std::move(nodes);
  return absl::OkStatus();
}

// Returns the error for a cycle of nodes. Each node on the cycle uses an output of the next one.
Status GraphBuilder::CycleOf(const std::vector<int>& cycle) const {
  constexpr size_t kMaxShown = 8;
  std::vector<std::string> names;
  for (size_t i = 0; i < cycle.size() && i < kMaxShown; ++i) {
    names.push_back(Cat("`", Printable(graph_.nodes[static_cast<size_t>(cycle[i])].name), "`"));
  }
  if (cycle.size() > kMaxShown) names.push_back(Cat("(", cycle.size() - kMaxShown, " more)"));
  names.push_back(names[0]);
  return InvalidArgument("nodes use each other in a cycle: ", Join(names, " <- "));
}

}  // namespace signet
