// ParseLiteralValue: parses a value in a reference: a plain value, a list, or a value in the
// notation.
//
//   2.0    "text"    None    [0, [1, 2]]    float32[] 0.5    int64[2] [3, 4]

#pragma once

#include <string_view>

#include "signet/value.h"

namespace signet {

// Returns true if `text` begins with a digit, a sign, a quotation mark, or a bracket, as no name
// does.
bool LooksLikeValue(std::string_view text);

// Parses `text`. Errors state a column.
StatusOr<Value> ParseLiteralValue(std::string_view text);

}  // namespace signet
