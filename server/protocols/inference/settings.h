// Settings: what clients of the Open Inference Protocol read and change with TraceSetting and
// LogSettings, under the names of Triton.
//
// The levels of the log can be changed while the server runs. All other settings are flags: a
// request that states the value in effect is accepted. Thread-safe.

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "server/call/serving.h"
#include "server/protocols/inference/inference_options.h"

namespace signet {

using LogSettingsMap = std::map<std::string, std::variant<bool, uint32_t, std::string>>;
// The value of `trace_level` is a list, and other values are one text.
using TraceSettingsMap = std::map<std::string, std::vector<std::string>>;

LogSettingsMap LogSettingsInEffect();
TraceSettingsMap TraceSettingsInEffect(const ServerContext& server);

// Changes settings to `wanted`, all or none. A change requires --admin and the permission of
// administration. INVALID_ARGUMENT for an unknown setting or a wrong type, UNIMPLEMENTED for a
// setting that cannot be changed.
Status ChangeLogSettings(const InferenceOptions& options, const Access& access,
                         const LogSettingsMap& wanted);
// An empty list means the default, which is in effect.
Status ChangeTraceSettings(const ServerContext& server, const TraceSettingsMap& wanted);

}  // namespace signet
