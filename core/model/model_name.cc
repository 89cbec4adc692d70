#include "core/model/model_name.h"

#include <algorithm>
#include <charconv>
#include <system_error>

namespace signet {
namespace {

constexpr size_t kLongestName = 128;

}  // namespace

bool IsModelName(std::string_view text) {
  if (text.empty() || text.size() > kLongestName || text[0] == '.') return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
  });
}

std::optional<int64_t> ParseVersion(std::string_view text) {
  int64_t version = 0;
  auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), version);
  bool is_plain = error == std::errc() && stop == text.data() + text.size() && text[0] != '0';
  return is_plain && version > 0 ? std::optional(version) : std::nullopt;
}

}  // namespace signet
