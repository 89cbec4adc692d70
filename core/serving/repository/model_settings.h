// Settings of a model: parses and checks settings.textproto, and combines it with the flags of the
// server. docs/reference/settings.md describes each setting.
//
// Stateless; thread-safe.

#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "core/formats/common/limits.h"
#include "core/runtime/polymorphic_function.h"
#include "core/serving/environment/file_system.h"
#include "signet/status.h"
#include "signet/v1/settings.pb.h"

namespace signet {

// Parses the text of settings.textproto. Errors state the line and the column of unknown fields and
// of values that do not parse.
StatusOr<v1::ModelSettings> ParseModelSettings(std::string_view text);

// Reads and parses the file at `path`, which must be a regular file of at most 1 MiB.
StatusOr<v1::ModelSettings> ReadModelSettings(const FileSystem& files,
                                              const std::filesystem::path& path);

// Checks the values of each field, and that limits do not exceed the limits of the server. Errors
// are INVALID_ARGUMENT and start with the field: `batching: max_rows: expected at least 0, found
// -1`.
Status CheckModelSettings(const v1::ModelSettings& settings, const Limits& limits,
                          const FunctionOptions& function);

// The settings that are in effect.
struct EffectiveSettings {
  v1::ModelSettings settings;  // with a value for every field except for labels and functions
  // By the path of the setting, such as `version_policy` or `labels.stable`.
  std::map<std::string, v1::SettingOrigin> origins;
};

// Combines the settings of the flags, the file, and the defaults. The file takes precedence.
// `limits` and `function` contain the limits of the server.
EffectiveSettings CombineSettings(const v1::ModelSettings& flags, const v1::ModelSettings& file,
                                  const Limits& limits, const FunctionOptions& function);

// Parses `all`, `newest:2`, or `listed:3,5`.
StatusOr<v1::VersionPolicy> ParseVersionPolicy(std::string_view text);
// Returns the policy in the form that ParseVersionPolicy accepts.
std::string FormatVersionPolicy(const v1::VersionPolicy& policy);

// Returns the stricter of the limits of the server and of a model.
Limits StricterLimits(Limits limits, const v1::CallLimits& model);
FunctionOptions StricterLimits(FunctionOptions function, const v1::CallLimits& model);
// Returns a text that differs if a setting differs that is fixed when a version is loaded: limits,
// batched functions, and the inputs and outputs of a frozen graph.
std::string LimitsOfLoad(const v1::ModelSettings& settings);

}  // namespace signet
