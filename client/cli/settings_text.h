// RenderSettings: formats the effective settings of a model for people. Stateless.
//
//   SETTING               VALUE  ORIGIN
//   labels.stable         3      file
//   limits.max_call_bytes 1000   flag

#pragma once

#include <string>

#include "signet/status.h"
#include "signet/v1/service.pb.h"

namespace signet {

// Returns the value of the setting at `path`, such as `labels.stable`, as text; empty if there is
// no such setting.
std::string SettingText(const v1::ModelSettings& settings, const std::string& path);

// Formats the settings that `model` states, one per line, sorted by path.
std::string RenderSettings(const v1::GetModelResponse& model);

}  // namespace signet
