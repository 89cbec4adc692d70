// DecodePercent, EncodePercent: read and write `%41` in a part of a URL. Stateless; thread-safe.

#pragma once

#include <string>
#include <string_view>

#include "signet/status.h"

namespace signet {

// INVALID_ARGUMENT if an escape is malformed. In a query, `+` is a space.
StatusOr<std::string> DecodePercent(std::string_view text, bool is_query = false);

// Escapes everything except letters, digits, and `-._~`.
std::string EncodePercent(std::string_view text);

}  // namespace signet
