// The strings that stand for numbers which JSON has no numbers for (docs/json.md).

#pragma once

#include <limits>
#include <optional>
#include <string_view>

namespace signet {

inline std::optional<double> FloatOfJsonWord(std::string_view text) {
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (text == "Infinity") return std::numeric_limits<double>::infinity();
  if (text == "-Infinity") return -std::numeric_limits<double>::infinity();
  return std::nullopt;
}

}  // namespace signet
