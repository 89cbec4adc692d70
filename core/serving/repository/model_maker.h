// ModelMaker: makes the models of a repository from their files.
//
// FileModelMaker is the real one. A simulation passes another one, which takes simulated time
// (docs/internals/simulation.md), so that the results arrive by a call of `done`: once, on any
// thread, before or after the function returns. Thread-safe.

#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "core/model/loaded_model.h"
#include "core/model/native/replace_captures.h"
#include "signet/status.h"

namespace signet {

class ModelMaker {
 public:
  using Model = std::shared_ptr<const LoadedModel>;
  struct Version {
    std::filesystem::path folder;
    std::string name;
    int64_t number = 0;
  };
  template <class T>
  using Done = std::function<void(StatusOr<T> outcome)>;

  virtual ~ModelMaker() = default;

  // Loads a version, and verifies that its calls can be joined.
  virtual void Load(const Version& version, const ModelOptions& options,
                    const Done<Model>& done) = 0;
  // Makes the model `old` with the captures of a file, as ReplaceCaptures does, and verifies that
  // calls of the new model can still be joined.
  virtual void ReplaceCaptures(const Model& old, const std::filesystem::path& captures,
                               const Done<ReplacedCaptures>& done) = 0;
  // Makes the model `old` with the captures of the models that it imports.
  virtual void ReplaceImportedCaptures(const Model& old, const ModelFinder& find_model,
                                       const Done<ReplacedCaptures>& done) = 0;
};

class FileModelMaker final : public ModelMaker {
 public:
  void Load(const Version& version, const ModelOptions& options, const Done<Model>& done) override;
  void ReplaceCaptures(const Model& old, const std::filesystem::path& captures,
                       const Done<ReplacedCaptures>& done) override;
  void ReplaceImportedCaptures(const Model& old, const ModelFinder& find_model,
                               const Done<ReplacedCaptures>& done) override;
};

}  // namespace signet
