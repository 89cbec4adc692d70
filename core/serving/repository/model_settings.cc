#include "core/serving/repository/model_settings.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include <absl/strings/numbers.h>
#include <absl/strings/str_split.h>

#include "core/formats/protobuf/text_message.h"
#include "core/model/model_name.h"
#include "core/types/identifier.h"

namespace signet {
namespace {

constexpr int64_t kMaxSettingsBytes = 1 << 20;
constexpr int64_t kMaxDelayMicroseconds = 60'000'000;
constexpr double kMaxWeight = 1000;
constexpr int kMostLabels = 1000;

template <class Number>
Status CheckRange(std::string_view field, Number value, Number least, Number most) {
  if (value >= least && value <= most) return absl::OkStatus();
  return InvalidArgument(field, ": expected ", least, " to ", most, ", found ", value);
}

Status CheckAtLeast0(std::string_view field, int64_t value) {
  if (value >= 0) return absl::OkStatus();
  return InvalidArgument(field, ": expected at least 0, found ", value);
}

Status CheckPolicy(const v1::VersionPolicy& policy) {
  if (policy.has_newest() && policy.newest().count() < 1) {
    return InvalidArgument("newest.count: expected at least 1, found ", policy.newest().count());
  }
  if (policy.has_listed() && policy.listed().versions().empty()) {
    return InvalidArgument("listed.versions: expected at least one version, found none");
  }
  for (int64_t version : policy.listed().versions()) {
    if (version < 1) {
      return InvalidArgument("listed.versions: expected versions of at least 1, found ", version);
    }
  }
  return absl::OkStatus();
}

Status CheckLabels(const google::protobuf::Map<std::string, int64_t>& labels) {
  if (labels.size() > kMostLabels) {
    return InvalidArgument("expected at most ", kMostLabels, " labels, found ", labels.size());
  }
  for (const auto& [label, version] : labels) {
    if (!IsModelName(label)) {
      return InvalidArgument(
          "expected a label of at most 128 letters, digits, `_`, `-`, and `.`; "
          "found `",
          Printable(label), "`");
    }
    if (version < 1) {
      return InvalidArgument("`", label, "`: expected a version of at least 1, found ", version);
    }
  }
  return absl::OkStatus();
}

Status CheckWarmUp(const v1::WarmUp& warm_up) {
  std::filesystem::path file(warm_up.requests_file());
  const bool is_path = warm_up.requests_file().find('\0') == std::string::npos;
  bool is_inner =
      is_path && !file.is_absolute() &&
      std::none_of(file.begin(), file.end(), [](const auto& part) { return part == ".."; });
  if (is_inner) return absl::OkStatus();
  return InvalidArgument("requests_file: expected a path in the directory of the version, found `",
                         Printable(warm_up.requests_file()), "`");
}

Status CheckBatching(const v1::Batching& batching) {
  SIGNET_RETURN_IF_ERROR(CheckAtLeast0("max_rows", batching.max_rows()));
  SIGNET_RETURN_IF_ERROR(CheckAtLeast0("max_bytes", batching.max_bytes()));
  SIGNET_RETURN_IF_ERROR(CheckRange("max_delay_microseconds", batching.max_delay_microseconds(),
                                    int64_t{0}, kMaxDelayMicroseconds));
  for (const auto& [function, batched] : batching.functions()) {
    std::string where = Cat("functions: `", Printable(function), "`");
    if (!IsIdentifier(function)) {
      return InvalidArgument(where, ": expected the name of a function");
    }
    std::set<std::string> seen;
    for (const std::string& parameter : batched.parameters()) {
      if (!IsIdentifier(parameter)) {
        return InvalidArgument(where, ": expected the name of a parameter, found `",
                               Printable(parameter), "`");
      }
      if (!seen.insert(parameter).second) {
        return InvalidArgument(where, ": duplicate parameter `", parameter, "`");
      }
    }
    if (seen.empty()) return InvalidArgument(where, ": expected at least one parameter");
  }
  return absl::OkStatus();
}

Status CheckScheduling(const v1::Scheduling& scheduling) {
  if (!v1::Scheduling::Priority_IsValid(scheduling.priority())) {
    return InvalidArgument("priority: expected HIGH, NORMAL, or LOW, found ",
                           static_cast<int>(scheduling.priority()));
  }
  double weight = scheduling.weight();
  if (!std::isfinite(weight) || weight < 0 || weight > kMaxWeight) {
    return InvalidArgument("weight: expected 0 to ", kMaxWeight, ", found ", weight);
  }
  SIGNET_RETURN_IF_ERROR(CheckAtLeast0("max_concurrent_calls", scheduling.max_concurrent_calls()));
  SIGNET_RETURN_IF_ERROR(CheckAtLeast0("max_queued_calls", scheduling.max_queued_calls()));
  return CheckAtLeast0("max_queued_bytes", scheduling.max_queued_bytes());
}

Status CheckLimit(std::string_view field, int64_t value, int64_t server, std::string_view flag) {
  SIGNET_RETURN_IF_ERROR(CheckAtLeast0(field, value));
  if (value <= server) return absl::OkStatus();
  return InvalidArgument(field, ": ", value, " exceeds the limit of the server, ", server, " (",
                         flag, "); limits of a model may only be stricter");
}

Status CheckLimits(const v1::CallLimits& model, const Limits& limits,
                   const FunctionOptions& function) {
  SIGNET_RETURN_IF_ERROR(CheckLimit("max_call_bytes", model.max_call_bytes(),
                                    function.max_call_bytes, "--max_call_bytes"));
  SIGNET_RETURN_IF_ERROR(CheckLimit("max_expanded_bytes", model.max_expanded_bytes(),
                                    limits.expanded_bytes, "--max_expanded_bytes"));
  SIGNET_RETURN_IF_ERROR(CheckLimit("max_loop_steps", model.max_loop_steps(),
                                    function.max_loop_steps, "--max_loop_steps"));
  return CheckLimit("max_tensor_elements", model.max_tensor_elements(), limits.tensor_elements,
                    "--max_tensor_elements");
}

Status CheckTensors(const google::protobuf::Map<std::string, std::string>& tensors) {
  const std::map<std::string, std::string> sorted(tensors.begin(), tensors.end());
  for (const auto& [name, tensor] : sorted) {
    if (name.empty()) {
      return InvalidArgument("expected a name for `", Printable(tensor), "`, found none");
    }
    if (!tensor.empty()) continue;
    return InvalidArgument("`", Printable(name),
                           "`: expected a tensor of the graph, such as `input:0`, found none");
  }
  return absl::OkStatus();
}

void SetInt(int64_t& value, int64_t from) {
  if (value == 0) value = from;
}

}  // namespace

StatusOr<v1::ModelSettings> ParseModelSettings(std::string_view text) {
  v1::ModelSettings settings;
  SIGNET_RETURN_IF_ERROR(ParseTextMessage(text, settings));
  return settings;
}

StatusOr<v1::ModelSettings> ReadModelSettings(const FileSystem& files,
                                              const std::filesystem::path& path) {
  const auto entry = files.Find(path);
  if (!entry) return NotFound("cannot read the file");
  if (!entry->is_file()) {
    return FailedPrecondition(path.filename().native(), ": expected a regular file");
  }
  if (entry->size > kMaxSettingsBytes) {
    return InvalidArgument(entry->size, " bytes exceed the limit of ", kMaxSettingsBytes);
  }
  std::string text;
  const Status read = files.Read(path, [&](std::string_view block) { text += block; });
  if (!read.ok() || static_cast<int64_t>(text.size()) != entry->size) {
    return NotFound("cannot read the whole file");
  }
  return ParseModelSettings(text);
}

Status CheckModelSettings(const v1::ModelSettings& settings, const Limits& limits,
                          const FunctionOptions& function) {
  SIGNET_RETURN_IF_ERROR(At("version_policy", CheckPolicy(settings.version_policy())));
  SIGNET_RETURN_IF_ERROR(At("labels", CheckLabels(settings.labels())));
  if (!v1::ModelSettings::Load_IsValid(settings.load())) {
    return InvalidArgument("load: expected EAGER or ON_DEMAND, found ",
                           static_cast<int>(settings.load()));
  }
  SIGNET_RETURN_IF_ERROR(At("warm_up", CheckWarmUp(settings.warm_up())));
  SIGNET_RETURN_IF_ERROR(At("batching", CheckBatching(settings.batching())));
  SIGNET_RETURN_IF_ERROR(At("scheduling", CheckScheduling(settings.scheduling())));
  SIGNET_RETURN_IF_ERROR(
      At("frozen_graph: inputs", CheckTensors(settings.frozen_graph().inputs())));
  SIGNET_RETURN_IF_ERROR(
      At("frozen_graph: outputs", CheckTensors(settings.frozen_graph().outputs())));
  return At("limits", CheckLimits(settings.limits(), limits, function));
}

EffectiveSettings CombineSettings(const v1::ModelSettings& flags, const v1::ModelSettings& file,
                                  const Limits& limits, const FunctionOptions& function) {
  EffectiveSettings out;
  v1::ModelSettings& settings = out.settings;
  settings = file;
  auto choose = [&](const std::string& path, bool in_file, bool in_flags) {
    out.origins[path] = in_file ? v1::FILE : in_flags ? v1::FLAG : v1::DEFAULT_VALUE;
    return !in_file && in_flags;
  };
  using Policy = v1::VersionPolicy;
  if (choose("version_policy", file.version_policy().policy_case() != Policy::POLICY_NOT_SET,
             flags.version_policy().policy_case() != Policy::POLICY_NOT_SET)) {
    *settings.mutable_version_policy() = flags.version_policy();
  }
  if (settings.version_policy().policy_case() == Policy::POLICY_NOT_SET) {
    settings.mutable_version_policy()->mutable_all();
  }
  for (const auto& [label, version] : file.labels()) out.origins[Cat("labels.", label)] = v1::FILE;
  if (choose("load", file.load() != v1::ModelSettings::LOAD_UNSPECIFIED,
             flags.load() != v1::ModelSettings::LOAD_UNSPECIFIED)) {
    settings.set_load(flags.load());
  }
  if (settings.load() == v1::ModelSettings::LOAD_UNSPECIFIED) {
    settings.set_load(v1::ModelSettings::EAGER);
  }
  if (choose("warm_up.examples", file.warm_up().has_examples(), flags.warm_up().has_examples())) {
    settings.mutable_warm_up()->set_examples(flags.warm_up().examples());
  }
  if (!settings.warm_up().has_examples()) settings.mutable_warm_up()->set_examples(true);
  choose("warm_up.requests_file", !file.warm_up().requests_file().empty(), false);

  v1::Batching& batching = *settings.mutable_batching();
  choose("batching.enabled", batching.has_enabled(), false);
  choose("batching.max_rows", batching.max_rows() != 0, false);
  choose("batching.max_bytes", batching.max_bytes() != 0, false);
  choose("batching.max_delay_microseconds", batching.max_delay_microseconds() != 0, false);
  for (const auto& [name, batched] : batching.functions()) {
    out.origins[Cat("batching.functions.", name)] = v1::FILE;
  }
  if (!batching.has_enabled()) batching.set_enabled(true);
  if (batching.max_rows() == 0) batching.set_max_rows(1024);
  if (batching.max_bytes() == 0) batching.set_max_bytes(int64_t{64} << 20);
  if (batching.max_delay_microseconds() == 0) batching.set_max_delay_microseconds(2000);

  for (const auto& [name, tensor] : file.frozen_graph().inputs()) {
    out.origins[Cat("frozen_graph.inputs.", name)] = v1::FILE;
  }
  for (const auto& [name, tensor] : file.frozen_graph().outputs()) {
    out.origins[Cat("frozen_graph.outputs.", name)] = v1::FILE;
  }

  v1::Scheduling& scheduling = *settings.mutable_scheduling();
  choose("scheduling.priority", scheduling.priority() != v1::Scheduling::PRIORITY_UNSPECIFIED,
         false);
  choose("scheduling.weight", scheduling.weight() != 0, false);
  choose("scheduling.max_concurrent_calls", scheduling.max_concurrent_calls() != 0, false);
  choose("scheduling.max_queued_calls", scheduling.max_queued_calls() != 0, false);
  choose("scheduling.max_queued_bytes", scheduling.max_queued_bytes() != 0, false);
  if (scheduling.priority() == v1::Scheduling::PRIORITY_UNSPECIFIED) {
    scheduling.set_priority(v1::Scheduling::NORMAL);
  }
  if (scheduling.weight() == 0) scheduling.set_weight(1);

  v1::CallLimits& effective = *settings.mutable_limits();
  auto limit = [&](const std::string& path, int64_t value, int64_t server) {
    choose(path, value != 0, true);
    SetInt(value, server);
    return value;
  };
  effective.set_max_call_bytes(
      limit("limits.max_call_bytes", effective.max_call_bytes(), function.max_call_bytes));
  effective.set_max_expanded_bytes(
      limit("limits.max_expanded_bytes", effective.max_expanded_bytes(), limits.expanded_bytes));
  effective.set_max_loop_steps(
      limit("limits.max_loop_steps", effective.max_loop_steps(), function.max_loop_steps));
  effective.set_max_tensor_elements(
      limit("limits.max_tensor_elements", effective.max_tensor_elements(), limits.tensor_elements));
  return out;
}

StatusOr<v1::VersionPolicy> ParseVersionPolicy(std::string_view text) {
  v1::VersionPolicy out;
  absl::string_view view(text.data(), text.size());
  std::vector<absl::string_view> parts = absl::StrSplit(view, absl::MaxSplits(':', 1));
  int32_t count = 0;
  if (view == "all") {
    out.mutable_all();
    return out;
  }
  if (parts.size() == 2 && parts[0] == "newest" && absl::SimpleAtoi(parts[1], &count) &&
      count >= 1) {
    out.mutable_newest()->set_count(count);
    return out;
  }
  bool is_listed = parts.size() == 2 && parts[0] == "listed";
  if (is_listed) {
    for (absl::string_view word : absl::StrSplit(parts[1], ',')) {
      auto version = ParseVersion(std::string_view(word.data(), word.size()));
      is_listed = is_listed && version.has_value();
      if (version) out.mutable_listed()->add_versions(*version);
    }
  }
  if (is_listed) return out;
  return InvalidArgument("expected `all`, `newest:N`, or `listed:3,5`, found `", Printable(text),
                         "`");
}

std::string FormatVersionPolicy(const v1::VersionPolicy& policy) {
  if (policy.has_newest()) return Cat("newest:", policy.newest().count());
  if (!policy.has_listed()) return "all";
  std::vector<std::string> versions;
  for (int64_t version : policy.listed().versions()) versions.push_back(Cat(version));
  return Cat("listed:", Join(versions, ","));
}

Limits StricterLimits(Limits limits, const v1::CallLimits& model) {
  auto lower = [](int64_t& limit, int64_t value) {
    if (value > 0) limit = std::min(limit, value);
  };
  lower(limits.expanded_bytes, model.max_expanded_bytes());
  lower(limits.tensor_elements, model.max_tensor_elements());
  return limits;
}

FunctionOptions StricterLimits(FunctionOptions function, const v1::CallLimits& model) {
  auto lower = [](int64_t& limit, int64_t value) {
    if (value > 0) limit = std::min(limit, value);
  };
  lower(function.max_call_bytes, model.max_call_bytes());
  lower(function.max_loop_steps, model.max_loop_steps());
  return function;
}

std::string LimitsOfLoad(const v1::ModelSettings& settings) {
  const v1::Batching& batching = settings.batching();
  std::map<std::string, std::string> batches;
  for (const auto& [function, batched] : batching.functions()) {
    for (const std::string& parameter : batched.parameters()) {
      batches[function] += Cat(" ", parameter);
    }
  }
  std::string out = Cat(settings.limits().max_call_bytes(), " ", settings.limits().max_loop_steps(),
                        " ", batching.enabled());
  for (const auto& [function, parameters] : batches) out += Cat("; ", function, parameters);
  for (const auto* tensors :
       {&settings.frozen_graph().inputs(), &settings.frozen_graph().outputs()}) {
    const std::map<std::string, std::string> sorted(tensors->begin(), tensors->end());
    out += ";";
    for (const auto& [name, tensor] : sorted) out += Cat(" ", name, "=", tensor);
  }
  return out;
}

}  // namespace signet
