// JsonWords: the strings for numbers that JSON cannot express (docs/reference/json.md).

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

// Returns the string for a bare word that some programs write for such a number although JSON does
// not allow it: `NaN`, `-inf`.
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
