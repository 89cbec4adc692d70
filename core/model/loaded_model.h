// LoadedModel: a set of functions with a name and a version, ready to be called.
//
//   auto model = LoadModel("models/recipes/3", "recipes", 3, options);
//   (*model)->FindFunction("score")
//
// Programs that embed Signet hold it in a Model (include/signet/model.h). Thread-safe; immutable
// after loading. A model owns its functions.

#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "core/formats/common/limits.h"
#include "core/model/model_def.h"
#include "core/model/model_name.h"
#include "core/runtime/polymorphic_function.h"

namespace signet {

struct ModelOptions {
  Limits limits;
  FunctionOptions function;
  // Extension types that the program defines, for all its models. In a LoadedModel that is made
  // without loading, they take precedence over types of the same name in the ModelDef.
  ExtensionProtocols types = {};
  // The parameters that contain rows, by function, as in ModelDef.batches. Loading adds them for
  // functions that declare no batch themselves.
  std::map<std::string, std::vector<std::string>> batches = {};
  // Finds the models that a model imports. Empty: they are in the directory of models that contains
  // the model, and have no labels.
  ModelFinder find_model = {};
};

// Returns true if only functions of the same model may call `function`, such as `_body`.
inline bool IsInternal(std::string_view function) { return function.starts_with('_'); }

class LoadedModel : public FunctionLibrary {
 public:
  LoadedModel(std::string name, int64_t version, ModelDef def, const ModelOptions& options);
  ~LoadedModel() override;
  LoadedModel(const LoadedModel&) = delete;
  LoadedModel& operator=(const LoadedModel&) = delete;

  const std::string& name() const { return name_; }
  int64_t version() const { return version_; }
  const ModelDef& def() const { return def_; }
  const ModelOptions& options() const { return options_; }
  const std::vector<std::unique_ptr<PolymorphicFunction>>& functions() const { return functions_; }
  // Returns the function `name`, which may be its name in the source format, such as that of a
  // signature (core/model/source_names.h). If `name` is empty, returns the only function that is
  // not internal. NOT_FOUND lists the functions.
  StatusOr<const PolymorphicFunction*> FindFunction(std::string_view name) const;

  // Specializes each function for the types in its signature, to find mistakes before the first
  // call. The error contains the name of the function.
  Status CheckBodies();

  // Fills the caches with the concrete functions of `old`, the same model with other values of the
  // captures, and checks the bodies whose outcome depends on these values. Before the model is
  // shared.
  StatusOr<AdoptedFunctions> AdoptFunctions(const LoadedModel& old);

  // Returns DATA_LOSS if a file of captures was truncated after it was mapped. Results since then
  // may be wrong.
  Status CheckIntact() const;

  // As FunctionCache::Collect, for all functions.
  void CollectCaches() const;

  const OpRegistry& ops() const override;
  const FunctionDef* Lookup(std::string_view name) const override;
  const Captures& captures() const override { return def_.captures; }
  const ExtensionTypes* types() const override { return types_.empty() ? nullptr : &types_; }

 private:
  const std::string name_;
  const int64_t version_;
  const ModelDef def_;
  const ModelOptions options_;
  const int64_t bytes_for_weights_;                  // added to the limit of the concrete functions
  const std::shared_ptr<CacheBudget> cache_budget_;  // null for no limit
  ExtensionTypes types_;                             // of the program and of def_
  absl::flat_hash_map<std::string, size_t> indices_;  // of functions, by name
  // The names of functions by their names in the source format.
  const std::map<std::string, std::string, std::less<>> source_functions_;
  // One per function of def_, in its order.
  std::vector<std::unique_ptr<PolymorphicFunction>> functions_;
};

}  // namespace signet
