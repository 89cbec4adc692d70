#include "core/formats/json_events.h"

#include <charconv>
#include <cstdlib>

namespace signet::json {

std::string_view TrimEnd(std::string_view token) {
  while (!token.empty() && (token.back() == ' ' || token.back() == '\n' || token.back() == '\r' ||
                            token.back() == '\t')) {
    token.remove_suffix(1);
  }
  return token;
}

NumberForm FormOf(std::string_view text) {
  size_t at = 0;
  auto next_is = [&](std::string_view any) {
    return at < text.size() && any.find(text[at]) != std::string_view::npos;
  };
  auto digits = [&] {
    size_t start = at;
    while (next_is("0123456789")) ++at;
    return at - start;
  };
  if (next_is("-")) ++at;
  bool starts_with_zero = next_is("0");
  size_t whole = digits();
  if (whole == 0 || (starts_with_zero && whole > 1)) return {};
  bool is_integer = true;
  if (next_is(".")) {
    ++at;
    is_integer = false;
    if (digits() == 0) return {};
  }
  if (next_is("eE")) {
    ++at;
    is_integer = false;
    if (next_is("+-")) ++at;
    if (digits() == 0) return {};
  }
  return {at == text.size(), is_integer};
}

std::optional<absl::int128> ParseInteger(std::string_view text) {
  auto parse = [&](auto number) -> std::optional<absl::int128> {
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return number;
  };
  return text.front() == '-' ? parse(int64_t{}) : parse(uint64_t{});
}

double ParseFloat(std::string_view text) {
  double number = 0;
  auto error = std::from_chars(text.data(), text.data() + text.size(), number).ec;
  if (error == std::errc()) return number;
  return std::strtod(std::string(text).c_str(), nullptr);
}

Status Malformed(simdjson::error_code error) {
  switch (error) {
    case simdjson::UTF8_ERROR:
      return InvalidArgument("text that is not UTF-8");
    case simdjson::STRING_ERROR:
    case simdjson::UNESCAPED_CHARS:
      return InvalidArgument(
          "text with a broken escape, a lone surrogate or a bare control character");
    case simdjson::UNCLOSED_STRING:
      return InvalidArgument("text without an end; takes `\"`");
    case simdjson::MEMALLOC:
      return ResourceExhausted("no memory to read it");
    default:
      return InvalidArgument("what is not JSON");
  }
}

}  // namespace signet::json
