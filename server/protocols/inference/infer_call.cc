#include "server/protocols/inference/infer_call.h"

#include <algorithm>
#include <utility>

#include "core/model/model_name.h"
#include "core/serving/flat/flat_arguments.h"

namespace signet {
namespace {

constexpr uint64_t kHighestPriority = 1;
constexpr uint64_t kNormalPriority = 2;
constexpr uint64_t kMaxTimeoutUs = 1'000'000'000'000;

// Returns the priority of Signet for a number of Triton, in which 0 is the default.
std::string_view PriorityOf(uint64_t number) {
  if (number == 0) return "";
  if (number == kHighestPriority) return "high";
  return number == kNormalPriority ? "normal" : "low";
}

}  // namespace

StatusOr<InferTarget> ParseInferTarget(std::string_view name, std::string_view version) {
  InferTarget out;
  const size_t slash = std::min(name.find('/'), name.size());
  out.model = name.substr(0, slash);
  if (slash < name.size()) {
    out.function = name.substr(slash + 1);
    if (out.function.empty()) {
      return InvalidArgument("model name `", Printable(name), "`: expected a function after `/`");
    }
  }
  if (version.empty()) return out;
  out.version = ParseVersion(version);
  if (!out.version) {
    return InvalidArgument("failed to get model version from specified version string '",
                           Printable(version), "': expected a version of at least 1");
  }
  return out;
}

StatusOr<CallRequest> CallOfRequest(InferRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(InferTarget target, ParseInferTarget(request.model, request.version));
  CallRequest call;
  call.model = std::move(target.model);
  call.version = target.version;
  call.function = std::move(target.function);
  if (!request.parameters.function.empty()) {
    if (!call.function.empty() && call.function != request.parameters.function) {
      return InvalidArgument(
          "the name of the model and the parameter `function` name different "
          "functions: `",
          Printable(call.function), "` and `", Printable(request.parameters.function), "`");
    }
    call.function = request.parameters.function;
  }
  // 0 means any time.
  if (const uint64_t timeout = request.parameters.timeout_us.value_or(0); timeout > 0) {
    call.timeout =
        std::chrono::microseconds(static_cast<int64_t>(std::min(timeout, kMaxTimeoutUs)));
  }
  call.priority = PriorityOf(request.parameters.priority.value_or(0));
  call.tensors = std::move(request.inputs);
  return call;
}

StatusOr<InferResponse> ResponseOfCall(const InferRequest& request, const CallOutput& output,
                                       const Limits& limits) {
  const auto* value = std::get_if<Value>(&output.result);
  if (value == nullptr || output.function == nullptr) return Internal("the result is not a value");
  std::vector<std::string> names;
  names.reserve(request.outputs.size());
  for (const RequestedOutput& wanted : request.outputs) names.push_back(wanted.name);
  SIGNET_ASSIGN_OR_RETURN(std::vector<NamedTensor> tensors,
                          SelectResults(*output.function, *value, names, limits));
  InferResponse out{.model = request.model,
                    .version = Cat(output.model_version),
                    .id = request.id,
                    .is_marked_final = request.parameters.marks_final_response};
  out.outputs.reserve(tensors.size());
  for (size_t i = 0; i < tensors.size(); ++i) {
    InferOutput& made = out.outputs.emplace_back();
    made.tensor = std::move(tensors[i]);
    if (request.outputs.empty()) {
      made.is_binary = request.parameters.binary_output;
      continue;
    }
    const RequestedOutput& wanted = request.outputs[i];
    made.is_binary = wanted.is_binary.value_or(false);
    if (wanted.classes <= 0) continue;
    SIGNET_ASSIGN_OR_RETURN(made.tensor.tensor,
                            LargestElements(made.tensor.tensor, wanted.classes));
  }
  return out;
}

Status InferErrorOf(const Status& status, std::string_view name, std::string_view version) {
  if (status.ok()) return status;
  const std::string reason = ReasonOf(status);
  if (reason == "QUEUE_FULL" || reason == "OVERLOADED") {
    return WithReason(reason, Unavailable(MessageOf(status)));
  }
  if (absl::IsOutOfRange(status)) {
    return WithReason(reason, InvalidArgument(MessageOf(status)));
  }
  const bool is_unknown = absl::IsNotFound(status) && MessageOf(status).starts_with("model `") &&
                          MessageOf(status).find("not found") != std::string_view::npos &&
                          MessageOf(status).find("`: function `") == std::string_view::npos;
  if (!is_unknown) return status;
  // Programs compare the whole sentence, so that it does not list the models.
  const std::string shown = version.empty() ? "" : Cat(" version ", Printable(version));
  return NotFound("Request for unknown model: '", Printable(name), "'", shown, " is not found");
}

}  // namespace signet
