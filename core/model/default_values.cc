#include "core/model/default_values.h"

#include <absl/container/flat_hash_map.h>

#include "core/function/cast.h"
#include "core/graph/lower/evaluator.h"
#include "core/graph/lower/value_converter.h"
#include "core/ops/catalog.h"

namespace signet {
namespace {

// The functions, captures, and types of a model that is being loaded.
class LibraryOfDef final : public FunctionLibrary {
 public:
  LibraryOfDef(const ModelDef& model, const ExtensionProtocols& types) : model_(model) {
    for (const FunctionDef& function : model.functions)
      functions_.emplace(function.name, &function);
    // The names were checked when the types were read.
    for (const auto& type : types) types_.Add(type).IgnoreError();
    for (const ExtensionTypeDef& type : model.extension_types) {
      types_.Add(std::make_shared<DeclaredExtension>(type.declaration, type.functions))
          .IgnoreError();
    }
  }

  const OpRegistry& ops() const override { return BuiltinOps(); }
  const FunctionDef* Lookup(std::string_view name) const override {
    auto found = functions_.find(absl::string_view(name.data(), name.size()));
    return found == functions_.end() ? nullptr : found->second;
  }
  const Captures& captures() const override { return model_.captures; }
  const ExtensionTypes* types() const override { return &types_; }

 private:
  const ModelDef& model_;
  absl::flat_hash_map<std::string, const FunctionDef*> functions_;
  ExtensionTypes types_;
};

StatusOr<Value> CastDefault(const Value& value, const TypeSpec& constraint,
                            const FunctionLibrary& library) {
  ValueConverter converter(library);
  SIGNET_ASSIGN_OR_RETURN(Value cast, CastTo(value, constraint, {}, &converter));
  Evaluator run(library);
  SIGNET_RETURN_IF_ERROR(run.CheckExtensions(run.Constant(cast), ""));
  return cast;
}

}  // namespace

Status CastDefaults(ModelDef& model, const ExtensionProtocols& types) {
  LibraryOfDef library(model, types);
  for (FunctionDef& function : model.functions) {
    for (const Parameter& parameter : function.type.parameters()) {
      auto found = function.defaults.find(parameter.name);
      if (found == function.defaults.end() || !parameter.type) continue;
      auto cast = CastDefault(found->second, parameter.type, library);
      if (!cast.ok()) {
        return At(Cat("function `", function.name, "`: default of `", parameter.name, "`"),
                  cast.status());
      }
      found->second = *std::move(cast);
    }
  }
  return absl::OkStatus();
}

}  // namespace signet
