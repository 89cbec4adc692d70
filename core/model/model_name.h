// Names of models and their versions, as folders have them. Stateless.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace signet {

// Letters, digits, `_`, `-` and `.`, which is not the first; at most 128.
bool IsModelName(std::string_view text);

// `3` => 3. Empty unless it is a positive integer, written plainly: no sign, no leading 0.
std::optional<int64_t> ParseVersion(std::string_view text);

}  // namespace signet
