// ErrorToMessage: what a client is told of an error. Stateless; thread-safe.

#pragma once

#include <string>
#include <string_view>

#include "signet/status.h"
#include "signet/v1/service.pb.h"

namespace signet {

// Returns `text` as UTF-8. Cuts it between two characters if its percent-encoded form is longer
// than `longest` bytes: `float32[1, 2 ... (99120 bytes more)`.
std::string FitText(std::string_view text, size_t longest);

// The path of the field, and the constraint, are cut at this number of bytes.
inline constexpr size_t kLongestField = 256;

v1::Error ErrorToMessage(const Status& status);

}  // namespace signet
