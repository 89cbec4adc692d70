#include "core/model/native/graph_builder.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

#include "core/model/native/attribute_value.h"
#include "core/model/native/dependency_order.h"
#include "core/model/native/limits.h"
#include "core/model/native/literal_value.h"
#include "core/ops/registry.h"
#include "core/types/identifier.h"

namespace signet {
namespace {

bool IsNumber(std::string_view text) {
  return text.find_first_not_of("0123456789") == std::string_view::npos;
}

// Attributes of a control op name functions of the model.
bool IsControl(const OpDef& op) { return op.control != Control::kNone; }

class GraphBuilder {
 public:
  GraphBuilder(const FunctionType& type, const Captures& captures,
               const absl::flat_hash_set<std::string>& functions)
      : captures_(captures), functions_(functions) {
    const auto& parameters = type.parameters();
    for (size_t i = 0; i < parameters.size(); ++i) {
      names_.emplace(parameters[i].name,
                     GraphEdge{GraphEdge::Kind::kParameter, static_cast<int>(i)});
    }
  }

  // Parameters and captures in scope are unlike each other.
  Status CheckParameters() const {
    for (const auto& [name, edge] : names_) {
      if (captures_.contains(name)) {
        return InvalidArgument("parameter `", name, "` has the name of a capture; rename one");
      }
    }
    return absl::OkStatus();
  }

  Status AddNodes(const v1::Function& function) {
    if (function.nodes_size() > kMaxNodes) return TooManyNodes(function.nodes_size());
    graph_.nodes.resize(static_cast<size_t>(function.nodes_size()));
    for (int i = 0; i < function.nodes_size(); ++i) {
      SIGNET_RETURN_IF_ERROR(At(WhereIs(function, i), AddName(function.nodes(i).name(), i)));
    }
    for (int i = 0; i < function.nodes_size(); ++i) {
      auto node = ReadNode(function.nodes(i));
      if (!node.ok()) return At(WhereIs(function, i), node.status());
      graph_.nodes[static_cast<size_t>(i)] = *std::move(node);
    }
    return absl::OkStatus();
  }

  Status SetResult(std::string_view reference) {
    if (reference.empty()) return InvalidArgument("no reference; takes what the function returns");
    SIGNET_ASSIGN_OR_RETURN(graph_.result, Resolve(reference));
    return absl::OkStatus();
  }

  StatusOr<BuiltGraph> Finish() && {
    SIGNET_RETURN_IF_ERROR(SortNodes());
    return BuiltGraph{std::move(graph_), std::move(callees_)};
  }

 private:
  static Status TooManyNodes(int count) {
    return InvalidArgument(count, " nodes; the limit is ", kMaxNodes);
  }

  static std::string WhereIs(const v1::Function& function, int i) {
    const std::string& name = function.nodes(i).name();
    return name.empty() ? Cat("node ", i) : Cat("node `", Printable(name), "`");
  }

  Status AddName(const std::string& name, int node) {
    if (name.size() > kMaxNameLength || !IsIdentifier(name)) {
      return InvalidArgument("the name is `", Printable(name),
                             "`; takes a letter or _, then letters, digits and _, at most ",
                             kMaxNameLength);
    }
    if (captures_.contains(name)) {
      return InvalidArgument("there is a capture of that name; rename one");
    }
    auto [other, is_new] = names_.emplace(name, GraphEdge{GraphEdge::Kind::kNode, node});
    if (is_new) return absl::OkStatus();
    bool is_node = other->second.kind == GraphEdge::Kind::kNode;
    return InvalidArgument("there is ", is_node ? "another node" : "a parameter", " of that name");
  }

  StatusOr<GraphNode> ReadNode(const v1::Node& proto) {
    GraphNode node;
    node.name = proto.name();
    if (proto.op().empty()) return InvalidArgument("no op");
    SIGNET_ASSIGN_OR_RETURN(node.op, OpRegistry::Builtin().Find(proto.op()));
    if (proto.inputs_size() > kMaxNodeInputs) {
      return InvalidArgument(proto.inputs_size(), " inputs; the limit is ", kMaxNodeInputs);
    }
    SIGNET_RETURN_IF_ERROR(CheckArity(*node.op, static_cast<size_t>(proto.inputs_size())));
    for (int i = 0; i < proto.inputs_size(); ++i) {
      auto edge = Resolve(proto.inputs(i));
      if (!edge.ok()) return At(Cat("input ", i), edge.status());
      node.inputs.push_back(*edge);
    }
    SIGNET_RETURN_IF_ERROR(ReadAttributes(proto, node));
    return node;
  }

  // Attributes that come `from` values count as given, and are filled in when they are known.
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
    bool names_function = IsControl(*node.op) && name != "keywords";
    if (names_function && !attribute.has_function()) {
      return InvalidArgument("takes `function: \"NAME\"`, of the model's functions");
    }
    if (attribute.has_function()) {
      SIGNET_RETURN_IF_ERROR(CheckFunction(attribute.function()));
      if (names_function) callees_.push_back(attribute.function());
    }
    if (attribute.value_case() != v1::Attribute::kFrom) return AttributeFromProto(attribute);
    SIGNET_ASSIGN_OR_RETURN(GraphEdge edge, Resolve(attribute.from()));
    node.attribute_edges.emplace_back(name, edge);
    return AttributeOf(true);  // a stand-in: Complete asks only whether it is given
  }

  Status CheckFunction(const std::string& name) const {
    if (functions_.contains(name)) return absl::OkStatus();
    return NotFound("no function `", Printable(name), "`; functions: ",
                    ListNames({functions_.begin(), functions_.end()}));
  }

  // --- references -------------------------------------------------------------------------------

  StatusOr<GraphEdge> Resolve(std::string_view text) {
    if (text.empty()) return InvalidArgument("an empty reference");
    if (text.size() > kMaxReferenceLength) {
      return InvalidArgument("a reference of ", text.size(), " characters; the limit is ",
                             kMaxReferenceLength);
    }
    auto known = resolved_.find(absl::string_view(text.data(), text.size()));
    if (known != resolved_.end()) return known->second;
    SIGNET_ASSIGN_OR_RETURN(GraphEdge edge, ResolveNew(text));
    resolved_.emplace(std::string(text), edge);
    return edge;
  }

  StatusOr<GraphEdge> ResolveNew(std::string_view text) {
    size_t head_end = std::min(text.find_first_of(".:"), text.size());
    const GraphEdge* head = LookupName(text.substr(0, head_end));
    if (head_end < text.size() && HasCapture(text)) {
      if (head == nullptr) return CaptureEdge(text);
      return InvalidArgument("`", Printable(text), "` is a capture, and a part of `",
                             text.substr(0, head_end), "`; rename one");
    }
    if (head != nullptr) return ResolveParts(*head, text, head_end);
    if (!LooksLikeValue(text) && std::count(text.begin(), text.end(), '.') > kMaxReferenceDepth) {
      return InvalidArgument("a reference with more than ", kMaxReferenceDepth, " points");
    }
    // The longest start that is a capture; the rest are fields of it.
    for (size_t end = text.size(); end != std::string_view::npos && end > 0;) {
      if (HasCapture(text.substr(0, end))) {
        return ResolveParts(CaptureEdge(text.substr(0, end)), text, end);
      }
      end = text.rfind('.', end - 1);
    }
    return ResolveValue(text);
  }

  const GraphEdge* LookupName(std::string_view name) const {
    auto found = names_.find(absl::string_view(name.data(), name.size()));
    return found == names_.end() ? nullptr : &found->second;
  }

  bool HasCapture(std::string_view name) const {
    return captures_.contains(absl::string_view(name.data(), name.size()));
  }

  GraphEdge CaptureEdge(std::string_view name) {
    auto [found, is_new] =
        capture_indices_.emplace(std::string(name), static_cast<int>(graph_.captures.size()));
    if (is_new) graph_.captures.emplace_back(name);
    return {GraphEdge::Kind::kCapture, found->second};
  }

  StatusOr<GraphEdge> ResolveValue(std::string_view text) {
    auto value = ParseLiteralValue(text);
    if (value.ok()) {
      graph_.literals.push_back(*std::move(value));
      return GraphEdge{GraphEdge::Kind::kLiteral, static_cast<int>(graph_.literals.size()) - 1};
    }
    // `x` and `x.a:1` are names that do not exist; anything else was meant as a value.
    bool is_name = !LooksLikeValue(text) && text.find_first_of(" []{}(),") == std::string_view::npos;
    if (!is_name) return At(Cat("`", Printable(text), "`"), value.status());
    std::vector<std::string> names;
    for (const auto& [name, edge] : names_) names.push_back(name);
    for (const auto& [name, capture] : captures_) names.push_back(name);
    return NotFound("no parameter, node or capture `", Printable(text), "`; there are: ",
                    ListNames(std::move(names)));
  }

  // `base` and what follows it in `text`: an output, then fields.
  StatusOr<GraphEdge> ResolveParts(GraphEdge base, std::string_view text, size_t end) {
    GraphEdge edge = base;
    if (end < text.size() && text[end] == ':') {
      size_t stop = std::min(text.find('.', end), text.size());
      SIGNET_ASSIGN_OR_RETURN(edge.output, ReadOutput(base, text.substr(end + 1, stop - end - 1)));
      end = stop;
    }
    for (int depth = 0; end < text.size(); ++depth) {
      if (depth == kMaxReferenceDepth) {
        return InvalidArgument("a reference with more than ", kMaxReferenceDepth, " points");
      }
      size_t stop = std::min(text.find('.', end + 1), text.size());
      std::string_view field = text.substr(end + 1, stop - end - 1);
      if (field.empty()) return InvalidArgument("`", Printable(text), "` has an empty field name");
      SIGNET_ASSIGN_OR_RETURN(edge, FieldOfEdge(edge, field, text.substr(0, stop)));
      end = stop;
    }
    return edge;
  }

  static StatusOr<int> ReadOutput(const GraphEdge& base, std::string_view digits) {
    int output = -1;
    auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), output);
    bool is_number = error == std::errc() && stop == digits.data() + digits.size();
    if (!is_number || output < 0 || output > kMaxNodeOutput) {
      return InvalidArgument("output `", Printable(digits), "`; takes a number from 0 to ",
                             kMaxNodeOutput);
    }
    if (base.kind != GraphEdge::Kind::kNode && output != 0) {
      return InvalidArgument("output ", output, " of what is no node; only nodes have outputs");
    }
    return output;
  }

  StatusOr<GraphEdge> FieldOfEdge(const GraphEdge& edge, std::string_view field,
                                  std::string_view name) {
    auto known = resolved_.find(absl::string_view(name.data(), name.size()));
    if (known != resolved_.end()) return known->second;
    if (graph_.nodes.size() >= kMaxNodes) return TooManyNodes(kMaxNodes + 1);
    Attributes given;
    if (IsNumber(field)) {
      SIGNET_ASSIGN_OR_RETURN(Value index, ParseLiteralValue(field));
      given = given.With("index", index.spec());
    } else {
      given = given.With("field", AttributeOf(field));
    }
    SIGNET_ASSIGN_OR_RETURN(const OpDef* op,
                            OpRegistry::Builtin().Find(IsNumber(field) ? "get_item" : "struct_get"));
    SIGNET_ASSIGN_OR_RETURN(Attributes attributes, CompleteAttributes(*op, given));
    int index = static_cast<int>(graph_.nodes.size());
    graph_.nodes.push_back(
        {.name = std::string(name), .op = op, .inputs = {edge}, .attributes = attributes});
    GraphEdge made{GraphEdge::Kind::kNode, index};
    resolved_.emplace(std::string(name), made);
    return made;
  }

  // --- order ------------------------------------------------------------------------------------

  template <class Visit>
  static void VisitEdges(GraphNode& node, Visit visit) {
    for (GraphEdge& edge : node.inputs) visit(edge);
    for (auto& [name, edge] : node.attribute_edges) visit(edge);
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

  // Each node on the cycle takes an output of the next.
  Status CycleOf(const std::vector<int>& cycle) const {
    constexpr size_t kMost = 8;
    std::vector<std::string> names;
    for (size_t i = 0; i < cycle.size() && i < kMost; ++i) {
      names.push_back(Cat("`", graph_.nodes[static_cast<size_t>(cycle[i])].name, "`"));
    }
    if (cycle.size() > kMost) names.push_back(Cat("(", cycle.size() - kMost, " more)"));
    names.push_back(names[0]);
    return InvalidArgument("nodes take one another in a cycle: ", Join(names, " <- "));
  }

  const Captures& captures_;
  const absl::flat_hash_set<std::string>& functions_;
  Graph graph_;  // nodes in the order of the message, then those made for fields
  std::vector<std::string> callees_;
  absl::flat_hash_map<std::string, GraphEdge> names_;     // parameters and nodes
  absl::flat_hash_map<std::string, GraphEdge> resolved_;  // references seen, and their starts
  absl::flat_hash_map<std::string, int> capture_indices_;
};

}  // namespace

StatusOr<BuiltGraph> BuildGraph(const v1::Function& function, const FunctionType& type,
                                const Captures& captures,
                                const absl::flat_hash_set<std::string>& functions) {
  GraphBuilder builder(type, captures, functions);
  SIGNET_RETURN_IF_ERROR(builder.CheckParameters());
  SIGNET_RETURN_IF_ERROR(builder.AddNodes(function));
  SIGNET_RETURN_IF_ERROR(At("result", builder.SetResult(function.result())));
  return std::move(builder).Finish();
}

}  // namespace signet
