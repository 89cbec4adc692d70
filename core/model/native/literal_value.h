// LiteralValue: values as references write them: plain ones, lists of them, and any in the
// notation.
//
//   2.0    "text"    None    [0, [1, 2]]    float32[] 0.5    int64[2] [3, 4]

#pragma once

#include <string_view>

#include "signet/value.h"

namespace signet {

// Whether `text` starts as no name does: a digit, a sign, a quote, a bracket.
bool LooksLikeValue(std::string_view text);

// Refusals point at a column.
StatusOr<Value> ParseLiteralValue(std::string_view text);

}  // namespace signet
