// Model: a bundle of functions, loaded from files or built by a ModelBuilder.
//
//   auto model = signet::Model::Load("examples/models/recipes");  // or a file, such as model.onnx
//   std::vector<std::string> signatures;
//   for (const signet::Function& function : model->functions()) {
//     signatures.push_back(function.signature());
//   }
//
// A Model is a handle: copies refer to the same model, which lives as long as a Model or a Function
// refers to it. Immutable; thread-safe.

#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "signet/function.h"
#include "signet/status.h"

namespace signet {

class LoadedModel;

struct LoadOptions {
  std::string name = {};  // in errors; empty: the name of the directory or file
  // Limits of the concrete functions that each function, and the whole model, keeps. The least
  // recently used ones are removed.
  size_t max_concrete_functions = 1024;
  int64_t max_function_bytes = int64_t{256} << 20;
  int64_t max_cache_bytes = int64_t{1} << 30;
  // Limits of one call: the steps of its loops, and the bytes of intermediate values and results.
  int64_t max_loop_steps = 10'000'000;
  int64_t max_call_bytes = int64_t{2} << 30;
};

class Model {
 public:
  // Loads a model: the directory of one version (`models/recipes/3`), the directory of a model
  // (`models/recipes`), of which it loads the newest version, or an ONNX file. Weights stay in
  // their files, which are mapped into memory, so the files must not change while the model is in
  // use. Returns FAILED_PRECONDITION if the model has a fault; the message states the fault and its
  // place. Accepts all models that signet-server accepts.
  static StatusOr<Model> Load(const std::filesystem::path& path, const LoadOptions& options = {});

  const std::string& name() const;
  int64_t version() const;
  const std::string& doc() const;
  const std::map<std::string, std::string>& metadata() const;

  // Returns the functions that callers may use, in the order of the model.
  std::vector<Function> functions() const;
  // Returns a function. An empty name selects the only function of the model. The NOT_FOUND error
  // lists the functions.
  StatusOr<Function> FindFunction(std::string_view name = "") const;

  // Returns text for people: functions with their nodes, captures, and types.
  std::string Describe() const;

 private:
  friend class ModelBuilder;
  explicit Model(std::shared_ptr<const LoadedModel> model) : model_(std::move(model)) {}

  std::shared_ptr<const LoadedModel> model_;
};

}  // namespace signet
