// The strings that stand for numbers which JSON has no numbers for (docs/reference/json.md).

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

// The string for a bare word by which programs write such a number, against the rules of JSON:
// `NaN`, `-inf`.
inline std::optional<std::string_view> QuotedFormOf(std::string_view word) {
  constexpr std::string_view kSpellings[][3] = {
      {"NaN", "nan", "NAN"}, {"Infinity", "inf", "Inf"}, {"-Infinity", "-inf", "-Inf"}};
  for (const auto& spellings : kSpellings) {
    for (std::string_view spelling : spellings) {
      if (word == spelling) return spellings[0];
    }
  }
  return std::nullopt;
}

}  // namespace signet
