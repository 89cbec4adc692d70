#include "core/serving/tensorflow/model_status.h"

#include <algorithm>

#include "core/describe/error_message.h"

namespace signet::tf {
namespace {

using ::tensorflow::serving::GetModelStatusResponse;
using ::tensorflow::serving::ModelVersionStatus;
using ::tensorflow::serving::StatusProto;

constexpr size_t kLongestReason = 2000;  // bytes

ModelVersionStatus::State StateOf(const VersionStatus& version) {
  switch (version.state) {
    case VersionStatus::State::kLoading:
      return ModelVersionStatus::LOADING;
    case VersionStatus::State::kAvailable:
      return ModelVersionStatus::AVAILABLE;
    case VersionStatus::State::kUnloading:
      return ModelVersionStatus::UNLOADING;
    case VersionStatus::State::kFailed:
      return ModelVersionStatus::END;
    case VersionStatus::State::kNotLoaded:
      return version.is_servable() ? ModelVersionStatus::AVAILABLE : ModelVersionStatus::END;
  }
  return ModelVersionStatus::UNKNOWN;
}

void Add(const VersionStatus& version, GetModelStatusResponse& out) {
  ModelVersionStatus& status = *out.add_model_version_status();
  status.set_version(version.version);
  status.set_state(StateOf(version));
  StatusProto& outcome = *status.mutable_status();
  if (version.state != VersionStatus::State::kFailed) return;
  outcome.set_error_code(StatusProto::FAILED_PRECONDITION);
  outcome.set_error_message(FitText(version.reason, kLongestReason));
}

}  // namespace

StatusOr<GetModelStatusResponse> GetModelStatus(const Repository& repository,
                                                const Target& target) {
  SIGNET_RETURN_IF_ERROR(CheckModelSpec(target));
  const auto model = repository.StatusOf(target.model);
  std::optional<int64_t> version = target.version;
  if (!target.label.empty()) {
    if (!model || !model->labels.contains(target.label)) {
      return InvalidArgument("Unrecognized servable version label: ", Printable(target.label));
    }
    version = model->labels.find(target.label)->second;
  }
  GetModelStatusResponse out;
  if (model) {
    for (auto found = model->versions.rbegin(); found != model->versions.rend(); ++found) {
      if (!version || found->version == *version) Add(*found, out);
    }
  }
  if (!out.model_version_status().empty()) return out;
  const std::string name = Printable(target.model);
  if (version) return NotFound("Could not find version ", *version, " of model ", name);
  return NotFound("Could not find any versions of model ", name);
}

nlohmann::ordered_json StatusToJson(const GetModelStatusResponse& status) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const ModelVersionStatus& version : status.model_version_status()) {
    out.push_back({{"version", Cat(version.version())},
                   {"state", ModelVersionStatus::State_Name(version.state())},
                   {"status",
                    {{"error_code", StatusProto::Code_Name(version.status().error_code())},
                     {"error_message", version.status().error_message()}}}});
  }
  return out;
}

}  // namespace signet::tf
