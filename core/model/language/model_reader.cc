#include "core/model/language/model_reader.h"

#include <algorithm>
#include <memory>
#include <utility>

#include <absl/container/flat_hash_set.h>

#include "core/base/nearest_name.h"
#include "core/model/complete_model.h"
#include "core/model/extension_type_def.h"
#include "core/model/language/body_builder.h"
#include "core/model/language/syntax/lexer.h"
#include "core/model/language/syntax/limits.h"
#include "core/model/language/syntax/notation_errors.h"
#include "core/model/language/syntax/parser.h"
#include "core/model/message_types.h"
#include "core/model/native/attribute_value.h"
#include "core/model/native/limits.h"
#include "core/model/native/literal_value.h"
#include "core/model/native/model_files.h"
#include "core/model/native/utf8_check.h"
#include "core/model/rename_functions.h"
#include "core/model/verify_functions.h"
#include "core/types/identifier.h"
#include "core/types/notation/notation.h"
#include "signet/any_spec.h"
#include "signet/extension_spec.h"

namespace signet {
namespace {

using ExpressionKind = Expression::Kind;

// A function of the file, nested ones included.
struct FunctionWork {
  const FunctionSyntax* syntax;
  std::string name;  // in the model
  std::unique_ptr<FunctionNames> names;
  FunctionWork* outer = nullptr;  // the function around it
  std::optional<Signature> signature = {};
  FunctionDef def = {};
  NodePositions positions = {};
  bool has_head = false;
};

// Returns `a.b.c` of an expression that consists of names, the content of a text, or nothing.
std::string WordOf(const Expression& expression) {
  if (expression.kind == ExpressionKind::kName) return std::string(expression.text);
  if (expression.kind == ExpressionKind::kValue && expression.value.spec().is(TypeKind::kLiteral) &&
      expression.value.literal().is(Literal::Kind::kString)) {
    return expression.value.literal().string_value();
  }
  if (expression.kind != ExpressionKind::kField) return {};
  std::string base = WordOf(*expression.children[0]);
  return base.empty() ? base : Cat(base, ".", expression.text);
}

const std::string* TextOf(const Expression& expression) {
  const bool is_text = expression.kind == ExpressionKind::kValue &&
                       expression.value.spec().is(TypeKind::kLiteral) &&
                       expression.value.literal().is(Literal::Kind::kString);
  return is_text ? &expression.value.literal().string_value() : nullptr;
}

OpFamily FamilyNamed(std::string_view name) {
  for (OpFamily family :
       {OpFamily::kUnaryElementwise, OpFamily::kBinaryElementwise, OpFamily::kReduction}) {
    if (NameOf(family) == name) return family;
  }
  return OpFamily::kNone;
}

class ModelReader {
 public:
  ModelReader(std::string_view text, LanguageFiles files, const ExtensionProtocols& types)
      : errors_(kLanguageFile, text),
        files_(std::move(files)),
        types_(types),
        tokens_(ReadTokens(text, errors_)) {}

  StatusOr<ModelDef> Read() && {
    syntax_ = ParseFile(tokens_, errors_);
    SIGNET_RETURN_IF_ERROR(errors_.ToStatus());
    ReadTexts();
    ReadCaptures();
    for (const auto& type : types_) {
      SIGNET_RETURN_IF_ERROR(registry_.Register(type->declaration()));
      AddNamedType(type->declaration());
    }
    CollectFunctions();
    ReadImports();
    ReadClasses();
    SIGNET_RETURN_IF_ERROR(errors_.ToStatus());
    ReadFunctions();
    SIGNET_RETURN_IF_ERROR(errors_.ToStatus());
    for (auto& work : functions_) out_.functions.push_back(std::move(work->def));
    for (FunctionDef& def : imported_) out_.functions.push_back(std::move(def));
    Status status = CompleteModel(out_, registry_, types_);
    if (!status.ok()) return Located(status);
    return std::move(out_);
  }

  // Only finds the position of a function or a node: reads the text again, and ignores errors, such
  // as missing files, because this text has been read before.
  Status Locate(const Status& status) && {
    syntax_ = ParseFile(tokens_, errors_);
    if (!errors_.empty()) return status;
    for (const CaptureSyntax& capture : syntax_.captures) {
      out_.captures.emplace(capture.name, Value::OfLiteral(Literal::Int(0)));
    }
    CollectFunctions();
    ReadClasses();
    ReadFunctions();
    return Located(status);
  }

 private:
  std::string_view Notation(NotationRange range) const {
    return std::string_view(tokens_.notation).substr(range.begin, range.end - range.begin);
  }

  bool CheckText(size_t position, std::string_view text) {
    const Status status = CheckUtf8(text);
    if (!status.ok()) errors_.Add(position, std::string(MessageOf(status)));
    return status.ok();
  }

  // Returns an error of a later check at the position of the function or the node that it names.
  Status Located(const Status& status) const {
    const std::string_view message = MessageOf(status);
    const FunctionWork* best = nullptr;
    for (const auto& work : functions_) {
      if (message.starts_with(Cat("function `", Printable(work->name), "`"))) best = work.get();
    }
    if (best == nullptr) {
      for (const ClassSyntax& type : syntax_.classes) {
        if (!message.starts_with(PlaceOfType(type.name))) continue;
        return ErrorInSource(errors_.file(), errors_.source(), type.position, message);
      }
      // Such as a cycle of functions.
      for (const auto& work : functions_) {
        if (message.find(Cat("`", work->name, "`")) == message.npos) continue;
        return ErrorInSource(errors_.file(), errors_.source(), work->syntax->position, message);
      }
      return At(kLanguageFile, status);
    }
    size_t position = best->syntax->position;
    const std::string function = Cat("function `", Printable(best->name), "`: ");
    if (message.starts_with(Cat(function, "result"))) {
      for (const Statement& statement : best->syntax->statements) {
        if (statement.kind == Statement::Kind::kReturn) position = statement.value->begin;
      }
    }
    const std::string place = Cat(function, "node `");
    if (message.starts_with(place)) {
      const std::string_view rest = message.substr(place.size());
      const std::string name(rest.substr(0, rest.find('`')));
      // The position of a part, such as `total_2` or `x.items`, is near that of the whole.
      for (std::string part = name; !part.empty();) {
        auto found = best->positions.find(part);
        if (found != best->positions.end()) {
          position = found->second;
          break;
        }
        const size_t end = part.find_last_of("._[");
        if (end == std::string::npos) break;
        part.resize(end);
      }
    }
    return ErrorInSource(errors_.file(), errors_.source(), position, message);
  }

  // --- texts and captures

  void ReadTexts() {
    if (CheckText(syntax_.doc_position, syntax_.doc)) out_.doc = syntax_.doc;
    ReadEntries(syntax_.metadata, "metadata", out_.metadata);
    ReadEntries(syntax_.message_fields, "message_field", out_.message_fields);
    const Status status = AddMessageTypes(files_.descriptor_set, out_);
    if (status.ok()) return;
    const auto& fields = syntax_.message_fields;
    errors_.Add(fields.empty() ? 0 : fields.front().position, std::string(MessageOf(status)));
  }

  void ReadEntries(const std::vector<TextEntry>& entries, std::string_view what,
                   std::map<std::string, std::string>& out) {
    for (const TextEntry& entry : entries) {
      if (!CheckText(entry.position, entry.key) || !CheckText(entry.position, entry.text)) continue;
      if (out.emplace(entry.key, entry.text).second) continue;
      errors_.Add(entry.position, Cat("duplicate ", what, " `", Printable(entry.key), "`"));
    }
  }

  void ReadCaptures() {
    out_.captures = std::move(files_.tensors);
    absl::flat_hash_set<std::string_view> declared;
    for (const CaptureSyntax& capture : syntax_.captures) {
      const std::string name(capture.name);
      if (!CheckText(capture.position, name)) continue;
      if (name.empty()) {
        errors_.Add(capture.position, "expected a name, found an empty text");
      } else if (!declared.insert(capture.name).second) {
        errors_.Add(capture.position, Cat("duplicate capture `", Printable(name), "`"));
      } else if (capture.is_value) {
        ReadCaptureValue(capture, name);
      } else {
        CheckCaptureType(capture, name);
      }
    }
  }

  void ReadCaptureValue(const CaptureSyntax& capture, const std::string& name) {
    if (out_.captures.contains(name)) {
      errors_.Add(capture.position, Cat("capture `", Printable(name),
                                        "` is also in captures.safetensors; remove one of them"));
      return;
    }
    auto value = ParseLiteralValue(Notation(capture.notation));
    if (!value.ok()) {
      AddNotationError(tokens_, capture.notation, capture.position, value.status(), errors_);
      return;
    }
    out_.captures.emplace(name, *std::move(value));
  }

  void CheckCaptureType(const CaptureSyntax& capture, const std::string& name) {
    auto type = ParsePlainType(Notation(capture.notation));
    if (!type.ok()) {
      AddNotationError(tokens_, capture.notation, capture.position, type.status(), errors_);
      return;
    }
    auto found = out_.captures.find(name);
    if (found == out_.captures.end()) {
      std::vector<std::string> names;
      for (const auto& [other, value] : out_.captures) names.push_back(other);
      errors_.Add(capture.position,
                  Cat("capture `", Printable(name), "` not found in captures.safetensors; it has: ",
                      ListNames(std::move(names))));
    } else if (!IsSubtype(found->second.spec(), *type)) {
      errors_.Add(capture.position,
                  Cat("capture `", Printable(name), "`: expected `", *type, "`, found `",
                      found->second.spec(), "` in captures.safetensors"));
    }
  }

  // --- classes

  void ReadClasses() {
    std::vector<ExtensionTypeDef> types;
    for (const ClassSyntax& type : syntax_.classes) types.push_back(ReadClass(type));
    if (!errors_.empty()) return;
    auto registered = RegisterTypes(std::move(types), registry_);
    if (registered.ok()) {
      out_.extension_types = *std::move(registered);
      return;
    }
    const std::string_view message = MessageOf(registered.status());
    size_t position = 0;
    for (const ClassSyntax& type : syntax_.classes) {
      if (!message.starts_with(PlaceOfType(type.name))) continue;
      position = type.position;
      for (const ComponentSyntax& component : type.components) {
        if (message.find(Cat("`", component.name, "`")) != message.npos) {
          position = component.position;
        }
      }
    }
    errors_.Add(position, std::string(message));
  }

  // Lets the name of the type alone stand for it, in the signatures and the classes that follow.
  void AddNamedType(const ExtensionDeclaration& declaration) {
    TypeSpec& type = named_types_[declaration.name];
    if (!declaration.attributes.empty()) return;
    NamedTypes components = declaration.components;
    for (auto& [name, component] : components) {
      if (!component) component = AnyType();
    }
    auto made = MakeExtensionType(declaration.name, {}, std::move(components));
    if (made.ok()) type = *std::move(made);
  }

  ExtensionTypeDef ReadClass(const ClassSyntax& type) {
    ExtensionTypeDef out;
    if (CheckText(type.doc_position, type.doc)) out.doc = type.doc;
    ExtensionDeclaration& declaration = out.declaration;
    declaration.name = type.name;
    declaration.parent = type.parent;
    declaration.batches = type.batches;
    for (const ComponentSyntax& component : type.components) {
      if (component.is_static) declaration.attributes.emplace_back(component.name);
    }
    for (const ComponentSyntax& component : type.components) {
      if (!component.is_static) ReadComponent(component, declaration);
    }
    for (const Declaration& member : type.declarations) ReadMember(member, out);
    const Status status = AddOlderTypes(out);
    if (!status.ok()) errors_.Add(type.position, std::string(MessageOf(status)));
    AddNamedType(declaration);
    return out;
  }

  void ReadComponent(const ComponentSyntax& component, ExtensionDeclaration& declaration) {
    const std::string name(component.name);
    TypeSpec type;
    if (component.has_type) {
      const std::string_view text = Notation(component.type);
      Status status;
      if (TypeTemplate::HasPlaces(text)) {
        auto written = TypeTemplate::Parse(text, declaration.attributes);
        status = written.status();
        if (written.ok()) declaration.templates.emplace_back(name, *std::move(written));
      } else {
        auto plain = ParsePlainType(text, &named_types_);
        status = plain.status();
        if (plain.ok()) type = *std::move(plain);
      }
      if (!status.ok()) {
        AddNotationError(tokens_, component.type, component.position, status, errors_);
      }
    }
    declaration.components.emplace_back(name, std::move(type));
  }

  // Returns the function that the last argument of a declaration names.
  std::string FunctionOf(const Declaration& member) {
    if (member.arguments.empty()) {
      errors_.Add(member.position, Cat("`", member.name, "`: expected a function"));
      return {};
    }
    const Expression& last = *member.arguments.back();
    std::string name = WordOf(last);
    if (top_.Lookup(name) != nullptr) return *top_.Lookup(name);
    std::vector<std::string> names = top_.All();
    std::sort(names.begin(), names.end());
    std::vector<std::string_view> views(names.begin(), names.end());
    auto nearest = NearestName(name, views);
    errors_.Add(last.begin, nearest ? Cat("function `", Printable(name),
                                          "` not found; did you mean `", *nearest, "`?")
                                    : Cat("function `", Printable(name),
                                          "` not found; functions: ", ListNames(std::move(names))));
    return {};
  }

  bool CheckArguments(const Declaration& member, size_t count, std::string_view form) {
    const bool ok =
        member.arguments.size() == count && (member.named.empty() || member.name == "override");
    if (!ok) errors_.Add(member.position, Cat("expected `", form, "`"));
    return ok;
  }

  void ReadMember(const Declaration& member, ExtensionTypeDef& out) {
    if (member.name == "invariant") {
      if (CheckArguments(member, 1, "invariant(FUNCTION)")) {
        out.functions.invariants.push_back(FunctionOf(member));
      }
    } else if (member.name == "override") {
      ReadOverride(member, out);
    } else if (member.name == "conversion" || member.name == "older") {
      const bool is_older = member.name == "older";
      if (!CheckArguments(member, is_older ? 1 : 2,
                          is_older ? "older(TYPE)" : "conversion(TYPE, FUNCTION)")) {
        return;
      }
      auto type = WithoutTensorNames(member.arguments[0]->type);
      if (!type.ok()) {
        errors_.Add(member.arguments[0]->begin, std::string(MessageOf(type.status())));
      } else if (is_older) {
        out.declaration.older.push_back(*std::move(type));
      } else {
        out.functions.conversions.push_back({*std::move(type), FunctionOf(member)});
      }
    } else {
      errors_.Add(member.position, Cat("`", Printable(member.name),
                                       "` not found; members are components, "
                                       "`invariant`, `override`, `conversion`, and `older`"));
    }
  }

  void ReadOverride(const Declaration& member, ExtensionTypeDef& out) {
    if (!CheckArguments(member, 2, "override(OP, FUNCTION, inputs=[KIND, ...])")) return;
    OverrideDef override{.function = FunctionOf(member)};
    std::string op = WordOf(*member.arguments[0]);
    override.family = FamilyNamed(op);
    if (override.family == OpFamily::kNone) override.op = std::move(op);
    if (override.op.empty() && override.family == OpFamily::kNone) {
      errors_.Add(member.arguments[0]->begin, "expected the name of an op or a family of ops");
    }
    for (const NamedExpression& argument : member.named) {
      if (argument.name != "inputs" || argument.value->kind != ExpressionKind::kList) {
        errors_.Add(argument.position, "expected `inputs=[KIND, ...]`");
        continue;
      }
      for (const auto& child : argument.value->children) {
        override.inputs.push_back(WordOf(*child));
        if (override.inputs.back().empty()) {
          errors_.Add(child->begin, "expected a kind of input or an extension type");
        }
      }
    }
    out.functions.overrides.push_back(std::move(override));
  }

  // --- functions

  void CollectFunctions() {
    for (const auto& function : syntax_.functions) Collect(*function, nullptr, &top_);
    for (const ClassSyntax& type : syntax_.classes) {
      for (const auto& function : type.functions) Collect(*function, nullptr, &top_);
    }
    // Functions are in the order of the file.
    std::stable_sort(functions_.begin(), functions_.end(), [](const auto& a, const auto& b) {
      return a->syntax->position < b->syntax->position;
    });
    if (functions_.empty()) errors_.Add(0, "expected at least one function, found none");
    if (functions_.size() > static_cast<size_t>(kMaxFunctions)) {
      errors_.Add(functions_[kMaxFunctions]->syntax->position,
                  Cat(functions_.size(), " functions exceed the limit of ", kMaxFunctions));
    }
    absl::flat_hash_set<std::string_view> names;
    for (const auto& work : functions_) {
      if (work->name.size() > kMaxNameLength) {
        errors_.Add(work->syntax->position,
                    Cat("the name of ", work->name.size(), " characters exceeds the limit of ",
                        kMaxNameLength));
      } else if (!names.insert(work->name).second) {
        errors_.Add(work->syntax->position, Cat("duplicate function `", work->name, "`"));
      }
    }
  }

  // Adds the functions of imported files: `main` of `net` is the function `_net_main` of the model.
  // The name of a model with one function is this function, too.
  void ReadImports() {
    absl::flat_hash_set<std::string_view> names;
    for (const ImportSyntax& import : syntax_.imports) {
      const std::string name(import.name);
      if (!names.insert(import.name).second || top_.names.contains(name)) {
        errors_.Add(import.position, Cat("the name `", Printable(name), "` has another meaning"));
        continue;
      }
      auto model = ReadImport(import);
      if (!model.ok()) {
        errors_.Add(import.position, std::string(MessageOf(model.status())));
        continue;
      }
      for (FunctionDef& def : model->functions) {
        const std::string own = def.name.substr(name.size() + 2);
        if (!own.starts_with("_")) top_.names.emplace(Cat(name, ".", own), def.name);
        if (model->functions.size() == 1) top_.names.emplace(name, def.name);
        imported_.push_back(std::move(def));
      }
      for (auto& [capture, value] : model->captures) {
        if (out_.captures.emplace(capture, std::move(value)).second) continue;
        errors_.Add(import.position, Cat("duplicate capture `", Printable(capture), "`"));
      }
      for (auto& file : model->captures_files) out_.captures_files.push_back(std::move(file));
    }
  }

  StatusOr<ModelDef> LoadImport(std::string_view file) const {
    const bool is_file = file.ends_with(".onnx") && !file.starts_with('.') &&
                         file.find_first_of("/\\:") == file.npos;
    if (is_file) {
      if (!files_.import) return Unimplemented("files cannot be imported here");
      return files_.import(file);
    }
    auto reference = ParseModelReference(file);
    if (!reference.ok()) {
      return InvalidArgument("expected the name of a file .onnx next to the model, or another ",
                             "model, such as `risk/3` or `risk:stable`");
    }
    if (!files_.import_model) return Unimplemented("models cannot be imported here");
    return files_.import_model(*reference);
  }

  StatusOr<ModelDef> ReadImport(const ImportSyntax& import) const {
    SIGNET_RETURN_IF_ERROR(CheckUtf8(import.file));
    auto model = LoadImport(import.file);
    if (!model.ok()) return At(Printable(import.file), model.status());
    Status renamed = AddPrefix(*model, Cat("_", import.name, "_"), Cat(import.name, "."));
    if (!renamed.ok()) return At(Printable(import.file), std::move(renamed));
    return model;
  }

  // Adds a function and the functions that are nested in it. `scope` contains the names that the
  // functions around it see.
  void Collect(const FunctionSyntax& function, FunctionWork* outer, FunctionNames* scope) {
    auto work = std::make_unique<FunctionWork>();
    work->syntax = &function;
    work->outer = outer;
    work->name = outer == nullptr ? std::string(function.name)
                                  : NestedFunctionName(outer->name, function.name);
    scope->names.emplace(std::string(function.name), work->name);
    work->names = std::make_unique<FunctionNames>();
    work->names->outer = scope;
    FunctionWork* own = work.get();
    functions_.push_back(std::move(work));
    for (const auto& nested : function.functions) Collect(*nested, own, own->names.get());
  }

  void ReadFunctions() {
    const ModelScope model{out_.captures, registry_};
    for (auto& work : functions_) {
      if (!errors_.is_full()) ReadSignature(*work);
    }
    const Closures closures = ReadClosures();
    for (auto& work : functions_) {
      if (!errors_.is_full() && work->signature) ReadHead(*work, model);
    }
    for (auto& work : functions_) {
      if (errors_.is_full()) return;
      if (!work->has_head) continue;
      BuildBody(*work->syntax, {model, *work->names, closures}, work->def, work->positions,
                errors_);
    }
  }

  void ReadSignature(FunctionWork& work) {
    const FunctionSyntax& syntax = *work.syntax;
    auto signature = ParseSignature(Notation(syntax.signature), &named_types_);
    if (signature.ok()) {
      work.signature = *std::move(signature);
    } else {
      AddNotationError(tokens_, syntax.signature, syntax.position, signature.status(), errors_);
    }
  }

  // Adds the values that nested functions take from the functions around them to their parameters.
  Closures ReadClosures() {
    std::vector<ClosureFunction> functions;
    absl::flat_hash_map<const FunctionWork*, int> indices;
    for (const auto& work : functions_) {
      indices.emplace(work.get(), static_cast<int>(functions.size()));
      ClosureFunction& function = functions.emplace_back();
      function.syntax = work->syntax;
      function.names = work->names.get();
      function.name = work->name;
      function.outer = work->outer == nullptr ? -1 : indices.at(work->outer);
      if (!work->signature) continue;
      for (const Parameter& parameter : work->signature->type.parameters()) {
        function.own.insert(parameter.name);
      }
    }
    Closures closures = FindClosures(std::move(functions), errors_);
    for (auto& work : functions_) {
      auto taken = closures.find(work->name);
      if (taken == closures.end() || !work->signature) continue;
      FunctionType& type = work->signature->type;
      std::vector<Parameter> parameters(type.parameters().begin(), type.parameters().end());
      for (const Parameter& parameter : parameters) {
        const bool is_plain =
            !parameter.optional && (parameter.kind == ParameterKind::kPositionalOnly ||
                                    parameter.kind == ParameterKind::kPositionalOrKeyword);
        if (is_plain) continue;
        errors_.Add(work->syntax->position,
                    Cat("`", work->syntax->name, "` uses `", taken->second[0],
                        "` of the function around it: expected parameters without defaults that "
                        "are neither keyword-only nor variadic, found `",
                        parameter.name, "`; make `", taken->second[0], "` a parameter"));
      }
      for (const std::string& name : taken->second) parameters.push_back({.name = name});
      auto made = FunctionType::Make(
          std::move(parameters), {type.captures().begin(), type.captures().end()}, type.output());
      if (made.ok()) type = *std::move(made);
    }
    return closures;
  }

  void ReadHead(FunctionWork& work, const ModelScope& model) {
    const FunctionSyntax& syntax = *work.syntax;
    StatedFunction stated{.name = work.name,
                          .doc = syntax.doc,
                          .signature = *std::move(work.signature),
                          .parameter_docs = {},
                          .examples = {},
                          .nodes = {},
                          .result = {}};
    CheckText(syntax.doc_position, syntax.doc);
    for (const Declaration& decorator : syntax.decorators) ReadDecorator(decorator, stated);
    auto def = MakeFunctionHead(std::move(stated), model);
    if (!def.ok()) {
      AddNotationError(tokens_, syntax.signature, syntax.position, def.status(), errors_);
      return;
    }
    work.def = *std::move(def);
    work.has_head = true;
  }

  void ReadDecorator(const Declaration& decorator, StatedFunction& out) {
    if (decorator.name == "example") {
      const bool is_one = decorator.arguments.size() == 1 && decorator.named.empty();
      const std::string* text = is_one ? TextOf(*decorator.arguments[0]) : nullptr;
      if (text == nullptr) {
        errors_.Add(decorator.position, "expected `example(\"ARGUMENTS\")`");
      } else if (CheckText(decorator.position, *text)) {
        out.examples.push_back(*text);
      }
    } else if (decorator.name == "parameters") {
      ForEachNamed(decorator, [&](std::string_view name, size_t position, const Expression& value) {
        const std::string* text = TextOf(value);
        if (text == nullptr) {
          errors_.Add(value.begin, "expected the documentation of a parameter in quotation marks");
        } else if (out.signature.type.LookupParameter(name) == nullptr) {
          errors_.Add(position, Cat("parameter `", Printable(name), "` not found"));
        } else if (CheckText(value.begin, *text)) {
          out.parameter_docs.emplace(std::string(name), *text);
        }
      });
    } else if (decorator.name == "batch") {
      ReadBatch(decorator, out);
    } else if (decorator.name == "defaults") {
      ForEachNamed(decorator, [&](std::string_view name, size_t position, const Expression& value) {
        ReadDefault(name, position, value, out);
      });
    } else {
      errors_.Add(decorator.position,
                  Cat("decorator `", Printable(decorator.name),
                      "` not found; decorators: batch, defaults, example, parameters"));
    }
  }

  void ReadBatch(const Declaration& decorator, const StatedFunction& function) {
    std::vector<std::string> names;
    for (const auto& argument : decorator.arguments) {
      const std::string* name = TextOf(*argument);
      if (name == nullptr) {
        errors_.Add(argument->begin, "expected the name of a parameter in quotation marks");
      } else if (function.signature.type.LookupParameter(*name) == nullptr) {
        errors_.Add(argument->begin, Cat("parameter `", Printable(*name), "` not found"));
      } else {
        names.push_back(*name);
      }
    }
    if (decorator.arguments.empty() || !decorator.named.empty()) {
      errors_.Add(decorator.position, "expected `batch(\"PARAMETER\", ...)`");
    } else if (!out_.batches.emplace(function.name, std::move(names)).second) {
      errors_.Add(decorator.position, "duplicate decorator `batch`");
    }
  }

  // Calls `visit` with each keyword argument, and with each entry of dicts, for names that cannot
  // be keywords.
  template <class Visit>
  void ForEachNamed(const Declaration& decorator, Visit visit) {
    for (const NamedExpression& entry : decorator.named) {
      visit(entry.name, entry.position, *entry.value);
    }
    for (const auto& argument : decorator.arguments) {
      if (argument->kind != ExpressionKind::kDict) {
        errors_.Add(argument->begin, "expected keyword arguments");
        continue;
      }
      for (const NamedExpression& entry : argument->named) {
        visit(entry.name, entry.position, *entry.value);
      }
    }
  }

  void ReadDefault(std::string_view name, size_t position, const Expression& value,
                   StatedFunction& out) {
    const Parameter* parameter = out.signature.type.LookupParameter(name);
    if (parameter == nullptr || !parameter->optional ||
        out.signature.defaults.contains(std::string(name))) {
      errors_.Add(position,
                  Cat("`", Printable(name), "`: expected a parameter with the default `...`"));
      return;
    }
    Value made = value.value;
    if (value.kind == ExpressionKind::kName || value.kind == ExpressionKind::kCapture) {
      auto found = out_.captures.find(absl::string_view(value.text.data(), value.text.size()));
      if (found == out_.captures.end()) {
        errors_.Add(value.begin, Cat("capture `", Printable(value.text), "` not found"));
        return;
      }
      auto got = found->second.Get();
      if (!got.ok()) {
        errors_.Add(value.begin, std::string(MessageOf(got.status())));
        return;
      }
      made = *std::move(got);
    } else if (value.kind != ExpressionKind::kValue) {
      errors_.Add(value.begin, "expected a capture or a value in the notation");
      return;
    }
    out.signature.defaults.emplace(std::string(name), std::move(made));
  }

  SourceErrors errors_;
  LanguageFiles files_;
  const ExtensionProtocols& types_;
  const TokenList tokens_;
  FileSyntax syntax_;
  ModelDef out_;
  TypeRegistry registry_;
  TypesByName named_types_;
  FunctionNames top_;
  std::vector<FunctionDef> imported_;
  std::vector<std::unique_ptr<FunctionWork>> functions_;
};

}  // namespace

StatusOr<ModelDef> ModelDefFromLanguage(std::string_view text, LanguageFiles files,
                                        const ExtensionProtocols& types) {
  if (text.size() > kMaxSourceBytes) {
    return InvalidArgument(kLanguageFile, ": ", text.size(), " bytes exceed the limit of ",
                           kMaxSourceBytes);
  }
  SIGNET_RETURN_IF_ERROR(At(kLanguageFile, CheckUtf8(text)));
  return ModelReader(text, std::move(files), types).Read();
}

Status WithSourcePosition(std::string_view text, const Status& status) {
  if (text.size() > kMaxSourceBytes || !CheckUtf8(text).ok()) return status;
  return ModelReader(text, {}, {}).Locate(status);
}

std::string NestedFunctionName(std::string_view outer, std::string_view name) {
  return Cat(outer.starts_with('_') ? "" : "_", outer, "_", name);
}

}  // namespace signet
