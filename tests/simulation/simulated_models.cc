#include "tests/simulation/simulated_models.h"

#include <memory>
#include <utility>

#include "absl/strings/str_split.h"
#include "core/formats/safetensors/safetensors.h"
#include "core/model/native/model_files.h"

namespace signet {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using Model = ModelMaker::Model;

constexpr milliseconds kMostLoad(1500);
constexpr char kAnswer[] = "answer";
constexpr char kContent[] = "content";
constexpr char kImports[] = "imports";
constexpr char kDefinition[] = "definition";  // everything but captures, also of imports

// Captures that are a text.
struct TextCaptures : MappedTensors {
  std::string text;
};

std::shared_ptr<const MappedTensors> CapturesOf(std::string text) {
  auto captures = std::make_shared<TextCaptures>();
  captures->text = std::move(text);
  return captures;
}

const std::string& TextOf(const MappedTensors& captures) {
  return static_cast<const TextCaptures&>(captures).text;
}

std::optional<std::string> ReadCaptures(const SimulatedFiles& files, const fs::path& path) {
  std::string text = files.Content(path);
  if (!text.ends_with("end")) return std::nullopt;
  return text;
}

// Makes a model of `content`, whose imports have the captures that `find_model` finds.
StatusOr<Model> ModelOf(const SimulatedFiles& files, const ModelMaker::Version& version,
                        const SimulatedContent& content, const ModelFinder& find_model,
                        const ModelOptions& options) {
  std::vector<std::string> imported;
  std::string definition = content.text;
  for (const std::string& name : content.imports) {
    SIGNET_ASSIGN_OR_RETURN(const ModelReference reference, ParseModelReference(name));
    SIGNET_ASSIGN_OR_RETURN(const ImportedVersion found, find_model(reference));
    auto other = ReadContent(files, found.folder);
    if (!other) return FailedPrecondition("import `", name, "`: cannot read its files");
    if (found.captures != nullptr) other->captures = TextOf(*found.captures);
    imported.push_back(AnswerOf(*other, {}));
    definition += Cat(", ", other->text);
  }
  ModelDef def;
  def.metadata[kDefinition] = std::move(definition);
  def.metadata[kAnswer] = AnswerOf(content, imported);
  def.metadata[kContent] = content.text;
  def.metadata[kImports] = Join(content.imports, " ");
  def.files.emplace();
  def.files->folder = version.folder;
  def.files->captures = CapturesOf(content.captures);
  return std::make_shared<const LoadedModel>(version.name, version.number, std::move(def), options);
}

SimulatedContent ContentOf(const LoadedModel& model) {
  SimulatedContent content;
  content.text = model.def().metadata.at(kContent);
  const std::string& imports = model.def().metadata.at(kImports);
  if (!imports.empty()) content.imports = absl::StrSplit(imports, ' ');
  content.captures = TextOf(*model.def().files->captures);
  return content;
}

}  // namespace

std::optional<SimulatedContent> ReadContent(const SimulatedFiles& files, const fs::path& folder) {
  SimulatedContent content;
  bool is_whole = false;
  const std::vector<std::string> lines =
      absl::StrSplit(files.Content(folder / kLanguageFile), '\n');
  for (const std::string& line : lines) {
    if (line == "fails") return std::nullopt;
    if (line == "end") is_whole = true;
    if (line.starts_with("content ")) content.text += line;
    if (line.starts_with("imports ")) content.imports.push_back(line.substr(8));
  }
  if (!is_whole) return std::nullopt;
  if (files.Exists(folder / kCapturesFile)) {
    auto captures = ReadCaptures(files, folder / kCapturesFile);
    if (!captures) return std::nullopt;
    content.captures = *std::move(captures);
  }
  return content;
}

std::string AnswerOf(const LoadedModel& model) { return model.def().metadata.at(kAnswer); }

std::vector<std::string> ImportsOf(const LoadedModel& model) { return ContentOf(model).imports; }

std::string AnswerOf(const SimulatedContent& content, const std::vector<std::string>& imported) {
  std::string answer = Cat(content.text, " (", content.captures, ")");
  for (size_t i = 0; i < imported.size(); ++i) {
    answer += Cat(", ", content.imports[i], " = ", imported[i]);
  }
  return answer;
}

StatusOr<Model> SimulatedModels::Make(const Version& version, const ModelOptions& options) {
  const auto content = ReadContent(world_.files(), version.folder);
  if (!content) return FailedPrecondition("expected the files of a model");
  return ModelOf(world_.files(), version, *content, options.find_model, options);
}

void SimulatedModels::Load(const Version& version, const ModelOptions& options,
                           const Done<Model>& done) {
  world_.PostAfter(kMostLoad, [this, version, options, done] {
    auto made = std::make_shared<StatusOr<Model>>(Make(version, options));
    world_.PostAfter(kMostLoad, [made, done] { done(std::move(*made)); });
  });
}

void SimulatedModels::ReplaceCaptures(const Model& old, const fs::path& captures,
                                      const Done<ReplacedCaptures>& done) {
  world_.PostAfter(kMostLoad, [this, old, captures, done] {
    const auto made = [&]() -> StatusOr<ReplacedCaptures> {
      const fs::path& folder = old->def().files->folder;
      const auto files = ReadContent(world_.files(), folder);
      SimulatedContent content = ContentOf(*old);
      if (!files || files->text != content.text || files->imports != content.imports) {
        return FailedPrecondition("other files have changed");
      }
      const auto text = ReadCaptures(world_.files(), captures);
      if (!text) return InvalidArgument("expected a safetensors file");
      if (*text == content.captures) return ReplacedCaptures{old, {}, /*changed=*/false};
      content.captures = *text;
      // What the model imports stays as it is.
      const std::string before = AnswerOf(ContentOf(*old), {});
      ModelDef def;
      def.metadata = old->def().metadata;
      def.metadata[kAnswer] = AnswerOf(content, {}) + AnswerOf(*old).substr(before.size());
      def.files.emplace();
      def.files->folder = folder;
      def.files->captures = CapturesOf(content.captures);
      return ReplacedCaptures{std::make_shared<const LoadedModel>(old->name(), old->version(),
                                                                  std::move(def), old->options()),
                              {}};
    };
    auto replaced = std::make_shared<StatusOr<ReplacedCaptures>>(made());
    world_.PostAfter(kMostLoad, [replaced, done] { done(std::move(*replaced)); });
  });
}

void SimulatedModels::ReplaceImportedCaptures(const Model& old, const ModelFinder& find_model,
                                              const Done<ReplacedCaptures>& done) {
  world_.PostAfter(kMostLoad, [this, old, find_model, done] {
    auto made = ModelOf(world_.files(), {old->def().files->folder, old->name(), old->version()},
                        ContentOf(*old), find_model, old->options());
    if (!made.ok()) return done(made.status());
    if ((*made)->def().metadata.at(kDefinition) != old->def().metadata.at(kDefinition)) {
      return done(FailedPrecondition("other files have changed"));
    }
    done(ReplacedCaptures{*std::move(made), {}});
  });
}

}  // namespace signet
