#include "core/model/complete_model.h"

#include <algorithm>

#include "core/model/default_values.h"
#include "core/model/extension_type_def.h"
#include "core/model/verify_functions.h"

namespace signet {
namespace {

Status CheckBatch(const FunctionType& type, const std::vector<std::string>& batch) {
  for (const Parameter& parameter : type.parameters()) {
    if (!IsVariadic(parameter.kind)) continue;
    return Unimplemented("calls of a function with `", parameter.name,
                         "`, any number of arguments, cannot be joined");
  }
  for (size_t i = 0; i < batch.size(); ++i) {
    if (type.LookupParameter(batch[i]) == nullptr) {
      std::vector<std::string> names;
      for (const Parameter& parameter : type.parameters()) names.push_back(parameter.name);
      return NotFound("parameter `", Printable(batch[i]),
                      "` not found; parameters: ", ListNames(std::move(names)));
    }
    if (std::count(batch.begin(), batch.end(), batch[i]) > 1) {
      return InvalidArgument("duplicate parameter `", batch[i], "`");
    }
  }
  return absl::OkStatus();
}

}  // namespace

Status CheckBatches(const ModelDef& model) {
  for (const auto& [name, batch] : model.batches) {
    auto function =
        std::find_if(model.functions.begin(), model.functions.end(),
                     [&wanted = name](const FunctionDef& def) { return def.name == wanted; });
    Status status = function == model.functions.end() ? NotFound("the model has no such function")
                                                      : CheckBatch(function->type, batch);
    if (!status.ok()) return At(Cat("function `", Printable(name), "`: batch"), std::move(status));
  }
  return absl::OkStatus();
}

Status CompleteModel(ModelDef& model, const TypeRegistry& registry,
                     const ExtensionProtocols& types) {
  SIGNET_RETURN_IF_ERROR(
      VerifyFunctions(model.functions, model.captures, !registry.Names().empty()));
  SIGNET_RETURN_IF_ERROR(CheckBatches(model));
  SIGNET_RETURN_IF_ERROR(CheckFunctionsOfTypes(model.extension_types, model.functions, registry));
  return CastDefaults(model, types);
}

}  // namespace signet
