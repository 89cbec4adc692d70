#include "core/serving/tensorflow/signatures.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/model/source_names.h"
#include "core/serving/flat/flat_signature.h"

namespace signet::tf {
namespace {

std::string MethodName(Method method) { return Cat("tensorflow/serving/", NameOf(method)); }

// Checks that a signature for Classify is not called with Regress, and vice versa. TensorFlow 2
// writes the method of Predict for all signatures.
Status CheckMethod(const LoadedModel& model, const PolymorphicFunction& function, Method method) {
  if (method == Method::kPredict) return absl::OkStatus();
  const std::string found = MethodNameOf(model, function);
  const bool is_classify = method == Method::kClassify;
  if (found != MethodName(is_classify ? Method::kRegress : Method::kClassify)) {
    return absl::OkStatus();
  }
  return InvalidArgument("Expected ", is_classify ? "classification" : "regression",
                         " signature method_name to be ", MethodName(method), ". Was: ", found);
}

// Returns null if there is no such signature.
const PolymorphicFunction* LookupSignature(const LoadedModel& model, std::string_view signature) {
  const auto found = model.FindFunction(signature);
  return found.ok() && !IsInternal((*found)->def().name) ? *found : nullptr;
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

std::string_view SignatureNameOf(const Target& target) {
  return target.signature.empty() ? kDefaultSignature : std::string_view(target.signature);
}

Status CheckModelSpec(const Target& target) {
  if (!target.model.empty()) return absl::OkStatus();
  return InvalidArgument("Missing ModelSpec: expected a model_spec with the name of a model");
}

Status TranslateFindError(const Target& target, Status status) {
  const bool is_failed = absl::IsFailedPrecondition(status);  // it could not be loaded
  if (!absl::IsNotFound(status) && !is_failed) return status;
  if (!target.label.empty() && !is_failed) {
    return InvalidArgument("Unrecognized servable version label: ", Printable(target.label), "; ",
                           MessageOf(status));
  }
  const std::string name = Printable(target.model);
  const std::string version = target.version ? Cat(*target.version) : Printable(target.label);
  const std::string request =
      version.empty() ? Cat("Latest(", name, ")") : Cat("Specific(", name, ", ", version, ")");
  return NotFound("Servable not found for request: ", request, "; ", MessageOf(status));
}

StatusOr<const PolymorphicFunction*> FindFunction(const LoadedModel& model,
                                                  std::string_view signature, Method method) {
  const std::string_view wanted = signature.empty() ? kDefaultSignature : signature;
  if (const auto* found = LookupSignature(model, wanted)) {
    SIGNET_RETURN_IF_ERROR(CheckMethod(model, *found, method));
    return found;
  }
  if (wanted == kDefaultSignature) {
    if (auto found = FindDefaultFunction(model); found.ok()) return *found;
    if (const auto* found = LookupSignature(model, NameOf(method))) return found;
  }
  std::vector<std::string> names;
  for (const auto& function : model.functions()) {
    if (!IsInternal(function->def().name)) names.push_back(SignatureNameOf(model, *function));
  }
  const std::string list =
      Cat("; model `", model.name(), "` has the signatures ", ListNames(std::move(names)));
  if (method == Method::kPredict) {
    return FailedPrecondition("Serving signature name: \"", Printable(wanted),
                              "\" not found in signature def", list);
  }
  return InvalidArgument("No signature was found with the name: ", Printable(wanted), list);
}

StatusOr<CalledFunction> FindFunction(const Repository& repository, const Target& target,
                                      Method method) {
  SIGNET_RETURN_IF_ERROR(CheckModelSpec(target));
  auto served = repository.FindServed(target.model, target.version, target.label);
  if (!served.ok()) return TranslateFindError(target, served.status());
  CalledFunction called{.model = served->model, .settings = served->settings};
  SIGNET_ASSIGN_OR_RETURN(called.function, FindFunction(*called.model, target.signature, method));
  return called;
}

Status CheckInputs(const CalledFunction& called, std::span<const NamedTensor> inputs) {
  auto is_given = [&](std::string_view name) {
    return std::any_of(inputs.begin(), inputs.end(),
                       [&](const NamedTensor& input) { return input.name == name; });
  };
  const FunctionDef& def = called.function->def();
  const FunctionType& type = def.type;
  bool is_complete = true;
  for (const Parameter& parameter : type.parameters()) {
    const bool is_tensor =
        parameter.type ? parameter.type.is(TypeKind::kTensor) : parameter.optional;
    if (IsVariadic(parameter.kind) || !is_tensor) return absl::OkStatus();
    is_complete = is_complete && (parameter.optional || is_given(SourceNameOf(def, parameter)));
  }
  const bool is_known = std::all_of(inputs.begin(), inputs.end(), [&](const NamedTensor& input) {
    return LookupInput(def, input.name) != nullptr;
  });
  if (is_complete && is_known) return absl::OkStatus();
  std::vector<std::string> sent, expected, extra, missing;
  for (const NamedTensor& input : inputs) {
    sent.push_back(Printable(input.name));
    if (LookupInput(def, input.name) == nullptr) extra.push_back(sent.back());
  }
  for (const Parameter& parameter : type.parameters()) {
    const bool given = is_given(SourceNameOf(def, parameter));
    if (parameter.optional && !given) continue;
    std::string key = Printable(SourceNameOf(def, parameter));
    if (!given) missing.push_back(key);
    expected.push_back(std::move(key));
  }
  auto set = [](std::vector<std::string>& names) {
    std::sort(names.begin(), names.end());
    return Cat("{", Join(names, ","), "}");
  };
  const std::string_view reason = extra.empty() ? "MISSING_REQUIRED" : "UNEXPECTED_KEYWORD";
  if (sent.size() == expected.size() && !extra.empty()) {
    return InvalidWithReason(reason, "input tensor alias not found in signature: ", extra[0],
                             ". Inputs expected to be in the set ", set(expected), ".");
  }
  return InvalidWithReason(reason, "input size does not match signature: ", sent.size(),
                           "!=", expected.size(), " len(", set(sent), ") != len(", set(expected),
                           "). Sent extra: ", set(extra), ". Missing but required: ", set(missing),
                           ".");
}

const std::string* LookupSignatureMetadata(const LoadedModel& model,
                                           const PolymorphicFunction& function,
                                           std::string_view what) {
  const auto& metadata = model.def().metadata;
  if (metadata.empty()) return nullptr;
  auto found = metadata.find(Cat("savedmodel.", function.def().name, ".", what));
  return found == metadata.end() ? nullptr : &found->second;
}

std::string SignatureNameOf(const LoadedModel& model, const PolymorphicFunction& function) {
  return SourceNameOf(model.def(), function.def());
}

std::string MethodNameOf(const LoadedModel& model, const PolymorphicFunction& function) {
  const std::string* name = LookupSignatureMetadata(model, function, "method");
  return name != nullptr && !name->empty() ? *name : "tensorflow/serving/predict";
}

}  // namespace signet::tf
