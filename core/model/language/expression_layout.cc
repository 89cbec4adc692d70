#include "core/model/language/expression_layout.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/model/language/index_text.h"
#include "core/model/language/syntax/limits.h"
#include "core/types/identifier.h"
#include "signet/cat.h"

namespace signet {
namespace {

constexpr int kMaxInlineDepth = 50;  // of fields and indices in one expression, and of its parts

template <class Visit>
void VisitEdges(const GraphNode& node, Visit visit) {
  for (const GraphEdge& edge : node.inputs) visit(edge);
  for (const auto& [name, edge] : node.attribute_edges) visit(edge);
}

// Returns whether `name` is `base_1`, `base_2`, and so on.
bool IsPartName(std::string_view name, std::string_view base) {
  if (!name.starts_with(base) || name.size() < base.size() + 2 || name[base.size()] != '_') {
    return false;
  }
  const std::string_view digits = name.substr(base.size() + 1);
  return digits[0] != '0' && digits.find_first_not_of("0123456789") == digits.npos;
}

}  // namespace

ExpressionLayout::ExpressionLayout(const FunctionDef& def, const Captures& captures)
    : def_(def), graph_(def.graph), captures_(captures) {
  CountUses();
  FindInlineParts();
  NameOutputs();
  FindFolded();
}

void ExpressionLayout::CountUses() {
  const size_t count = graph_.nodes.size();
  uses_.assign(count, 0);
  highest_output_.assign(count, 0);
  user_.assign(count, kNone);
  is_inline_.assign(count, false);
  inline_depth_.assign(count, 0);
  folded_into_.assign(count, -1);
  auto add = [&](const GraphEdge& edge, size_t user) {
    if (edge.kind != GraphEdge::Kind::kNode) return;
    const auto i = static_cast<size_t>(edge.index);
    ++uses_[i];
    user_[i] = user;
    highest_output_[i] = std::max(highest_output_[i], edge.output);
  };
  for (size_t i = 0; i < count; ++i) {
    VisitEdges(graph_.nodes[i], [&](const GraphEdge& edge) { add(edge, i); });
    if (!graph_.nodes[i].checks_signature) names_.insert(graph_.nodes[i].name);
  }
  add(graph_.result, kNone);
  for (const Parameter& parameter : def_.type.parameters()) names_.insert(parameter.name);
}

std::string ExpressionLayout::BaseText(const GraphEdge& edge) const {
  const auto index = static_cast<size_t>(edge.index);
  switch (edge.kind) {
    case GraphEdge::Kind::kParameter:
      return def_.type.parameters()[index].name;
    case GraphEdge::Kind::kCapture:
      return graph_.captures[index];
    case GraphEdge::Kind::kLiteral:
      return {};
    case GraphEdge::Kind::kNode:
      break;
  }
  const std::string& name = graph_.nodes[index].name;
  return edge.output == 0 ? name : Cat(name, ":", edge.output);
}

std::optional<std::vector<IndexKey>> ExpressionLayout::KeysOf(const GraphNode& node) const {
  if (node.op->name != "get_item" || node.inputs.empty() || !node.attribute_edges.empty()) {
    return std::nullopt;
  }
  const TypeSpec attribute = node.attributes.Lookup("key");
  auto keys = ReadIndexKeys(attribute);
  if (!keys.ok() || keys->empty() ||
      node.attributes != Attributes({{"key", AttributeOf(std::span<const IndexKey>(*keys))}})) {
    return std::nullopt;
  }
  size_t inputs = 0;
  auto is_next = [&](size_t input) {
    return input == inputs++ && inputs < node.inputs.size() &&
           node.inputs[inputs].kind != GraphEdge::Kind::kLiteral;
  };
  for (const IndexKey& key : *keys) {
    if (const auto* input = std::get_if<InputKey>(&key)) {
      if (!is_next(input->input)) return std::nullopt;
    } else if (const auto* slice = std::get_if<SliceKey>(&key)) {
      if (slice->start_input && !is_next(*slice->start_input)) return std::nullopt;
      if (slice->stop_input && !is_next(*slice->stop_input)) return std::nullopt;
    }
  }
  if (inputs + 1 != node.inputs.size()) return std::nullopt;
  return *std::move(keys);
}

std::optional<std::string> ExpressionLayout::FieldOf(const GraphNode& node) const {
  if (node.op->name != "struct_get" || node.inputs.size() != 1 || !node.attribute_edges.empty()) {
    return std::nullopt;
  }
  auto field = node.attributes.String("field");
  if (!field.ok() || !IsIdentifier(*field) ||
      node.attributes != Attributes({{"field", AttributeOf(std::string_view(*field))}})) {
    return std::nullopt;
  }
  return *std::move(field);
}

void ExpressionLayout::FindInlineParts() {
  for (size_t i = 0; i < graph_.nodes.size(); ++i) {
    const GraphNode& node = graph_.nodes[i];
    if (node.checks_signature || uses_[i] == 0 || highest_output_[i] > 0 || node.inputs.empty()) {
      continue;
    }
    const std::string base = BaseText(node.inputs[0]);
    if (base.empty()) continue;
    std::string text;
    if (auto field = FieldOf(node)) {
      text = Cat(base, ".", *field);
    } else if (auto keys = KeysOf(node)) {
      std::vector<std::string> references;
      for (size_t k = 1; k < node.inputs.size(); ++k)
        references.push_back(BaseText(node.inputs[k]));
      text = Cat(base, TextOfKeys(*keys, references));
    }
    is_inline_[i] =
        !text.empty() && text == node.name && !HasCapture(text) && text.size() <= kMaxLocalName;
    if (!is_inline_[i]) continue;
    for (const GraphEdge& edge : node.inputs) {
      if (edge.kind != GraphEdge::Kind::kNode) continue;
      inline_depth_[i] =
          std::max(inline_depth_[i], inline_depth_[static_cast<size_t>(edge.index)] + 1);
    }
    is_inline_[i] = inline_depth_[i] <= kMaxInlineDepth;
    if (!is_inline_[i]) inline_depth_[i] = 0;
  }
}

bool ExpressionLayout::HasCapture(std::string_view name) const {
  return captures_.contains(absl::string_view(name.data(), name.size()));
}

void ExpressionLayout::NameOutputs() {
  output_names_.resize(graph_.nodes.size());
  std::vector<std::set<int>> used(graph_.nodes.size());
  auto add = [&](const GraphEdge& edge) {
    if (edge.kind == GraphEdge::Kind::kNode && edge.output > 0) {
      used[static_cast<size_t>(edge.index)].insert(edge.output);
    }
  };
  for (const GraphNode& node : graph_.nodes) VisitEdges(node, add);
  add(graph_.result);
  for (size_t i = 0; i < graph_.nodes.size(); ++i) {
    for (int output : used[i]) {
      // Such a name is never that of a part, which ends with `_` and digits.
      std::string stem = IsIdentifier(graph_.nodes[i].name) ? graph_.nodes[i].name : "node";
      std::string name = Cat(stem, "_out", output);
      for (int k = 2; names_.contains(name) || HasCapture(name); ++k) {
        name = Cat(stem, "_", k, "_out", output);
      }
      names_.insert(name);
      output_names_[i].emplace(output, std::move(name));
    }
  }
}

bool ExpressionLayout::IsAnonymousIn(size_t i, std::string_view base) const {
  const GraphNode& node = graph_.nodes[i];
  return uses_[i] == 1 && highest_output_[i] == 0 && !is_inline_[i] && !node.checks_signature &&
         user_[i] != kNone && IsPartName(node.name, base);
}

void ExpressionLayout::CollectParts(size_t i, std::string_view base, std::vector<size_t>& parts,
                                    int depth) const {
  if (depth > kMaxInlineDepth) return;
  auto visit = [&](const GraphEdge& edge) {
    // Fields and indices are written inline, so parts inside them are, too.
    size_t node = edge.kind == GraphEdge::Kind::kNode ? static_cast<size_t>(edge.index) : kNone;
    if (node == kNone || edge.output != 0) return;
    if (!IsAnonymousIn(node, base)) return;
    CollectParts(node, base, parts, depth + 1);
    parts.push_back(node);
  };
  for (const GraphEdge& edge : graph_.nodes[i].inputs) visit(edge);
  for (const auto& [name, edge] : graph_.nodes[i].attribute_edges) visit(edge);
}

void ExpressionLayout::Fold(size_t i, const std::string& base) {
  std::vector<size_t> parts;
  CollectParts(i, base, parts, 0);
  if (parts.empty()) return;
  // The order of inputs that are written as keyword arguments differs from the order of edges
  // only for attributes, which sort last.
  int next = 0;
  absl::flat_hash_set<std::string> folded;
  for (size_t part : parts) folded.insert(graph_.nodes[part].name);
  for (size_t part : parts) {
    std::string name;
    do {
      name = Cat(base, "_", ++next);
    } while ((names_.contains(name) && !folded.contains(name)) || HasCapture(name));
    if (name != graph_.nodes[part].name) return;
  }
  for (size_t part : parts) folded_into_[part] = static_cast<int>(i);
}

void ExpressionLayout::FindFolded() {
  returned_ = kNone;
  const GraphEdge& result = graph_.result;
  if (result.kind == GraphEdge::Kind::kNode && result.output == 0) {
    const auto i = static_cast<size_t>(result.index);
    const bool is_free = !HasCapture("result") && def_.type.LookupParameter("result") == nullptr;
    if (graph_.nodes[i].name == "result" && uses_[i] == 1 && !is_inline_[i] && is_free &&
        !graph_.nodes[i].checks_signature && !FieldOf(graph_.nodes[i]) &&
        !KeysOf(graph_.nodes[i])) {
      returned_ = i;
    }
  }
  for (size_t i = graph_.nodes.size(); i-- > 0;) {
    const GraphNode& node = graph_.nodes[i];
    if (node.checks_signature || is_inline_[i] || folded_into_[i] >= 0) continue;
    Fold(i, node.name);
  }
}

}  // namespace signet
