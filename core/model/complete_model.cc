#include "core/model/complete_model.h"

#include <algorithm>
#include <map>
#include <string>

#include "core/model/default_values.h"
#include "core/model/extension_type_def.h"
#include "core/model/source_names.h"
#include "core/model/verify_functions.h"
#include "core/ops/def/attribute_list.h"

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

}  // namespace

Status AddBatches(ModelDef& model, const std::map<std::string, std::vector<std::string>>& batches) {
  model.batches.insert(batches.begin(), batches.end());
  return CheckBatches(model);
}

Status CompleteModel(ModelDef& model, const TypeRegistry& registry,
                     const ExtensionProtocols& types) {
  SIGNET_RETURN_IF_ERROR(
      VerifyFunctions(model.functions, model.captures, !registry.Names().empty()));
  SIGNET_RETURN_IF_ERROR(CheckBatches(model));
  SIGNET_RETURN_IF_ERROR(CheckFunctionsOfTypes(model.extension_types, model.functions, registry));
  ReadSourceNames(model);
  return CastDefaults(model, types);
}

StatusOr<ModelDef> WithoutFaultyFunctions(LoadedModel& model) {
  ModelDef out = model.def();
  std::map<std::string, Status, std::less<>> faults;
  for (const auto& function : model.functions()) {
    if (Status status = function->CheckBody(); !status.ok()) {
      faults.emplace(function->def().name, std::move(status));
    }
  }
  const auto first = faults.begin();
  // Calls of a function that is left out are faults, too. A call that selects one of several
  // functions selects one of the others.
  for (bool changes = true; changes;) {
    changes = false;
    for (FunctionDef& function : out.functions) {
      if (faults.contains(function.name)) continue;
      for (GraphNode& node : function.graph.nodes) {
        if (node.op->control == Control::kNone) continue;
        const Status* fault = nullptr;
        for (const auto& [name, value] : node.attributes.entries()) {
          auto named = node.attributes.String(name);
          auto found = named.ok() ? faults.find(*named) : faults.end();
          if (found != faults.end()) fault = &found->second;
        }
        auto selected = node.attributes.Strings("functions");
        if (node.op->control == Control::kCall && selected.ok() && !selected->empty()) {
          std::vector<std::string> kept;
          for (const std::string& name : *selected) {
            auto found = faults.find(name);
            if (found == faults.end()) kept.push_back(name);
            if (found != faults.end() && kept.empty()) fault = &found->second;
          }
          if (!kept.empty()) fault = nullptr;
          if (kept.size() < selected->size() && !kept.empty()) {
            node.attributes = node.attributes.With("functions", AttributeListOf(kept));
          }
        }
        if (fault == nullptr) continue;
        const Status reason = *fault;
        faults.emplace(function.name, reason);
        changes = true;
        break;
      }
    }
  }
  if (faults.empty()) return out;
  std::erase_if(out.functions,
                [&](const FunctionDef& function) { return faults.contains(function.name); });
  for (const auto& [name, status] : faults) {
    if (!IsInternal(name)) out.metadata[Cat("unavailable.", name)] = MessageOf(status);
  }
  const bool has_public = std::any_of(out.functions.begin(), out.functions.end(),
                                      [](const FunctionDef& f) { return !IsInternal(f.name); });
  if (has_public) return out;
  return At(Cat("function `", first->first, "`"), first->second);
}

}  // namespace signet
