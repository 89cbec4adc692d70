// IsModelName, ParseVersion, ParseModelReference: check the names of directories of models and
// versions, and read references to them. Stateless.

#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "signet/status.h"

namespace signet {

struct MappedTensors;  // core/formats/safetensors/safetensors.h

// The settings of a model, next to its versions. It belongs to no version.
inline constexpr char kSettingsFile[] = "settings.textproto";

// Returns true if `text` is a name of 1 to 128 letters, digits, `_`, `-`, and `.`, and does not
// begin with `.`.
bool IsModelName(std::string_view text);

// Returns 3 for `3`. Returns nothing unless `text` is a positive integer without sign or leading 0.
std::optional<int64_t> ParseVersion(std::string_view text);

// A version of a model that another model imports: `risk/3`, or `risk:stable`.
struct ModelReference {
  std::string name;
  std::optional<int64_t> version = {};  // absent if there is a label
  std::string label = {};

  bool operator==(const ModelReference&) const = default;
};

// INVALID_ARGUMENT if `text` has neither a version nor a label, or both, or is malformed.
StatusOr<ModelReference> ParseModelReference(std::string_view text);

// A version that a model imports.
struct ImportedVersion {
  std::filesystem::path folder;
  // The captures to use in place of captures.safetensors in the directory; null for that file.
  std::shared_ptr<const MappedTensors> captures = nullptr;
};

// Returns the version, or NOT_FOUND.
using ModelFinder = std::function<StatusOr<ImportedVersion>(const ModelReference&)>;

}  // namespace signet
