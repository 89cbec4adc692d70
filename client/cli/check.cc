#include "client/cli/check.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <memory>
#include <set>
#include <span>
#include <utility>

#include "client/cli/arguments.h"
#include "core/formats/signet_wire/wire.h"
#include "core/frontends/load_model.h"
#include "core/function/signature.h"
#include "core/model/complete_model.h"
#include "core/model/language/model_folder.h"
#include "core/model/loaded_model.h"
#include "core/model/model_name.h"
#include "core/model/native/model_files.h"
#include "core/serving/batching/batch_settings.h"
#include "core/serving/batching/verify_batches.h"
#include "core/serving/call/execute.h"
#include "core/serving/repository/model_folders.h"
#include "core/serving/repository/model_settings.h"

namespace signet {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kExampleTime(60);

bool HasVersions(const fs::path& folder) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    if (VersionOfFolder(SystemFiles(), entry.path()) && entry.is_directory(ignored)) return true;
  }
  return false;
}

fs::path WithoutTrailingSlash(const fs::path& path) {
  fs::path plain = fs::absolute(path).lexically_normal();
  return plain.has_filename() ? plain : plain.parent_path();
}

// Returns the versions that a server would find if `path` were one of its models, or the model of a
// file.
StatusOr<ModelFolders> FindFolders(const fs::path& path) {
  std::error_code ignored;
  if (!fs::exists(path, ignored)) {
    return NotFound("`", Printable(path.string()), "`: no such directory");
  }
  fs::path folder = WithoutTrailingSlash(path);
  if (!fs::is_directory(folder, ignored)) {
    // An ONNX file may have another name. Other files are rejected when they are read.
    if (!IsModelFile(folder)) {
      ModelFolders found;
      found.versions.push_back({folder.stem().string(), 1, folder, absl::OkStatus()});
      return found;
    }
    folder = folder.parent_path();
  }
  fs::path parent = folder.parent_path();
  if (HoldsModel(folder)) {
    auto version = VersionOfFolder(SystemFiles(), folder);
    ModelFolders found;
    found.versions.push_back({version ? parent.filename().string() : folder.filename().string(),
                              version.value_or(1), folder, absl::OkStatus()});
    return found;
  }
  if (!HasVersions(folder)) {
    SIGNET_ASSIGN_OR_RETURN(ModelFolders found, FindModelFolders(SystemFiles(), folder));
    // The directory of a version without a model has an error that states what it contains.
    auto version = VersionOfFolder(SystemFiles(), folder);
    if (found.versions.empty() && version) {
      found.skipped.clear();
      found.versions.push_back({parent.filename().string(), *version, folder, absl::OkStatus()});
    }
    return found;
  }
  SIGNET_ASSIGN_OR_RETURN(ModelFolders found, FindModelFolders(SystemFiles(), parent));
  std::string name = folder.filename().string();
  std::erase_if(found.versions, [&](const VersionFolder& each) { return each.name != name; });
  // The reasons for which entries are skipped begin with `NAME` or `NAME/ENTRY`.
  std::erase_if(found.skipped, [&](const std::string& each) {
    const std::string begin = Cat("`", Printable(name));
    return !each.starts_with(begin + "`") && !each.starts_with(begin + "/");
  });
  return found;
}

// Returns a function that reads files of examples: from the working directory, or else from
// `folder`.
ReadText ReaderOf(const fs::path& folder) {
  return [folder](const std::string& path) -> StatusOr<std::string> {
    std::error_code ignored;
    bool is_here = path == "-" || fs::exists(path, ignored);
    return ReadTextFile(is_here ? path : (folder / path).string());
  };
}

// Runs an example as a server would run `signet call MODEL FUNCTION EXAMPLE`.
Status RunExample(const CalledFunction& called, const CallSpec& call) {
  const Limits limits;
  std::string bytes = RequestOf(call).SerializeAsString();
  wire::Message message{{std::as_bytes(std::span(bytes))}, nullptr};
  SIGNET_ASSIGN_OR_RETURN(CallRequest request, wire::ParseCallRequest(message, limits));
  request.result_format.format = DataFormat::kJson;
  SIGNET_ASSIGN_OR_RETURN(BoundCall bound, BindToFunction(called, std::move(request)));
  RunControl control{.deadline = std::chrono::steady_clock::now() + kExampleTime};
  return CallExecution(std::move(bound), limits).Attempt(control).status();
}

void CheckExamples(const CalledFunction& called, const fs::path& folder, CheckedModel& out) {
  const FunctionDef& def = called.function->def();
  for (const std::string& example : def.examples) {
    std::string where = Cat("function `", def.name, "`: example `", example, "`");
    CallSpec call{.model = {.name = called.model->name()}, .function = def.name};
    auto words = SplitWords(example);
    Status status = words.status();
    if (words.ok()) status = AddArguments(*words, call, ReaderOf(folder));
    if (status.ok()) status = RunExample(called, call);
    if (!status.ok()) {
      out.errors.push_back(WithPositionInFolder(folder, At(where, std::move(status))));
    }
    ++out.examples;
  }
}

// Returns the signature of a function with its result type, as a server publishes it.
std::string PublishedSignature(const PolymorphicFunction& function) {
  const FunctionDef& def = function.def();
  return FormatSignature(def.name, def.type.WithOutput(function.output()), def.defaults,
                         def.dimension_names);
}

// Returns the options with which a server without other flags loads the version. They include the
// settings in settings.textproto, if the file exists.
StatusOr<ModelOptions> OptionsOf(const fs::path& folder) {
  ModelOptions options;
  const fs::path path =
      (VersionOfFolder(SystemFiles(), folder) ? folder.parent_path() : folder) / kSettingsFile;
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return options;
  SIGNET_ASSIGN_OR_RETURN(const v1::ModelSettings settings, ReadModelSettings(SystemFiles(), path));
  SIGNET_RETURN_IF_ERROR(CheckModelSettings(settings, options.limits, options.function));
  options.function = StricterLimits(options.function, settings.limits());
  if (BatchLimitsOf(settings.batching()).enabled) options.batches = BatchesOf(settings.batching());
  return options;
}

CheckedModel CheckVersion(const VersionFolder& version) {
  CheckedModel out;
  out.name = Cat(version.name, "/", version.version);
  if (!version.status.ok()) {
    out.errors.push_back(version.status);
    return out;
  }
  auto read = OptionsOf(version.folder);
  if (!read.ok()) {
    out.errors.push_back(At(kSettingsFile, read.status()));
    return out;
  }
  const ModelOptions options = *std::move(read);
  auto def = LoadServedModelDef(version.folder, options.limits);
  if (!def.ok()) {
    out.errors.push_back(def.status());
    return out;
  }
  if (Status batches = AddBatches(*def, options.batches); !batches.ok()) {
    out.errors.push_back(std::move(batches));
    return out;
  }
  constexpr std::string_view kUnavailable = "unavailable.";
  for (const auto& [key, reason] : def->metadata) {
    if (!key.starts_with(kUnavailable)) continue;
    out.warnings.push_back(Cat("function `", std::string_view(key).substr(kUnavailable.size()),
                               "` is not available: ", reason));
  }
  auto model =
      std::make_shared<LoadedModel>(version.name, version.version, *std::move(def), options);
  for (const auto& function : model->functions()) {
    Status body = function->CheckBody();
    bool is_sound = body.ok();
    if (!is_sound) {
      const Status placed = At(Cat("function `", function->def().name, "`"), body);
      out.errors.push_back(WithPositionInFolder(version.folder, placed));
    }
    if (IsInternal(function->def().name)) continue;
    out.functions.push_back(PublishedSignature(*function));
    if (!is_sound) continue;
    for (const std::string& warning : function->AlignmentWarningsOfBody()) {
      out.warnings.push_back(Cat("function `", function->def().name, "`: ", warning));
    }
    CheckExamples({model, function.get()}, version.folder, out);
  }
  if (!out.errors.empty()) return out;
  Status batches = VerifyBatches(*model, version.folder, options.limits);
  if (!batches.ok()) out.errors.push_back(std::move(batches));
  return out;
}

// Returns one text per error. The errors of a source file are one status with several texts, each
// of which starts with the file and ends with an indented line. An error of a function that others
// call is found in each of them; only the first one at a position is returned.
std::vector<std::string> SingleErrors(const CheckedModel& model) {
  std::vector<std::string> out;
  std::set<std::string> positions;
  auto add = [&](std::string_view text) {
    // The file, the line, and the column precede the second colon after the file.
    const size_t line = text.starts_with(kLanguageFile) ? text.find(':') : text.npos;
    const size_t column = line == text.npos ? line : text.find(':', line + 1);
    const size_t end = column == text.npos ? column : text.find(':', column + 1);
    if (end != text.npos && !positions.emplace(text.substr(0, end)).second) return;
    out.emplace_back(text);
  };
  for (const Status& error : model.errors) {
    std::string_view message = MessageOf(error);
    const std::string place = Cat(kLanguageFile, ":");
    const std::string name = Cat(model.name, ": ");
    if (message.starts_with(Cat(name, place))) message.remove_prefix(name.size());
    if (message.starts_with(place)) {
      for (size_t next = 0; (next = message.find(Cat("\n", place))) != message.npos;) {
        add(message.substr(0, next));
        message.remove_prefix(next + 1);
      }
    }
    add(message);
  }
  return out;
}

}  // namespace

StatusOr<std::vector<CheckedModel>> CheckModels(const fs::path& path) {
  SIGNET_ASSIGN_OR_RETURN(ModelFolders found, FindFolders(path));
  std::vector<CheckedModel> out;
  for (const VersionFolder& version : found.versions) out.push_back(CheckVersion(version));
  if (!found.skipped.empty()) {
    CheckedModel& skipped = out.emplace_back();
    skipped.name = path.string();
    for (const std::string& reason : found.skipped) skipped.errors.push_back(NotFound(reason));
  }
  if (!out.empty()) return out;
  return NotFound(
      "`", Printable(path.string()),
      "`: expected models, found none; a model is a directory NAME/VERSION with one of ",
      Join(std::vector<std::string>(std::begin(kModelFiles), std::end(kModelFiles)), ", "));
}

std::string RenderCheck(const CheckedModel& model) {
  std::string out = Cat(model.name, ": ");
  const std::vector<std::string> errors = SingleErrors(model);
  if (model.errors.empty()) {
    out += Cat("ok, ", model.functions.size(),
               model.functions.size() == 1 ? " function" : " functions", ", ", model.examples,
               model.examples == 1 ? " example" : " examples");
  } else {
    out += Cat(errors.size(), errors.size() == 1 ? " error" : " errors");
  }
  out += "\n";
  for (const std::string& function : model.functions) out += Cat("  ", function, "\n");
  for (const std::string& error : errors) out += Cat("  error: ", error, "\n");
  for (const std::string& warning : model.warnings) out += Cat("  warning: ", warning, "\n");
  return out;
}

}  // namespace signet
