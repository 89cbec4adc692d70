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

StatusOr<ModelReference> ParseModelReference(std::string_view text) {
  const size_t mark = text.find_first_of("/:");
  ModelReference out{.name = std::string(text.substr(0, mark))};
  const std::string_view rest = mark == text.npos ? "" : text.substr(mark + 1);
  bool is_valid = IsModelName(out.name);
  if (mark != text.npos && text[mark] == '/') {
    out.version = rest.empty() ? std::nullopt : ParseVersion(rest);
    is_valid = is_valid && out.version.has_value();
  } else {
    out.label = rest;
    is_valid = is_valid && IsModelName(out.label);
  }
  if (is_valid) return out;
  return InvalidArgument("expected a model with a version or a label, such as `risk/3` or ",
                         "`risk:stable`, found `", Printable(text), "`");
}

}  // namespace signet
