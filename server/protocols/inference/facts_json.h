// JsonOf: the answers of the Open Inference Protocol about models and settings, in the JSON of
// HTTP. Stateless; thread-safe.

#pragma once

#include <nlohmann/json.hpp>

#include "inference/inference.pb.h"
#include "server/protocols/inference/settings.h"

namespace signet {

nlohmann::ordered_json JsonOf(const inference::ModelMetadataResponse& metadata);
nlohmann::ordered_json JsonOf(const inference::ModelConfigResponse& response);
nlohmann::ordered_json JsonOf(const inference::ModelStatisticsResponse& statistics);
nlohmann::ordered_json JsonOf(const inference::RepositoryIndexResponse& index);
nlohmann::ordered_json JsonOf(const LogSettingsMap& settings);
nlohmann::ordered_json JsonOf(const TraceSettingsMap& settings);

// Reads the settings of a request, which is an object. A log setting that is null does not change;
// a trace setting that is null is the default.
StatusOr<LogSettingsMap> WantedLogSettings(const nlohmann::ordered_json& body);
StatusOr<TraceSettingsMap> WantedTraceSettings(const nlohmann::ordered_json& body);

}  // namespace signet
