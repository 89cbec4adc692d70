#include "core/serving/tensorflow/signatures.h"

#include <utility>
#include <vector>

#include "core/serving/flat/flat_signature.h"

namespace signet::tf {
namespace {

// Returns what the metadata has under `savedmodel.FUNCTION.WHAT`, or null.
const std::string* LookupMetadata(const LoadedModel& model, const PolymorphicFunction& function,
                                  std::string_view what) {
  const auto& metadata = model.def().metadata;
  if (metadata.empty()) return nullptr;
  auto found = metadata.find(Cat("savedmodel.", function.def().name, ".", what));
  return found == metadata.end() ? nullptr : &found->second;
}

std::string NameOrMetadata(const LoadedModel& model, const PolymorphicFunction& function,
                           std::string_view what, std::string_view name) {
  const std::string* found = LookupMetadata(model, function, Cat(what, ".", name));
  return found != nullptr ? *found : std::string(name);
}

// Returns null if there is no such signature.
const PolymorphicFunction* LookupSignature(const LoadedModel& model, std::string_view signature) {
  const PolymorphicFunction* of_this_name = nullptr;
  for (const auto& function : model.functions()) {
    if (IsInternal(function->def().name)) continue;
    const std::string* name = LookupMetadata(model, *function, "signature");
    if (name != nullptr && *name == signature) return function.get();
    if (function->def().name == signature) of_this_name = function.get();
  }
  return of_this_name;
}

}  // namespace

std::string_view NameOf(Method method) {
  switch (method) {
    case Method::kPredict:
      return "predict";
    case Method::kClassify:
      return "classify";
    case Method::kRegress:
      return "regress";
  }
  __builtin_unreachable();
}

Status TranslateFindError(const Target& target, Status status) {
  if (!absl::IsNotFound(status)) return status;
  if (!target.label.empty()) {
    return InvalidArgument("Unrecognized servable version label: ", Printable(target.label), "; ",
                           MessageOf(status));
  }
  const std::string name = Printable(target.model);
  const std::string request = target.version ? Cat("Specific(", name, ", ", *target.version, ")")
                                             : Cat("Latest(", name, ")");
  return NotFound("Servable not found for request: ", request, "; ", MessageOf(status));
}

StatusOr<const PolymorphicFunction*> FindFunction(const LoadedModel& model,
                                                  std::string_view signature, Method method) {
  const std::string_view wanted = signature.empty() ? kDefaultSignature : signature;
  if (const auto* found = LookupSignature(model, wanted)) return found;
  if (wanted == kDefaultSignature) {
    if (auto found = FindDefaultFunction(model); found.ok()) return *found;
    if (const auto* found = LookupSignature(model, NameOf(method))) return found;
  }
  std::vector<std::string> names;
  for (const auto& function : model.functions()) {
    if (!IsInternal(function->def().name)) names.push_back(SignatureNameOf(model, *function));
  }
  const std::string text =
      Cat("Serving signature name: \"", Printable(wanted), "\" not found in signature def; model `",
          model.name(), "` has the signatures ", ListNames(std::move(names)));
  if (method == Method::kPredict) return FailedPrecondition(text);
  return InvalidArgument(text);
}

StatusOr<CalledFunction> FindFunction(const Repository& repository, const Target& target,
                                      Method method) {
  if (target.model.empty()) {
    return InvalidArgument("missing the name of the model in model_spec");
  }
  auto served = repository.FindServed(target.model, target.version, target.label);
  if (!served.ok()) return TranslateFindError(target, served.status());
  CalledFunction called{.model = served->model, .settings = served->settings};
  SIGNET_ASSIGN_OR_RETURN(called.function, FindFunction(*called.model, target.signature, method));
  return called;
}

std::string SignatureNameOf(const LoadedModel& model, const PolymorphicFunction& function) {
  const std::string* name = LookupMetadata(model, function, "signature");
  return name != nullptr ? *name : function.def().name;
}

std::string MethodNameOf(const LoadedModel& model, const PolymorphicFunction& function) {
  const std::string* name = LookupMetadata(model, function, "method");
  return name != nullptr && !name->empty() ? *name : "tensorflow/serving/predict";
}

std::string ParameterOfKey(const LoadedModel& model, const PolymorphicFunction& function,
                           std::string_view key) {
  for (const Parameter& parameter : function.def().type.parameters()) {
    if (InputKeyOf(model, function, parameter.name) == key) return parameter.name;
  }
  return std::string(key);
}

std::string InputKeyOf(const LoadedModel& model, const PolymorphicFunction& function,
                       std::string_view name) {
  const auto& names = function.def().source_parameters;
  if (auto found = names.find(std::string(name)); found != names.end()) return found->second;
  return NameOrMetadata(model, function, "input", name);
}

std::string OutputKeyOf(const LoadedModel& model, const PolymorphicFunction& function,
                        std::string_view name) {
  const auto& names = function.def().source_results;
  if (auto found = names.find(std::string(name)); found != names.end()) return found->second;
  return NameOrMetadata(model, function, "output", name);
}

}  // namespace signet::tf
