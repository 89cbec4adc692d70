#include "core/model/language/function_printer.h"

#include <algorithm>
#include <optional>
#include <set>

#include <absl/container/flat_hash_set.h>

#include "core/function/signature.h"
#include "core/graph/body/function_references.h"
#include "core/model/language/expression_layout.h"
#include "core/model/language/index_text.h"
#include "core/model/language/op_parts.h"
#include "core/model/language/operator_ops.h"
#include "core/model/language/syntax/parser.h"
#include "core/model/language/value_text.h"
#include "core/model/language/wrap_lines.h"
#include "core/ops/catalog.h"
#include "core/ops/def/op_registry.h"
#include "core/ops/def/output_count.h"
#include "core/types/identifier.h"
#include "signet/extension_spec.h"
#include "signet/index_key.h"
#include "signet/record_spec.h"
#include "signet/sequence_spec.h"

namespace signet {
namespace {

using Text = ExpressionText;

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

std::string Wrapped(Text text, int least) {
  return text.precedence >= least ? std::move(text.text) : Cat("(", text.text, ")");
}

class Printer {
 public:
  Printer(const FunctionDef& def, const PrintScope& scope)
      : def_(def), graph_(def.graph), scope_(scope), layout_(def, scope.captures) {
    has_parts_.resize(graph_.nodes.size());
    for (const GraphNode& node : graph_.nodes) {
      if (node.inputs.empty() || !(layout_.FieldOf(node) || layout_.KeysOf(node))) continue;
      const GraphEdge& base = node.inputs[0];
      if (base.kind == GraphEdge::Kind::kNode && base.output == 0) {
        has_parts_[static_cast<size_t>(base.index)] = true;
      }
    }
  }

  StatusOr<std::string> Body() {
    std::string out;
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      if (!layout_.IsStatement(i)) continue;
      auto text = NodeText(i);
      if (!text.ok()) return AtNode(i, text.status());
      const bool selects =
          layout_.OutputNames(i).empty() && has_parts_[i] && IsOneOfSeveral(graph_.nodes[i]);
      out.append(Cat(Targets(i), " = ", text->text, selects ? "[0]" : "", "\n"));
    }
    if (const auto returned = layout_.returned()) {
      auto text = NodeText(*returned);
      if (!text.ok()) return AtNode(*returned, text.status());
      return Cat(out, "return ", text->text, "\n");
    }
    SIGNET_ASSIGN_OR_RETURN(Text result, EdgeText(graph_.result));
    return Cat(out, "return ", result.text, "\n");
  }

 private:
  Status AtNode(size_t i, const Status& status) const {
    return At(Cat("node `", Printable(graph_.nodes[i].name), "`"), status);
  }

  std::string NameText(const std::string& name) const {
    return IsLanguageName(name) ? name : Cat("locals[", Quote(name), "]");
  }

  std::string CaptureText(const std::string& name) const {
    const bool is_plain =
        IsLanguageName(name) && !layout_.HasName(name) && !scope_.outer_values.contains(name);
    return is_plain ? name : Cat("captures[", Quote(name), "]");
  }

  std::string Targets(size_t i) const {
    std::string text = NameText(graph_.nodes[i].name);
    int next = 1;
    for (const auto& [output, name] : layout_.OutputNames(i)) {
      for (; next < output; ++next) text.append(", _");
      text.append(Cat(", ", name));
      next = output + 1;
    }
    return text;
  }

  // Returns true if the node is written as a call that an index selects an output of.
  bool IsOneOfSeveral(const GraphNode& node) const {
    return !CalledFunction(node) &&
           HasSeveralOutputs(*node.op, node.inputs.size(), [&](std::string_view attribute) {
             return node.attributes.Lookup(attribute) == AttributeOf(true);
           });
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
    if (edge.output > 0) return Text{layout_.OutputNames(index).at(edge.output)};
    if (layout_.IsInside(index)) return NodeText(index);
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
    if (!layout_.OutputNames(i).empty()) return CallText(node);
    if (auto field = layout_.FieldOf(node)) {
      SIGNET_ASSIGN_OR_RETURN(std::string base, BaseOf(node));
      return Text{Cat(base, ".", *field)};
    }
    if (auto keys = layout_.KeysOf(node)) return IndexText(node, *keys);
    if (node.attribute_edges.empty()) {
      SIGNET_ASSIGN_OR_RETURN(auto text, OperatorTextOf(node));
      if (text) return *std::move(text);
    }
    if (auto text = NestText(node)) return *std::move(text);
    return CallText(node);
  }

  // The value before a field or an index. A number before a point would be read as another number.
  // An index of a call with several outputs selects one, so the first output is written as one.
  StatusOr<std::string> BaseOf(const GraphNode& node) const {
    SIGNET_ASSIGN_OR_RETURN(Text text, EdgeText(node.inputs[0]));
    const GraphEdge& base = node.inputs[0];
    const auto index = static_cast<size_t>(base.index);
    if (base.kind == GraphEdge::Kind::kNode && layout_.IsInside(index) &&
        IsOneOfSeveral(graph_.nodes[index])) {
      text = Text{Cat(text.text, "[0]")};
    }
    return Wrapped(std::move(text),
                   IsConstant(node.inputs[0]) ? kAtomPrecedence + 1 : kAtomPrecedence);
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
      const int left = is_power ? kAtomPrecedence : is_comparison ? 5 : op->precedence;
      const int right = is_power ? kUnaryPrecedence : op->precedence + 1;
      SIGNET_ASSIGN_OR_RETURN(std::string x, Operand(node.inputs[0], left));
      SIGNET_ASSIGN_OR_RETURN(std::string y, Operand(node.inputs[1], right));
      return std::optional(Text{Cat(x, " ", op->text, " ", y), op->precedence});
    }
    for (std::string_view text : {"-", "not"}) {
      if (OpOfUnary(text) != node.op->name || node.inputs.size() != 1) continue;
      if (!HasAttributesOf(node, text)) continue;
      if (text == "-" && IsConstant(node.inputs[0])) break;
      const int precedence = text == "-" ? kUnaryPrecedence : 3;
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
                          (head == op || (!layout_.HasName(head) && !layout_.HasCapture(head)));
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
    if (edge.kind != GraphEdge::Kind::kNode || edge.output != 0 || !layout_.IsFolded(index)) {
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
    if (found == scope_.types.end() || !IsLanguageName(head) || layout_.HasName(head) ||
        layout_.HasCapture(head) || BuiltinOps().Lookup(*name) != nullptr) {
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
  const ExpressionLayout layout_;
  std::vector<bool> has_parts_;  // by node: whether a field or an index of its first output is used
};

// Returns a text in quotation marks. A text that contains some is written as r"""...""".
std::string QuoteExample(const std::string& text) {
  const bool is_raw =
      text.find('"') != text.npos && text.find(R"(""")") == text.npos && text.back() != '"' &&
      text.back() != '\\' &&
      std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
  return is_raw ? Cat("r\"\"\"", text, "\"\"\"") : Quote(text);
}

// Returns the capture whose tensor a default shares, because the default is this capture, or null.
// Of several, it is the first by name.
const std::string* LookupCaptureOf(const Value& value, const Captures& captures) {
  const std::string* found = nullptr;
  if (!value.spec().is(TypeKind::kTensor)) return found;
  for (const auto& [name, capture] : captures) {
    if (capture.spec() != value.spec() || (found != nullptr && *found < name)) continue;
    auto known = capture.Get();
    if (known.ok() && SameTensor(known->tensor(), value.tensor())) found = &name;
  }
  return found;
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
    if (const std::string* capture = LookupCaptureOf(value, scope.captures)) {
      defaults.push_back(Cat(parameter, "=captures[", Quote(*capture), "]"));
      continue;
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
