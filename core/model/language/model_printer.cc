#include "core/model/language/model_printer.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/graph/body/function_references.h"
#include "core/model/language/function_printer.h"
#include "core/model/language/model_reader.h"
#include "core/model/language/syntax/parser.h"
#include "core/model/language/wrap_lines.h"
#include "core/model/native/literal_value.h"
#include "core/ops/catalog.h"
#include "core/types/identifier.h"
#include "core/values/builders/value_notation.h"

namespace signet {
namespace {

constexpr int64_t kMaxInlineElements = 16;  // of a capture in the text
constexpr size_t kPrinterIndent = 4;

// Returns true if captures.safetensors can contain `value`.
bool IsNumericTensor(const Value& value) {
  if (!value.spec().is(TypeKind::kTensor)) return false;
  const DType dtype = value.tensor().dtype();
  return dtype != DType::kString && !IsComplex(dtype);
}

class ModelPrinter {
 public:
  explicit ModelPrinter(const ModelDef& model) : model_(model) {}

  StatusOr<PrintedModel> Print() {
    text_ = PrintDoc(model_.doc);
    AppendEntries("metadata", model_.metadata);
    AppendEntries("message_field", model_.message_fields);
    SIGNET_RETURN_IF_ERROR(AppendCaptures());
    for (const ExtensionTypeDef& type : model_.extension_types) {
      types_.emplace(type.declaration.name, &type.declaration);
      AppendClass(type);
    }
    FindNested();
    VisibleFunctions top;
    for (size_t i = 0; i < model_.functions.size(); ++i) {
      if (outer_[i] < 0) top.Add(model_.functions[i].name, model_.functions[i].name);
    }
    for (size_t i = 0; i < model_.functions.size(); ++i) {
      if (outer_[i] >= 0) continue;
      SIGNET_ASSIGN_OR_RETURN(std::string text, FunctionText(i, top, {}));
      text_.append(text_.empty() ? "" : "\n\n").append(text);
    }
    return PrintedModel{std::move(text_), std::move(tensors_)};
  }

 private:
  // --- texts and captures

  void AppendEntries(std::string_view word, const std::map<std::string, std::string>& entries) {
    if (!entries.empty() && !text_.empty()) text_.push_back('\n');
    for (const auto& [key, text] : entries) {
      text_.append(Cat(word, " ", Quote(key), " = ", Quote(text), "\n"));
    }
  }

  Status AppendCaptures() {
    std::map<std::string, const CapturedValue*> sorted;
    for (const auto& [name, capture] : model_.captures) sorted.emplace(name, &capture);
    if (!sorted.empty() && !text_.empty()) text_.push_back('\n');
    for (const auto& [name, capture] : sorted) {
      const std::string shown = IsLanguageName(name) ? name : Quote(name);
      auto got = capture->Get();
      if (!got.ok()) return At(Cat("capture `", Printable(name), "`"), got.status());
      const Value& value = *got;
      const bool is_numeric = IsNumericTensor(value);
      if (!is_numeric || value.tensor().num_elements() <= kMaxInlineElements) {
        const std::string text = ToString(value);
        auto read = ParseLiteralValue(text);
        if (read.ok() && SameValue(*read, value)) {
          text_.append(Cat(WrapElements(Cat("capture ", shown, " = ", text)), "\n"));
          continue;
        }
      }
      if (!is_numeric) {
        return Unimplemented("capture `", Printable(name), "`: the value cannot be written");
      }
      text_.append(Cat("capture ", shown, ": ", value.spec(), "\n"));
      tensors_.emplace(name, *capture);
    }
    return absl::OkStatus();
  }

  // --- classes

  static std::string WordText(std::string_view name) {
    const bool is_dotted = IsTypeName(name) && name.find_first_of("0123456789") != 0;
    return (IsIdentifier(name) && !IsPythonKeyword(name)) || is_dotted ? std::string(name)
                                                                       : Quote(name);
  }

  void AppendClass(const ExtensionTypeDef& type) {
    const ExtensionDeclaration& declaration = type.declaration;
    text_.append(text_.empty() ? "" : "\n\n").append("class ").append(declaration.name);
    if (!declaration.parent.empty()) text_.append(Cat("(", declaration.parent, ")"));
    text_.append(":\n");
    std::string body = PrintDoc(type.doc);
    for (const std::string& attribute : declaration.attributes) {
      body.append(Cat(attribute, ": static\n"));
    }
    for (const auto& [name, component] : declaration.components) {
      std::string shown = component ? component.ToString() : "...";
      for (const auto& [templated, written] : declaration.templates) {
        if (templated == name) shown = written.text();
      }
      body.append(Cat(name, ": ", shown, "\n"));
    }
    if (!declaration.batches) body.append("batches = False\n");
    for (const std::string& invariant : type.functions.invariants) {
      body.append(Cat("invariant(", invariant, ")\n"));
    }
    for (const OverrideDef& override : type.functions.overrides) {
      std::vector<std::string> inputs;
      for (const std::string& input : override.inputs) inputs.push_back(WordText(input));
      const std::string what =
          override.op.empty() ? std::string(NameOf(override.family)) : WordText(override.op);
      body.append(Cat("override(", what, ", ", override.function,
                      inputs.empty() ? "" : ", inputs=[", Join(inputs, ", "),
                      inputs.empty() ? "" : "]", ")\n"));
    }
    for (const TypeSpec& older : declaration.older) {
      const auto& conversions = type.functions.conversions;
      const bool is_stated = std::any_of(conversions.begin(), conversions.end(),
                                         [&](const auto& c) { return c.from == older; });
      if (!is_stated) body.append(Cat("older(", older, ")\n"));
    }
    for (const ConversionDef& conversion : type.functions.conversions) {
      body.append(Cat("conversion(", conversion.from, ", ", conversion.function, ")\n"));
    }
    if (body.empty()) body = "pass\n";
    text_.append(Indented(body, kPrinterIndent));
  }

  // --- functions

  // Finds the functions that only one function, or functions nested in it, names.
  void FindNested() {
    const size_t count = model_.functions.size();
    outer_.assign(count, -1);
    inner_.resize(count);
    std::map<std::string, size_t, std::less<>> indices;
    for (size_t i = 0; i < count; ++i) indices.emplace(model_.functions[i].name, i);
    std::vector<std::set<size_t>> users(count);
    for (size_t i = 0; i < count; ++i) {
      for (const GraphNode& node : model_.functions[i].graph.nodes) {
        auto references = FunctionReferences(node);
        if (!references.ok()) continue;
        for (const FunctionReference& reference : *references) {
          auto found = indices.find(reference.name);
          if (found != indices.end()) users[found->second].insert(i);
        }
      }
    }
    std::set<std::string_view> of_types;
    for (const ExtensionTypeDef& type : model_.extension_types) {
      for (const auto& name : type.functions.invariants) of_types.insert(name);
      for (const auto& entry : type.functions.overrides) of_types.insert(entry.function);
      for (const auto& entry : type.functions.conversions) of_types.insert(entry.function);
    }
    // A function has one user, so that a chain of outer functions ends.
    for (size_t i = 0; i < count; ++i) {
      if (users[i].size() != 1 || of_types.contains(model_.functions[i].name)) continue;
      const size_t user = *users[i].begin();
      if (user == i) continue;
      const std::string start = NestedFunctionName(model_.functions[user].name, "");
      const std::string& name = model_.functions[i].name;
      if (!name.starts_with(start)) continue;
      const std::string rest = name.substr(start.size());
      if (!IsLanguageName(rest) || indices.contains(rest)) continue;
      outer_[i] = static_cast<int>(user);
      inner_[user].push_back(i);
    }
  }

  std::string ShortName(size_t i) const {
    const std::string& name = model_.functions[i].name;
    if (outer_[i] < 0) return name;
    const auto outer = static_cast<size_t>(outer_[i]);
    return name.substr(NestedFunctionName(model_.functions[outer].name, "").size());
  }

  // Returns the decorator that states which parameters contain rows, or "".
  std::string BatchText(const std::string& function) const {
    const auto batch = model_.batches.find(function);
    if (batch == model_.batches.end()) return "";
    std::string names;
    for (const std::string& name : batch->second) {
      names += Cat(names.empty() ? "" : ", ", Quote(name));
    }
    return Cat("@batch(", names, ")\n");
  }

  StatusOr<std::string> FunctionText(size_t i, const VisibleFunctions& outer,
                                     const absl::flat_hash_set<std::string>& outer_values) const {
    const std::vector<size_t>& nested = inner_[i];
    VisibleFunctions own;
    if (!nested.empty()) own = outer;
    for (size_t k : nested) own.Add(model_.functions[k].name, ShortName(k));
    const VisibleFunctions& visible = nested.empty() ? outer : own;
    const FunctionDef& def = model_.functions[i];
    auto text = PrintFunction(def, ShortName(i), {model_.captures, visible, types_, outer_values});
    if (!text.ok()) return At(Cat("function `", Printable(def.name), "`"), text.status());
    std::string out = BatchText(def.name) + text->head;
    absl::flat_hash_set<std::string> values = outer_values;
    for (const Parameter& parameter : def.type.parameters()) values.insert(parameter.name);
    for (const GraphNode& node : def.graph.nodes) values.insert(node.name);
    for (size_t k : nested) {
      SIGNET_ASSIGN_OR_RETURN(std::string inner, FunctionText(k, visible, values));
      out.append(Indented(inner, kPrinterIndent)).append("\n");
    }
    return out.append(Indented(text->body, kPrinterIndent));
  }

  const ModelDef& model_;

  std::string text_;
  Captures tensors_;
  absl::flat_hash_map<std::string, const ExtensionDeclaration*> types_;  // by name
  std::vector<int> outer_;  // by function: the function in which it is nested, or -1
  std::vector<std::vector<size_t>> inner_;  // by function: the functions that are nested in it
};

}  // namespace

StatusOr<PrintedModel> PrintModel(const ModelDef& model) { return ModelPrinter(model).Print(); }

}  // namespace signet
