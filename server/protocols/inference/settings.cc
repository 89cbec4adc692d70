#include "server/protocols/inference/settings.h"

#include <algorithm>
#include <utility>

#include "server/observability/log_levels.h"

namespace signet {
namespace {

constexpr char kVerboseLevel[] = "log_verbose_level";

// Returns the level that a setting switches, which is true or above 0 if its events are logged.
std::optional<LogLevel> LookupLevel(std::string_view setting) {
  if (setting == "log_info") return LogLevel::kInfo;
  if (setting == "log_warning") return LogLevel::kWarning;
  if (setting == "log_error") return LogLevel::kError;
  if (setting == kVerboseLevel) return LogLevel::kDebug;
  return std::nullopt;
}

template <class Map>
std::string ListSettings(const Map& settings) {
  std::vector<std::string> names;
  for (const auto& [name, value] : settings) names.push_back(name);
  return ListNames(std::move(names));
}

}  // namespace

LogSettingsMap LogSettingsInEffect() {
  return {{"log_file", ""},
          {"log_info", IsLogged(LogLevel::kInfo)},
          {"log_warning", IsLogged(LogLevel::kWarning)},
          {"log_error", IsLogged(LogLevel::kError)},
          {kVerboseLevel, uint32_t{IsLogged(LogLevel::kDebug)}},
          {"log_format", "ISO8601"}};
}

TraceSettingsMap TraceSettingsInEffect(const ServerContext& server) {
  const ObservabilityOptions& options = server.observer.options();
  const bool is_on = !options.otlp.endpoint.empty();
  const auto rate =
      options.trace_sample > 0 ? static_cast<int64_t>(std::min(1 / options.trace_sample, 1e15)) : 0;
  return {{"trace_level", {is_on ? "TIMESTAMPS" : "OFF"}},
          {"trace_rate", {Cat(rate)}},
          {"trace_count", {"-1"}},
          {"log_frequency", {"0"}},
          {"trace_file", {""}},
          {"trace_mode", {"opentelemetry"}}};
}

Status ChangeLogSettings(const InferenceOptions& options, const Access& access,
                         const LogSettingsMap& wanted) {
  const LogSettingsMap in_effect = LogSettingsInEffect();
  std::vector<std::pair<LogLevel, bool>> changes;
  for (const auto& [name, value] : wanted) {
    auto known = in_effect.find(name);
    if (known == in_effect.end()) {
      return InvalidArgument("unknown log setting `", Printable(name),
                             "`; settings: ", ListSettings(in_effect));
    }
    if (known->second.index() != value.index()) {
      constexpr const char* kForms[] = {"true or false", "a whole number of 32 bits", "a string"};
      return InvalidArgument("log setting `", name, "`: expected ", kForms[known->second.index()]);
    }
    if (known->second == value) continue;
    const std::optional<LogLevel> level = LookupLevel(name);
    if (name == "log_file") {
      return Unimplemented("log file location can not be updated through network protocol");
    }
    if (!level) return Unimplemented("log setting `", name, "` cannot be changed");
    const bool* is_logged = std::get_if<bool>(&value);
    changes.emplace_back(*level, is_logged != nullptr ? *is_logged : std::get<uint32_t>(value) > 0);
  }
  if (changes.empty()) return absl::OkStatus();
  SIGNET_RETURN_IF_ERROR(access.Check(Rpc::kAdmin));
  if (!options.may_change_models) {
    return Unavailable("changes of settings are not allowed; start the server with --admin");
  }
  for (const auto& [level, is_logged] : changes) SetLogged(level, is_logged);
  return absl::OkStatus();
}

Status ChangeTraceSettings(const ServerContext& server, const TraceSettingsMap& wanted) {
  const TraceSettingsMap in_effect = TraceSettingsInEffect(server);
  for (const auto& [name, value] : wanted) {
    auto known = in_effect.find(name);
    if (known == in_effect.end()) {
      return InvalidArgument("unknown trace setting `", Printable(name),
                             "`; settings: ", ListSettings(in_effect));
    }
    if (value.empty() || value == known->second) continue;
    return Unimplemented("trace setting `", name, "` is a flag of the server; expected `",
                         known->second[0], "`, found `", Printable(value[0]), "`");
  }
  return absl::OkStatus();
}

}  // namespace signet
