// IsModelName, ParseVersion: check the names of directories of models and versions. Stateless.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace signet {

// Returns true if `text` is a name of 1 to 128 letters, digits, `_`, `-`, and `.`, and does not
// begin with `.`.
bool IsModelName(std::string_view text);

// Returns 3 for `3`. Returns nothing unless `text` is a positive integer without sign or leading 0.
std::optional<int64_t> ParseVersion(std::string_view text);

}  // namespace signet
