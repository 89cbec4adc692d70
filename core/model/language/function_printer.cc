#include "core/model/language/function_printer.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include <absl/container/flat_hash_set.h>

#include "core/function/signature.h"
#include "core/graph/body/function_references.h"
#include "core/model/language/index_text.h"
#include "core/model/language/op_parts.h"
#include "core/model/language/operator_ops.h"
#include "core/model/language/syntax/limits.h"
#include "core/model/language/syntax/parser.h"
#include "core/model/language/wrap_lines.h"
#include "core/model/native/attribute_value.h"
#include "core/model/native/literal_value.h"
#include "core/ops/catalog.h"
#include "core/ops/def/op_registry.h"
#include "core/ops/def/output_count.h"
#include "core/types/identifier.h"
#include "core/values/builders/value_notation.h"
#include "signet/extension_spec.h"
#include "signet/index_key.h"
#include "signet/literal_spec.h"
#include "signet/record_spec.h"
#include "signet/sequence_spec.h"
#include "signet/tensor_spec.h"

namespace signet {
namespace {

constexpr int kMaxInlineDepth = 50;  // of fields and indices in one expression, and of its parts
// Precedences of Python, as in the parser.
constexpr int kAtom = 10;
constexpr int kUnary = 7;

struct OperatorText {
  std::string_view text;
  int precedence;
};
constexpr OperatorText kBinary[] = {
    {"or", 1}, {"and", 2}, {"==", 4}, {"!=", 4}, {"<", 4},  {"<=", 4}, {">", 4}, {">=", 4},
    {"+", 5},  {"-", 5},   {"*", 6},  {"/", 6},  {"//", 6}, {"%", 6},  {"@", 6}, {"**", 8},
};

const OperatorText* BinaryOf(std::string_view op) {
  for (const OperatorText& row : kBinary) {
    if (OpOfBinary(row.text) == op) return &row;
  }
  return nullptr;
}

// A text with the precedence of its outermost operator.
struct Text {
  std::string text;
  int precedence = kAtom;
};

std::string Wrapped(Text text, int least) {
  return text.precedence >= least ? std::move(text.text) : Cat("(", text.text, ")");
}

// --- literals
// -------------------------------------------------------------------------------------

std::optional<Text> TextOfLiteral(const Literal& literal) {
  switch (literal.kind()) {
    case Literal::Kind::kNone:
    case Literal::Kind::kBool:
    case Literal::Kind::kString:
      return Text{literal.ToString()};
    case Literal::Kind::kInt:
      return Text{literal.ToString(), literal.int_value() < 0 ? kUnary : kAtom};
    case Literal::Kind::kFloat: {
      std::string text = literal.ToString();
      if (text.starts_with("nan(") || text.starts_with("-nan")) return std::nullopt;
      const int precedence = text.starts_with('-') ? kUnary : kAtom;
      return Text{std::move(text), precedence};
    }
  }
  return std::nullopt;
}

// Returns a nest of literals as Python writes it.
std::optional<Text> TextOfStatic(const TypeSpec& spec) {
  if (const Literal* literal = LookupLiteral(spec)) return TextOfLiteral(*literal);
  const auto* dict = spec.As<DictSpec>();
  const bool is_list = spec.is(TypeKind::kList);
  if (!is_list && !spec.is(TypeKind::kTuple) && dict == nullptr) return std::nullopt;
  std::vector<std::string> texts;
  size_t i = 0;
  for (const TypeSpec& child : spec.children()) {
    auto text = TextOfStatic(child);
    if (!text) return std::nullopt;
    texts.push_back(dict == nullptr ? std::move(text->text)
                                    : Cat(Quote(dict->keys()[i]), ": ", text->text));
    ++i;
  }
  const std::string joined = Join(texts, ", ");
  if (is_list) return Text{Cat("[", joined, "]")};
  if (dict != nullptr) return Text{Cat("{", joined, "}")};
  return Text{texts.size() == 1 ? Cat("(", joined, ",)") : Cat("(", joined, ")")};
}

// Returns whether `spec` reads back from TextOfStatic: notes, such as the order of keys, may not.
bool IsPlain(const TypeSpec& spec) {
  if (LookupLiteral(spec) != nullptr) return true;
  const auto children = spec.children();
  if (!std::all_of(children.begin(), children.end(), IsPlain)) return false;
  return spec.is(TypeKind::kList) || spec.is(TypeKind::kTuple) || spec.is(TypeKind::kDict);
}

StatusOr<Text> TextOfValue(const Value& value) {
  if (IsStatic(value.spec()) && IsPlain(value.spec())) {
    if (auto text = TextOfStatic(value.spec())) return *std::move(text);
  }
  const std::string text = ToString(value);
  if (value.spec().is(TypeKind::kTensor) || value.spec().is(TypeKind::kRagged)) {
    const bool is_bare =
        LookupDType(text.substr(0, text.find('['))).has_value() || text.starts_with("ragged ");
    if (is_bare) return Text{text, 0};
  }
  auto read = ParseLiteralValue(text);
  if (!read.ok() || !SameValue(*read, value)) {
    return Unimplemented("the value `", Printable(text), "` cannot be written");
  }
  return Text{Cat("literal(", text, ")")};
}

StatusOr<std::string> TextOfAttribute(const TypeSpec& value) {
  if (IsStatic(value)) {
    if (IsPlain(value)) {
      if (auto text = TextOfStatic(value)) return std::move(text->text);
    }
    return Cat("literal(", value.ToString(), ")");
  }
  auto read = ParsePlainType(value.ToString());
  if (read.ok() && *read == value) {
    const bool is_bare = value.is(TypeKind::kTensor) && !value.rep().notes().default_value;
    return is_bare ? value.ToString() : Cat("type(", value.ToString(), ")");
  }
  return Unimplemented("the type `", Printable(value.ToString()), "` cannot be written");
}

// --- nodes
// ----------------------------------------------------------------------------------------

class Printer {
 public:
  Printer(const FunctionDef& def, const PrintScope& scope)
      : def_(def), graph_(def.graph), scope_(scope) {}

  StatusOr<std::string> Body() {
    CountUses();
    FindInlineParts();
    NameOutputs();
    FindFolded();
    std::string out;
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      if (graph_.nodes[i].checks_signature || is_inline_[i] || folded_into_[i] >= 0) continue;
      if (i == returned_) continue;
      auto text = NodeText(i);
      if (!text.ok()) return AtNode(i, text.status());
      out.append(Cat(Targets(i), " = ", text->text, "\n"));
    }
    if (returned_ < graph_.nodes.size()) {
      auto text = NodeText(returned_);
      if (!text.ok()) return AtNode(returned_, text.status());
      return Cat(out, "return ", text->text, "\n");
    }
    SIGNET_ASSIGN_OR_RETURN(Text result, EdgeText(graph_.result));
    return Cat(out, "return ", result.text, "\n");
  }

 private:
  static constexpr size_t kNone = static_cast<size_t>(-1);

  Status AtNode(size_t i, const Status& status) const {
    return At(Cat("node `", Printable(graph_.nodes[i].name), "`"), status);
  }

  template <class Visit>
  void VisitEdges(const GraphNode& node, Visit visit) const {
    for (const GraphEdge& edge : node.inputs) visit(edge);
    for (const auto& [name, edge] : node.attribute_edges) visit(edge);
  }

  void CountUses() {
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

  // The text by which reading names the fields and indices of an edge. Empty for literals.
  std::string BaseText(const GraphEdge& edge) const {
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

  // The keys of a node that reads as `x[...]`, or nothing.
  std::optional<std::vector<IndexKey>> KeysOf(const GraphNode& node) const {
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
    for (const IndexKey& key : *keys) {
      if (const auto* input = std::get_if<InputKey>(&key)) {
        if (input->input != inputs++ || inputs >= node.inputs.size()) return std::nullopt;
        if (node.inputs[inputs].kind == GraphEdge::Kind::kLiteral) return std::nullopt;
      }
    }
    if (inputs + 1 != node.inputs.size()) return std::nullopt;
    return *std::move(keys);
  }

  std::optional<std::string> FieldOf(const GraphNode& node) const {
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

  // Finds the fields and indices that have the names that reading gives them.
  void FindInlineParts() {
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

  bool HasCapture(std::string_view name) const {
    return scope_.captures.contains(absl::string_view(name.data(), name.size()));
  }

  // Names for the further outputs of nodes.
  void NameOutputs() {
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

  // --- folding

  // Returns whether `name` is `base_1`, `base_2`, and so on.
  static bool IsPartName(std::string_view name, std::string_view base) {
    if (!name.starts_with(base) || name.size() < base.size() + 2 || name[base.size()] != '_') {
      return false;
    }
    const std::string_view digits = name.substr(base.size() + 1);
    return digits[0] != '0' && digits.find_first_not_of("0123456789") == digits.npos;
  }

  bool IsAnonymousIn(size_t i, std::string_view base) const {
    const GraphNode& node = graph_.nodes[i];
    return uses_[i] == 1 && highest_output_[i] == 0 && !is_inline_[i] && !node.checks_signature &&
           user_[i] != kNone && IsPartName(node.name, base);
  }

  // Appends the parts of the expression of node `i` in the order in which reading names them.
  void CollectParts(size_t i, std::string_view base, std::vector<size_t>& parts, int depth) const {
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

  // Folds the parts of the expression of node `i` if reading gives them their names.
  void Fold(size_t i, const std::string& base) {
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

  void FindFolded() {
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

  // --- texts

  std::string NameText(const std::string& name) const {
    return IsLanguageName(name) ? name : Cat("locals[", Quote(name), "]");
  }

  std::string CaptureText(const std::string& name) const {
    const bool is_plain =
        IsLanguageName(name) && !names_.contains(name) && !scope_.outer_values.contains(name);
    return is_plain ? name : Cat("captures[", Quote(name), "]");
  }

  std::string Targets(size_t i) const {
    std::string text = NameText(graph_.nodes[i].name);
    int next = 1;
    for (const auto& [output, name] : output_names_[i]) {
      for (; next < output; ++next) text.append(", _");
      text.append(Cat(", ", name));
      next = output + 1;
    }
    return text;
  }

  StatusOr<Text> EdgeText(const GraphEdge& edge) const {
    const auto index = static_cast<size_t>(edge.index);
    switch (edge.kind) {
      case GraphEdge::Kind::kParameter:
        return Text{NameText(def_.type.parameters()[index].name)};
      case GraphEdge::Kind::kCapture:
        return Text{CaptureText(graph_.captures[index])};
      case GraphEdge::Kind::kLiteral:
        return TextOfValue(graph_.literals[index]);
      case GraphEdge::Kind::kNode:
        break;
    }
    if (graph_.nodes[index].checks_signature) {
      return Unimplemented("a result of a check of the signature is used");
    }
    if (edge.output > 0) return Text{output_names_[index].at(edge.output)};
    if (is_inline_[index] || folded_into_[index] >= 0) return NodeText(index);
    return Text{NameText(graph_.nodes[index].name)};
  }

  StatusOr<std::string> Operand(const GraphEdge& edge, int least) const {
    SIGNET_ASSIGN_OR_RETURN(Text text, EdgeText(edge));
    return Wrapped(std::move(text), least);
  }

  bool IsConstant(const GraphEdge& edge) const { return edge.kind == GraphEdge::Kind::kLiteral; }

  StatusOr<Text> NodeText(size_t i) const {
    const GraphNode& node = graph_.nodes[i];
    // Only a call has several results.
    if (!output_names_[i].empty()) return CallText(node);
    if (auto field = FieldOf(node)) {
      SIGNET_ASSIGN_OR_RETURN(std::string base, BaseOf(node));
      return Text{Cat(base, ".", *field)};
    }
    if (auto keys = KeysOf(node)) return IndexText(node, *keys);
    if (node.attribute_edges.empty()) {
      SIGNET_ASSIGN_OR_RETURN(auto text, OperatorTextOf(node));
      if (text) return *std::move(text);
    }
    if (auto text = NestText(node)) return *std::move(text);
    return CallText(node);
  }

  // The value before a field or an index. A number before a point would be read as another number.
  StatusOr<std::string> BaseOf(const GraphNode& node) const {
    SIGNET_ASSIGN_OR_RETURN(Text text, EdgeText(node.inputs[0]));
    return Wrapped(std::move(text), IsConstant(node.inputs[0]) ? kAtom + 1 : kAtom);
  }

  // Returns true if the attributes of the node are those that the operator `text` sets.
  bool HasAttributesOf(const GraphNode& node, std::string_view text) const {
    const NamedTypes stated = AttributesOfOperator(text);
    return std::all_of(
        node.op->attributes.begin(), node.op->attributes.end(), [&](const AttributeDef& attribute) {
          const auto found = std::find_if(stated.begin(), stated.end(), [&](const auto& entry) {
            return entry.first == attribute.name;
          });
          return node.attributes.Lookup(attribute.name) ==
                 (found == stated.end() ? attribute.default_value : found->second);
        });
  }

  StatusOr<std::optional<Text>> OperatorTextOf(const GraphNode& node) const {
    const OperatorText* op = BinaryOf(node.op->name);
    if (op != nullptr && node.inputs.size() == 2 && HasAttributesOf(node, op->text)) {
      const bool is_power = op->text == "**";
      const bool is_comparison = op->precedence == 4;
      const int left = is_power ? kAtom : is_comparison ? 5 : op->precedence;
      const int right = is_power ? kUnary : op->precedence + 1;
      SIGNET_ASSIGN_OR_RETURN(std::string x, Operand(node.inputs[0], left));
      SIGNET_ASSIGN_OR_RETURN(std::string y, Operand(node.inputs[1], right));
      return std::optional(Text{Cat(x, " ", op->text, " ", y), op->precedence});
    }
    for (std::string_view text : {"-", "not"}) {
      if (OpOfUnary(text) != node.op->name || node.inputs.size() != 1) continue;
      if (!HasAttributesOf(node, text)) continue;
      if (text == "-" && IsConstant(node.inputs[0])) break;
      const int precedence = text == "-" ? kUnary : 3;
      SIGNET_ASSIGN_OR_RETURN(std::string x, Operand(node.inputs[0], precedence));
      return std::optional(Text{Cat(text, text == "-" ? "" : " ", x), precedence});
    }
    return std::optional<Text>();
  }

  StatusOr<Text> IndexText(const GraphNode& node, const std::vector<IndexKey>& keys) const {
    SIGNET_ASSIGN_OR_RETURN(std::string base, BaseOf(node));
    std::vector<std::string> references;
    for (size_t k = 1; k < node.inputs.size(); ++k) {
      SIGNET_ASSIGN_OR_RETURN(Text text, EdgeText(node.inputs[k]));
      references.push_back(std::move(text.text));
    }
    return Text{Cat(base, TextOfKeys(keys, references))};
  }

  // `(x, y)`, `[x, y]`, or `{"a": x}` with an input that is not a literal.
  std::optional<Text> NestText(const GraphNode& node) const {
    const bool is_constant = std::all_of(node.inputs.begin(), node.inputs.end(),
                                         [&](const GraphEdge& edge) { return IsConstant(edge); });
    const std::string& op = node.op->name;
    if (is_constant || !node.attribute_edges.empty()) return std::nullopt;
    std::vector<std::string> names;
    if (op == "make_dict") {
      auto read = node.attributes.Strings("names");
      if (!read.ok() || read->size() != node.inputs.size()) return std::nullopt;
      names = *std::move(read);
      const bool is_unique = std::set(names.begin(), names.end()).size() == names.size();
      if (!is_unique || node.attributes.Lookup("names") != AttributeListOfNames(names)) {
        return std::nullopt;
      }
    } else if (op != "make_tuple" && op != "make_list") {
      return std::nullopt;
    }
    std::vector<std::string> texts;
    for (size_t k = 0; k < node.inputs.size(); ++k) {
      auto text = EdgeText(node.inputs[k]);
      if (!text.ok()) return std::nullopt;
      texts.push_back(names.empty() ? std::move(text->text)
                                    : Cat(Quote(names[k]), ": ", text->text));
    }
    const std::string joined = Join(texts, ", ");
    if (op == "make_list") return Text{Cat("[", joined, "]")};
    if (op == "make_dict") return Text{Cat("{", joined, "}")};
    return Text{texts.size() == 1 ? Cat("(", joined, ",)") : Cat("(", joined, ")")};
  }

  // The name of the op in a call.
  std::string OpText(const std::string& op) const {
    const std::string head = op.substr(0, op.find('.'));
    const bool is_function = scope_.functions.names.contains(op);
    const bool is_plain = IsLanguageName(head) && !is_function && op != "literal" &&
                          op != "static" && op != "type" &&
                          (head == op || (!names_.contains(head) && !HasCapture(head)));
    return is_plain ? op : Cat("ops.", op);
  }

  std::string FunctionText(const std::string& function) const {
    auto found = scope_.functions.written.find(function);
    const std::string& name = found == scope_.functions.written.end() ? function : found->second;
    return IsLanguageName(name) ? name : Quote(name);
  }

  static bool IsKeyword(const OpDef& op, const std::string& name) {
    if (!IsIdentifier(name)) return false;
    for (const AttributeDef& attribute : op.attributes) {
      if (attribute.name == name) return false;
    }
    return std::none_of(op.inputs.begin(), op.inputs.end(), [&](const std::string& input) {
      return input == name || input == name + "?";
    });
  }

  // The names of the last inputs that are written as keyword arguments.
  std::vector<std::string> KeywordsOf(const GraphNode& node, bool is_function) const {
    const std::string attribute(NamesAttributeOf(*node.op));
    if (attribute.empty() || !node.attributes.Has(attribute)) return {};
    auto names = node.attributes.Strings(attribute);
    if (!names.ok() || names->size() > node.inputs.size()) return {};
    if (attribute == "names" && names->size() + node.op->inputs.size() - 1 != node.inputs.size()) {
      return {};
    }
    const bool fits = std::all_of(names->begin(), names->end(), [&](const std::string& name) {
      return is_function ? IsIdentifier(name) : IsKeyword(*node.op, name);
    });
    if (!fits || std::set(names->begin(), names->end()).size() != names->size()) return {};
    // Nodes are equal only if the attribute is a list of texts.
    return node.attributes.Lookup(attribute) == AttributeListOfNames(*names) ? *std::move(names)
                                                                             : Names();
  }

  using Names = std::vector<std::string>;
  static TypeSpec AttributeListOfNames(const Names& names) {
    std::vector<TypeSpec> elements;
    for (const std::string& name : names) elements.push_back(AttributeOf(std::string_view(name)));
    return ListType(std::move(elements));
  }

  // The function of a plain call, or nothing.
  std::optional<std::string> CalledFunction(const GraphNode& node) const {
    if (node.op->name != "call" || !node.attribute_edges.empty()) return std::nullopt;
    auto name = node.attributes.String("function");
    if (!name.ok() || node.attributes.Lookup("functions") != ListType({})) return std::nullopt;
    auto found = scope_.functions.written.find(*name);
    if (found == scope_.functions.written.end()) return std::nullopt;
    const std::string& written = found->second;
    const bool is_callable =
        IsLanguageName(written) && written != "literal" && written != "static" && written != "type";
    return is_callable ? std::optional(written) : std::nullopt;
  }

  // The dict of the static attributes of make_extension, if a node makes it that is written there,
  // of at least one value that is not a constant.
  const GraphNode* ComputedStaticsOf(const GraphNode& node) const {
    const auto& edges = node.attribute_edges;
    if (edges.size() != 1 || edges[0].first != "statics") return nullptr;
    const GraphEdge& edge = edges[0].second;
    const auto index = static_cast<size_t>(edge.index);
    if (edge.kind != GraphEdge::Kind::kNode || edge.output != 0 || folded_into_[index] < 0) {
      return nullptr;
    }
    const GraphNode& dict = graph_.nodes[index];
    const bool is_computed =
        std::any_of(dict.inputs.begin(), dict.inputs.end(),
                    [&](const GraphEdge& value) { return !IsConstant(value); });
    return dict.op->name == "make_dict" && is_computed ? &dict : nullptr;
  }

  // `project.Type(x, y, attribute=2)`, for a call of make_extension with all components of a type
  // of the model.
  StatusOr<std::optional<Text>> ClassText(const GraphNode& node) const {
    const std::optional<Text> none;
    if (node.op->name != "make_extension") return none;
    const GraphNode* computed = ComputedStaticsOf(node);
    if (computed == nullptr && !node.attribute_edges.empty()) return none;
    auto name = node.attributes.String("type");
    if (!name.ok()) return none;
    auto found = scope_.types.find(*name);
    const std::string head = name->substr(0, name->find('.'));
    if (found == scope_.types.end() || !IsLanguageName(head) || names_.contains(head) ||
        HasCapture(head) || BuiltinOps().Lookup(*name) != nullptr) {
      return none;
    }
    const ExtensionDeclaration& declaration = *found->second;
    if (declaration.components.size() != node.inputs.size()) return none;
    std::vector<std::string> arguments;
    for (const GraphEdge& edge : node.inputs) {
      SIGNET_ASSIGN_OR_RETURN(Text text, EdgeText(edge));
      arguments.push_back(std::move(text.text));
    }
    auto is_static = [&](const std::string& key) {
      const auto& known = declaration.attributes;
      return std::find(known.begin(), known.end(), key) != known.end() && IsIdentifier(key);
    };
    if (computed != nullptr) {
      SIGNET_ASSIGN_OR_RETURN(Names keys, computed->attributes.Strings("names"));
      if (keys.size() != computed->inputs.size()) return none;
      for (size_t i = 0; i < keys.size(); ++i) {
        if (!is_static(keys[i])) return none;
        SIGNET_ASSIGN_OR_RETURN(Text text, EdgeText(computed->inputs[i]));
        arguments.push_back(Cat(keys[i], "=", text.text));
      }
      return std::optional(Text{Cat(*name, "(", Join(arguments, ", "), ")")});
    }
    const TypeSpec statics = node.attributes.Lookup("statics");
    const auto* dict = statics ? statics.As<DictSpec>() : nullptr;
    if (dict == nullptr) return none;
    for (size_t i = 0; i < dict->keys().size(); ++i) {
      const std::string& key = dict->keys()[i];
      if (!is_static(key)) return none;
      if (!IsStatic(statics.children()[i])) return none;
      SIGNET_ASSIGN_OR_RETURN(std::string text, TextOfAttribute(statics.children()[i]));
      arguments.push_back(Cat(key, "=", text));
    }
    return std::optional(Text{Cat(*name, "(", Join(arguments, ", "), ")")});
  }

  StatusOr<Text> CallText(const GraphNode& node) const {
    SIGNET_ASSIGN_OR_RETURN(std::optional<Text> made, ClassText(node));
    if (made) return *std::move(made);
    std::optional<std::string> function = CalledFunction(node);
    Names keywords = KeywordsOf(node, function.has_value());
    const bool hides_names = !keywords.empty();
    if (function && !hides_names && node.attributes.Lookup("keywords") != ListType({})) {
      function.reset();
    }
    std::vector<std::string> arguments;
    const size_t positional = node.inputs.size() - keywords.size();
    for (size_t k = 0; k < node.inputs.size(); ++k) {
      SIGNET_ASSIGN_OR_RETURN(Text text, EdgeText(node.inputs[k]));
      arguments.push_back(k < positional ? std::move(text.text)
                                         : Cat(keywords[k - positional], "=", text.text));
    }
    if (function) return Text{Cat(*function, "(", Join(arguments, ", "), ")")};
    const std::string hidden = hides_names ? std::string(NamesAttributeOf(*node.op)) : "";
    for (const AttributeDef& attribute : node.op->attributes) {
      const TypeSpec value = node.attributes.Lookup(attribute.name);
      if (!value || value == attribute.default_value || attribute.name == hidden) continue;
      SIGNET_ASSIGN_OR_RETURN(std::string text, AttributeText(node, attribute.name, value));
      arguments.push_back(Cat(attribute.name, "=", text));
    }
    for (const auto& [name, edge] : node.attribute_edges) {
      SIGNET_ASSIGN_OR_RETURN(Text text, EdgeText(edge));
      arguments.push_back(NeedsStatic(*node.op, name, edge) ? Cat(name, "=static(", text.text, ")")
                                                            : Cat(name, "=", text.text));
    }
    return Text{Cat(OpText(node.op->name), "(", Join(arguments, ", "), ")")};
  }

  bool NeedsStatic(const OpDef& op, const std::string& name, const GraphEdge& edge) const {
    if (IsConstant(edge)) return true;
    return std::any_of(op.inputs.begin(), op.inputs.end(), [&](const std::string& input) {
      return input == name || input == name + "?";
    });
  }

  StatusOr<std::string> AttributeText(const GraphNode& node, const std::string& name,
                                      const TypeSpec& value) const {
    if (NamesFunction(*node.op, name)) {
      auto function = node.attributes.String(name);
      if (function.ok()) return FunctionText(*function);
    }
    if (NamesFunctions(*node.op, name)) {
      auto functions = node.attributes.Strings(name);
      if (functions.ok()) {
        std::vector<std::string> texts;
        for (const std::string& function : *functions) texts.push_back(FunctionText(function));
        return Cat("[", Join(texts, ", "), "]");
      }
    }
    return TextOfAttribute(value);
  }

  const FunctionDef& def_;
  const Graph& graph_;
  const PrintScope& scope_;
  absl::flat_hash_set<std::string> names_;  // of parameters, nodes, and further outputs
  std::vector<int> uses_;                   // by node
  std::vector<int> highest_output_;
  std::vector<size_t> user_;  // one of the users; kNone for the result
  std::vector<bool> is_inline_;
  std::vector<int> inline_depth_;
  std::vector<int> folded_into_;  // the node of the statement; -1 for none
  std::vector<std::map<int, std::string>> output_names_;
  size_t returned_ = kNone;  // the node that the return statement states
};

}  // namespace

std::string PrintDoc(std::string_view doc) {
  if (doc.empty()) return {};
  const bool is_plain = std::all_of(doc.begin(), doc.end(), [](char c) {
    return c == '\n' || (static_cast<unsigned char>(c) >= 0x20 && c != 0x7F && c != '\\');
  });
  const bool has_quotes = doc.find("\"\"\"") != doc.npos || doc.back() == '"';
  if (is_plain && !has_quotes && doc.find('\n') != doc.npos) {
    std::string text = Cat("\"\"\"", doc, "\n\"\"\"\n");
    if (WithoutIndentation(text.substr(3, text.size() - 7)) == doc) return text;
  }
  if (is_plain && !has_quotes && doc.find('\n') == doc.npos && WithoutIndentation(doc) == doc) {
    return Cat("\"\"\"", doc, "\"\"\"\n");
  }
  return Cat(Quote(doc), "\n");
}

std::string Indented(std::string_view text, size_t indent) {
  std::string out;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    if (end > begin) out.append(indent, ' ').append(text.substr(begin, end - begin));
    out.push_back('\n');
    begin = end + 1;
  }
  return out;
}

namespace {

// Returns a text in quotation marks. A text that contains some is written as r"""...""".
std::string QuoteExample(const std::string& text) {
  const bool is_raw =
      text.find('"') != text.npos && text.find(R"(""")") == text.npos && text.back() != '"' &&
      text.back() != '\\' &&
      std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
  return is_raw ? Cat("r\"\"\"", text, "\"\"\"") : Quote(text);
}

}  // namespace

StatusOr<FunctionText> PrintFunction(const FunctionDef& def, std::string_view name,
                                     const PrintScope& scope) {
  FunctionText out;
  for (const std::string& example : def.examples) {
    out.head.append(Cat("@example(", QuoteExample(example), ")\n"));
  }
  std::vector<std::string> docs;
  std::vector<std::string> other_docs;  // of parameters whose names are not identifiers
  for (const Parameter& parameter : def.type.parameters()) {
    auto found = def.parameter_docs.find(parameter.name);
    if (found == def.parameter_docs.end()) continue;
    if (IsIdentifier(parameter.name)) {
      docs.push_back(Cat(parameter.name, "=", Quote(found->second)));
    } else {
      other_docs.push_back(Cat(Quote(parameter.name), ": ", Quote(found->second)));
    }
  }
  if (!other_docs.empty()) docs.insert(docs.begin(), Cat("{", Join(other_docs, ", "), "}"));
  if (!docs.empty()) out.head.append(Cat("@parameters(\n    ", Join(docs, ",\n    "), ",\n)\n"));
  const std::string signature = FormatSignature("", def.type, def.defaults, def.dimension_names);
  auto parsed = ParseSignature(signature);
  if (!parsed.ok() || parsed->type != def.type || parsed->dimension_names != def.dimension_names) {
    return Unimplemented("the signature `", Printable(signature), "` cannot be written");
  }
  std::vector<std::string> defaults;
  for (const auto& [parameter, value] : def.defaults) {
    auto found = parsed->defaults.find(parameter);
    if (found != parsed->defaults.end() && SameValue(found->second, value)) continue;
    if (found != parsed->defaults.end() || !IsIdentifier(parameter)) {
      return Unimplemented("the default of `", Printable(parameter), "` cannot be written");
    }
    SIGNET_ASSIGN_OR_RETURN(Text text, TextOfValue(value));
    defaults.push_back(Cat(parameter, "=", text.text));
  }
  std::sort(defaults.begin(), defaults.end());
  if (!defaults.empty()) out.head.append(Cat("@defaults(", Join(defaults, ", "), ")\n"));
  out.head.append(Cat(WrapSignature(Cat("def ", name), signature), ":\n"));
  out.head.append(Indented(PrintDoc(def.doc), 4));
  SIGNET_ASSIGN_OR_RETURN(out.body, Printer(def, scope).Body());
  return out;
}

}  // namespace signet
