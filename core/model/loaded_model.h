// LoadedModel: a named, versioned bundle of functions that can be called.
//
//   auto model = LoadModel("models/recipes/3", "recipes", 3, options);
//   (*model)->FindFunction("score")
//
// Programs that embed Signet hold it in a Model (include/signet/model.h). Immutable after loading;
// thread-safe. Functions belong to their model.

#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "core/formats/common/limits.h"
#include "core/model/model_def.h"
#include "core/runtime/polymorphic_function.h"

namespace signet {

struct ModelOptions {
  Limits limits;
  FunctionOptions function;
  // Extension types that the program defines, for all its models. In a LoadedModel made without
  // loading, they come before types of the same name in the ModelDef.
  ExtensionProtocols types = {};
};

// Whether a function is there for others of its model, and no caller's concern: `_body`.
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
  const std::vector<std::unique_ptr<PolymorphicFunction>>& functions() const { return functions_; }
  // NOT_FOUND lists the functions. Empty: the only function that is not internal.
  StatusOr<const PolymorphicFunction*> FindFunction(std::string_view name) const;

  // Specialises each function for the types that its signature states, to find mistakes before the
  // first call; says which function.
  Status CheckBodies();

  // DATA_LOSS once captures that were read are not those of the file any more, because it was cut
  // short in place: results since then are worth nothing.
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
  const int64_t bytes_for_weights_;  // that the concrete functions may hold in addition
  const std::shared_ptr<CacheBudget> cache_budget_;   // null: none
  ExtensionTypes types_;                              // of the program and of def_
  absl::flat_hash_map<std::string, size_t> indices_;  // of functions, by name
  std::vector<std::unique_ptr<PolymorphicFunction>>
      functions_;  // one a function of def_, in its order
};

}  // namespace signet
