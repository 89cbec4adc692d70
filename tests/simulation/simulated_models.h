// SimulatedModels: makes models without functions from simulated files, in simulated time.
//
// The file model.signet of a version has lines:
//   content 17         any text, which calls see
//   imports rate/1     a version, or rate:stable, a label
//   fails              the load fails
//   end                without this line, the file was not copied completely
// captures.safetensors has any text that ends with `end`. For one thread.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/serving/repository/model_maker.h"
#include "tests/simulation/world.h"

namespace signet {

// The content of a version, as its files state it.
struct SimulatedContent {
  std::string text;  // of the lines `content`
  std::vector<std::string> imports;
  std::string captures;
};

// Returns nothing if a load of these files fails. Looks only at this version.
std::optional<SimulatedContent> ReadContent(const SimulatedFiles& files,
                                            const std::filesystem::path& folder);

// Returns what a call of a model sees: its content and captures, and those of what it imports.
std::string AnswerOf(const LoadedModel& model);
// Returns what a model imports.
std::vector<std::string> ImportsOf(const LoadedModel& model);
// Returns the same as AnswerOf for a version in files. `imported` has the answers of its imports.
std::string AnswerOf(const SimulatedContent& content, const std::vector<std::string>& imported);

class SimulatedModels final : public ModelMaker {
 public:
  explicit SimulatedModels(World& world) : world_(world) {}

  void Load(const Version& version, const ModelOptions& options, const Done<Model>& done) override;
  void ReplaceCaptures(const Model& old, const std::filesystem::path& captures,
                       const Done<ReplacedCaptures>& done) override;
  void ReplaceImportedCaptures(const Model& old, const ModelFinder& find_model,
                               const Done<ReplacedCaptures>& done) override;

 private:
  StatusOr<Model> Make(const Version& version, const ModelOptions& options);

  World& world_;
};

}  // namespace signet
