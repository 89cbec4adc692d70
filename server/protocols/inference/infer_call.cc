#include "server/protocols/inference/infer_call.h"

#include <algorithm>
#include <utility>

#include "core/model/model_name.h"
#include "core/serving/flat/flat_arguments.h"
#include "core/types/type_mismatch.h"
#include "signet/notation.h"
#include "signet/tensor_spec.h"

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

// Returns the part of shared memory to which the raw form of `tensor` was written.
StatusOr<SharedMemoryPart> WriteOutput(const SharedMemoryRegions& regions, SharedMemoryPart part,
                                       const NamedTensor& tensor) {
  SIGNET_ASSIGN_OR_RETURN(const Buffer raw, RawOfTensor(tensor.tensor));
  if (raw.size() > part.size) {
    return InvalidArgument("shared memory size specified with the request for output '",
                           Printable(tensor.name), "' (", part.size, " bytes) should be at least ",
                           raw.size(), " bytes to hold the results");
  }
  SIGNET_RETURN_IF_ERROR(regions.Write(part, raw));
  part.size = raw.size();
  return part;
}

std::string DimsText(const PartialShape& shape) {
  std::vector<std::string> dims;
  for (int64_t dim : shape.dims()) dims.push_back(Cat(dim));
  return Cat("[", Join(dims, ","), "]");
}

// Adds the sentence that clients compare to the error of an input that has another datatype or
// shape than its parameter.
Status WithTypeSentence(const Status& status, std::string_view model) {
  const std::string reason = ReasonOf(status);
  const bool is_datatype = reason == "DTYPE_MISMATCH";
  if (!is_datatype && reason != "SHAPE_MISMATCH") return status;
  const auto types = TypesOf(status);
  if (!types) return status;
  const auto wanted = ParseTypeSpec(types->expected);
  const auto found = ParseTypeSpec(types->found);
  if (!wanted.ok() || !found.ok()) return status;
  const std::string_view message = MessageOf(status);
  const auto& wanted_tensor = *wanted->As<TensorSpec>();
  const auto& found_tensor = *found->As<TensorSpec>();
  const std::string field = FieldOf(status);
  const std::string input = Printable(field);
  auto sentence = [&](const auto&... parts) {
    return WithField(field, InvalidWithReason(reason, parts...));
  };
  if (is_datatype) {
    return sentence("inference input '", input, "' data-type is '",
                    DatatypeOf(found_tensor.dtype()), "', but model '", Printable(model),
                    "' expects '", DatatypeOf(wanted_tensor.dtype()), "'; ", message);
  }
  if (!wanted_tensor.shape().has_rank() || !found_tensor.shape().has_rank()) return status;
  return sentence("unexpected shape for input '", input, "' for model '", Printable(model),
                  "'. Expected ", DimsText(wanted_tensor.shape()), ", got ",
                  DimsText(found_tensor.shape()), "; ", message);
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

SharedMemoryReader ReaderOf(const SharedMemoryRegions* regions) {
  if (regions == nullptr) return {};
  return [regions](const SharedMemoryPart& part) { return regions->Read(part); };
}

StatusOr<InferResponse> ResponseOfCall(const InferRequest& request, const CallOutput& output,
                                       const SharedMemoryRegions* regions, const Limits& limits) {
  const auto* value = std::get_if<Value>(&output.result);
  if (value == nullptr || output.function == nullptr) return Internal("the result is not a value");
  std::vector<std::string> names;
  names.reserve(request.outputs.size());
  for (const RequestedOutput& wanted : request.outputs) names.push_back(wanted.name);
  SIGNET_ASSIGN_OR_RETURN(std::vector<NamedTensor> tensors,
                          SelectResults(*output.function, *value, names, request.model, limits));
  InferResponse out{.model = request.model, .version = Cat(output.model_version), .id = request.id};
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
    if (wanted.classes > 0) {
      SIGNET_ASSIGN_OR_RETURN(made.tensor.tensor,
                              LargestElements(made.tensor.tensor, wanted.classes));
    }
    if (!wanted.shared_memory || regions == nullptr) continue;
    SIGNET_ASSIGN_OR_RETURN(made.shared_memory,
                            WriteOutput(*regions, *wanted.shared_memory, made.tensor));
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
  const std::string_view sentence = MessageOf(status);
  const size_t state = std::min(sentence.find(" is not loaded"), sentence.find(" is unloading"));
  const size_t place = sentence.find("`: version ");
  if (sentence.starts_with("model `") && place < state && state != sentence.npos) {
    const std::string what = version.empty()
                                 ? "has no available versions"
                                 : Cat("version ", Printable(version), " is not at ready state");
    return Unavailable("Request for unknown model: '", Printable(name), "' ", what, "; it",
                       sentence.substr(state));
  }
  const bool is_unknown =
      absl::IsNotFound(status) &&
      (sentence.starts_with("missing name of a model") ||
       (sentence.starts_with("model `") && sentence.find("not found") != sentence.npos &&
        sentence.find("`: function `") == sentence.npos));
  if (!is_unknown) return status;
  // Programs compare the whole sentence, so that it does not list the models.
  const std::string shown = version.empty() ? "" : Cat(" version ", Printable(version));
  return NotFound("Request for unknown model: '", Printable(name), "'", shown, " is not found");
}

Status InferCallErrorOf(const Status& status, const InferParameters& parameters,
                        std::string_view name, std::string_view version) {
  const bool has_timeout = parameters.timeout_us.value_or(0) > 0;
  if (has_timeout && absl::IsDeadlineExceeded(status)) {
    return Unavailable("Request timeout expired; ", MessageOf(status));
  }
  return InferErrorOf(WithTypeSentence(status, name), name, version);
}

}  // namespace signet
