// signet describe: prints the documentation of a model, its extension types, and the signatures of
// its functions.

#include <iostream>

#include "client/cli/commands/commands.h"
#include "client/cli/signature_text.h"
#include "core/model/metadata_keys.h"

namespace signet {
namespace {

// Returns `text` with `by` before each line.
std::string Indented(const std::string& text, const std::string& by) {
  std::string out;
  size_t begin = 0;
  while (begin < text.size()) {
    size_t end = std::min(text.find('\n', begin), text.size());
    out += end > begin ? Cat(by, text.substr(begin, end - begin), "\n") : std::string("\n");
    begin = end + 1;
  }
  return out;
}

std::string RenderModel(const v1::GetModelResponse& model) {
  std::string out = Cat(model.name(), "/", model.version(), "\n", Indented(model.doc(), "  "));
  out += Cat("versions: ", Join(model.versions(), ", "), "\n");
  std::map<std::string, int64_t> labels(model.labels().begin(), model.labels().end());
  for (const auto& [label, version] : labels) out += Cat("label ", label, ": ", version, "\n");
  std::map<std::string, std::string> metadata(model.metadata().begin(), model.metadata().end());
  for (const auto& [key, value] : metadata) {
    if (!IsForPrograms(key)) out += Cat(key, ": ", value, "\n");
  }
  return out;
}

std::string RenderExtensionType(const v1::ExtensionTypeInfo& type) {
  std::vector<std::string> components;
  for (const auto& each : type.components()) {
    components.push_back(each.has_type() ? Cat(each.name(), ": ", TypeText(each.type()))
                                         : each.name());
  }
  std::string declaration = type.name();
  if (type.statics_size() > 0) declaration += Cat("<", Join(type.statics(), ", "), ">");
  declaration += Cat("(", Join(components, ", "), ")");
  std::string out = Cat("\n", BreakSignature(declaration), "\n", Indented(type.doc(), "  "));
  if (!type.parent().empty()) out += Cat("  a kind of ", type.parent(), "\n");
  for (const auto& from : type.convertible_from()) {
    out += Cat("  converted from ", TypeText(from), "\n");
  }
  return out;
}

std::string RenderFunction(const std::string& model, const v1::FunctionInfo& function) {
  std::string out =
      Cat("\n", BreakSignature(function.signature()), "\n", Indented(function.doc(), "  "));
  for (const auto& parameter : function.type().parameters()) {
    auto doc = function.parameter_docs().find(parameter.name());
    if (doc == function.parameter_docs().end()) continue;
    out += Indented(Cat(parameter.name(), ": ", doc->second), "  ");
  }
  if (!function.batch_parameters().empty()) {
    out +=
        Cat("  calls are joined by the rows of: ", Join(function.batch_parameters(), ", "), "\n");
  }
  for (const std::string& example : function.examples()) {
    out += Cat("  $ signet call ", model, " ", function.name(), " ", example, "\n");
  }
  return out;
}

void Run(const std::string& model_text, const std::string& function_name, bool names_only,
         Session& session) {
  auto name = ParseModelName(model_text);
  if (!name.ok()) return session.FailUsage(name.status());
  auto model = session.Connect().GetModel(*name);
  if (!model.ok()) return session.Fail(model.status());
  if (names_only) {
    for (const auto& function : model->functions()) std::cout << function.name() << "\n";
    return;
  }
  if (function_name.empty()) {
    std::cout << RenderModel(*model);
    for (const auto& type : model->extension_types()) std::cout << RenderExtensionType(type);
  }
  std::vector<std::string> names;
  bool found = function_name.empty();
  for (const auto& function : model->functions()) {
    names.push_back(function.name());
    if (!function_name.empty() && function.name() != function_name) continue;
    found = true;
    std::string text = RenderFunction(model_text, function);
    std::cout << (function_name.empty() ? text : text.substr(1));
  }
  if (!found) {
    session.Fail(NotFound("model `", Printable(model_text), "`: function `",
                          Printable(function_name), "` not found; functions: ", ListNames(names)));
  }
}

}  // namespace

void AddDescribe(CLI::App& app, Session& session) {
  struct Words {
    std::string model;
    std::string function;
    bool names_only = false;
  };
  auto* verb = app.add_subcommand(
      "describe",
      "Print the functions and extension types of a model: signatures, documentation, examples");
  auto words = std::make_shared<Words>();
  verb->add_option("MODEL", words->model,
                   "Name of the model, such as recipes, recipes/3, or recipes:stable")
      ->required();
  verb->add_option("FUNCTION", words->function, "Name of a function; default: all functions");
  verb->add_flag("--names", words->names_only, "Print only the names of functions, one per line");
  verb->callback(
      [words, &session] { Run(words->model, words->function, words->names_only, session); });
}

}  // namespace signet
