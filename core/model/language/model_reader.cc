#include "core/model/language/model_reader.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include "core/model/complete_model.h"
#include "core/model/extension_type_def.h"
#include "core/model/language/class_reader.h"
#include "core/model/language/function_reader.h"
#include "core/model/language/syntax/lexer.h"
#include "core/model/language/syntax/limits.h"
#include "core/model/language/syntax/parser.h"
#include "core/model/message_types.h"
#include "core/model/native/attribute_value.h"
#include "core/model/native/limits.h"
#include "core/model/native/literal_value.h"
#include "core/model/native/model_files.h"
#include "core/model/rename_functions.h"
#include "core/model/verify_functions.h"
#include "core/types/notation/notation.h"

namespace signet {
namespace {

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
      classes_.AddNamedType(type->declaration());
    }
    CollectFunctions();
    ReadImports();
    out_.extension_types = classes_.Read(syntax_.classes, registry_);
    CheckCaptureTypes();
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
    NameImportedFunctions();
    classes_.Read(syntax_.classes, registry_);
    ReadFunctions();
    return Located(status);
  }

 private:
  // Returns an error of a later check at the position of the innermost node, function, or class of
  // this file that it names: `function `f`: node `y`: function `g`: node `z`: ...`.
  Status Located(const Status& status) const {
    const std::string_view message = MessageOf(status);
    const std::optional<size_t> position = PositionOfError(message);
    if (!position) return At(kLanguageFile, status);
    return ErrorInSource(errors_.file(), errors_.source(), *position, message);
  }

  std::optional<size_t> PositionOfError(std::string_view message) const {
    for (size_t end = message.size(); (end = message.rfind("`: ", end)) != message.npos && end > 0;
         --end) {
      const std::string_view part = message.substr(end + 3);
      const FunctionWork* work = FunctionBefore(message, end);
      if (work != nullptr && part.starts_with("node `")) {
        return PositionOfNode(*work, part.substr(6));
      }
      if (work != nullptr && part.starts_with("result")) return PositionOfResult(*work);
    }
    for (const auto& work : functions_) {
      if (message.starts_with(Cat("function `", Printable(work->name), "`"))) {
        return PositionOfExample(*work, message).value_or(work->syntax->position);
      }
    }
    for (const ClassSyntax& type : syntax_.classes) {
      if (message.starts_with(PlaceOfType(type.name))) return PositionInClass(type, message);
    }
    // Such as a cycle of functions.
    for (const auto& work : functions_) {
      if (message.find(Cat("`", work->name, "`")) != message.npos) return work->syntax->position;
    }
    return std::nullopt;
  }

  // Returns the example that a message names: `function `f`: example `[1]`: ...`.
  static std::optional<size_t> PositionOfExample(const FunctionWork& work,
                                                 std::string_view message) {
    for (const Declaration& decorator : work.syntax->decorators) {
      if (decorator.name != "example" || decorator.arguments.size() != 1) continue;
      const Expression& argument = *decorator.arguments[0];
      const bool is_text = argument.kind == Expression::Kind::kValue &&
                           argument.value.spec().is(TypeKind::kLiteral) &&
                           argument.value.literal().is(Literal::Kind::kString);
      if (!is_text) continue;
      const std::string& text = argument.value.literal().string_value();
      for (const std::string& shown : {text, Printable(text)}) {
        if (message.find(Cat("`: example `", shown, "`")) != message.npos) return argument.begin;
      }
    }
    return std::nullopt;
  }

  // Returns the function whose name ends at `end`; null if the file has no such function.
  const FunctionWork* FunctionBefore(std::string_view message, size_t end) const {
    const size_t quote = message.rfind('`', end - 1);
    if (quote == message.npos) return nullptr;
    const std::string_view name = message.substr(quote + 1, end - quote - 1);
    for (const auto& work : functions_) {
      if (Printable(work->name) == name) return work.get();
    }
    return nullptr;
  }

  static size_t PositionOfResult(const FunctionWork& work) {
    for (const Statement& statement : work.syntax->statements) {
      if (statement.kind == Statement::Kind::kReturn) return statement.value->begin;
    }
    return work.syntax->position;
  }

  // `rest` begins with the name of a node and a quotation mark.
  static size_t PositionOfNode(const FunctionWork& work, std::string_view rest) {
    // The position of a part, such as `total_2` or `x.items`, is near that of the whole.
    for (std::string part(rest.substr(0, rest.find('`'))); !part.empty();) {
      auto found = work.positions.find(part);
      if (found != work.positions.end()) return found->second;
      const size_t end = part.find_last_of("._[");
      if (end == std::string::npos) break;
      part.resize(end);
    }
    return work.syntax->position;
  }

  // Returns the position of the declaration that the error names, such as `override 1, of `add`:
  // ...`, or of the name of the type.
  static size_t PositionInClass(const ClassSyntax& type, std::string_view message) {
    for (std::string_view what : {"override", "conversion"}) {
      const std::string place = Cat(PlaceOfType(type.name), ": ", what, " ");
      if (!message.starts_with(place)) continue;
      size_t left = 0;
      for (char c : message.substr(place.size())) {
        if (c < '0' || c > '9') break;
        left = left * 10 + static_cast<size_t>(c - '0');
      }
      for (const Declaration& declaration : type.declarations) {
        if (declaration.name == what && left-- == 0) return declaration.position;
      }
    }
    return type.position;
  }

  // --- texts and captures

  void ReadTexts() {
    if (file_.CheckText(syntax_.doc_position, syntax_.doc)) out_.doc = syntax_.doc;
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
      if (!file_.CheckText(entry.position, entry.key) ||
          !file_.CheckText(entry.position, entry.text))
        continue;
      if (out.emplace(entry.key, entry.text).second) continue;
      errors_.Add(entry.position, Cat("duplicate ", what, " `", Printable(entry.key), "`"));
    }
  }

  void ReadCaptures() {
    out_.captures = std::move(files_.tensors);
    absl::flat_hash_set<std::string_view> declared;
    for (const CaptureSyntax& capture : syntax_.captures) {
      const std::string name(capture.name);
      if (!file_.CheckText(capture.position, name)) continue;
      if (name.empty()) {
        errors_.Add(capture.position, "expected a name, found an empty text");
      } else if (!declared.insert(capture.name).second) {
        errors_.Add(capture.position, Cat("duplicate capture `", Printable(name), "`"));
      } else if (capture.is_value) {
        ReadCaptureValue(capture, name);
      } else {
        FindCapture(capture, name);
      }
    }
  }

  void ReadCaptureValue(const CaptureSyntax& capture, const std::string& name) {
    if (out_.captures.contains(name)) {
      errors_.Add(capture.position, Cat("capture `", Printable(name),
                                        "` is also in captures.safetensors; remove one of them"));
      return;
    }
    auto value = ParseLiteralValue(file_.Notation(capture.notation));
    if (!value.ok()) {
      file_.AddNotationError(capture.notation, capture.position, value.status());
      return;
    }
    out_.captures.emplace(name, *std::move(value));
  }

  void FindCapture(const CaptureSyntax& capture, const std::string& name) {
    auto found = out_.captures.find(name);
    if (found != out_.captures.end()) {
      capture_types_.emplace_back(&capture, found->second.spec());
      return;
    }
    std::vector<std::string> names;
    for (const auto& [other, value] : out_.captures) names.push_back(other);
    errors_.Add(
        capture.position,
        names.empty()
            ? Cat("capture `", Printable(name),
                  "` not found; captures.safetensors, next to the file, has no tensors or does not "
                  "exist; a small value is stated as `capture ",
                  Printable(name), " = VALUE`")
            : Cat("capture `", Printable(name),
                  "` not found in captures.safetensors; it has: ", ListNames(std::move(names))));
  }

  // Checks the types of captures, which may be names of classes.
  void CheckCaptureTypes() {
    for (const auto& [capture, found] : capture_types_) {
      auto type = ParsePlainType(file_.Notation(capture->notation), &classes_.named_types());
      if (!type.ok()) {
        file_.AddNotationError(capture->notation, capture->position, type.status());
      } else if (!IsSubtype(found, *type)) {
        errors_.Add(capture->position,
                    Cat("capture `", Printable(capture->name), "`: expected `", *type, "`, found `",
                        found, "` in captures.safetensors"));
      }
    }
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
    absl::flat_hash_map<std::string_view, size_t> positions;
    for (const auto& work : functions_) {
      const size_t position = work->syntax->position;
      if (work->name.size() > kMaxNameLength) {
        errors_.Add(work->syntax->position,
                    Cat("the name of ", work->name.size(), " characters exceeds the limit of ",
                        kMaxNameLength));
      } else if (auto [first, is_new] = positions.emplace(work->name, position); !is_new) {
        errors_.Add(position, Cat("duplicate function `", work->name, "`; line ",
                                  PositionOf(errors_.source(), first->second).line, " defines it"));
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

  // Names the functions of imported models that the file calls, without reading these models.
  void NameImportedFunctions() {
    absl::flat_hash_set<std::string_view> imports;
    for (const ImportSyntax& import : syntax_.imports) {
      imports.insert(import.name);
      top_.names.emplace(std::string(import.name), Cat("_", import.name, "_main"));
    }
    const std::vector<Token>& tokens = tokens_.tokens;
    for (size_t i = 0; i + 2 < tokens.size(); ++i) {
      if (tokens[i + 1].text != "." || !imports.contains(tokens[i].text)) continue;
      top_.names.emplace(Cat(tokens[i].text, ".", tokens[i + 2].text),
                         Cat("_", tokens[i].text, "_", tokens[i + 2].text));
    }
  }

  StatusOr<ModelDef> LoadImport(std::string_view file) const {
    const bool is_file = file.ends_with(".onnx") && !file.starts_with('.') &&
                         file.find_first_of(std::string_view("/\\:\0", 4)) == file.npos;
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
  void Collect(FunctionSyntax& function, FunctionWork* outer, FunctionNames* scope) {
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
    FunctionReader(file_, model, classes_.named_types(), out_.batches).Read(functions_);
  }

  SourceErrors errors_;
  LanguageFiles files_;
  const ExtensionProtocols& types_;
  const TokenList tokens_;
  const SourceFile file_{tokens_, errors_};
  FileSyntax syntax_;
  ModelDef out_;
  TypeRegistry registry_;
  FunctionNames top_;
  ClassReader classes_{file_, top_};
  std::vector<FunctionDef> imported_;
  FunctionWorks functions_;
  // The captures with a declared type, and the types that they have.
  std::vector<std::pair<const CaptureSyntax*, TypeSpec>> capture_types_;
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
