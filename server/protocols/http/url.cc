#include "server/protocols/http/url.h"

#include <charconv>

#include <absl/strings/ascii.h>

namespace signet {

StatusOr<std::string> DecodePercent(std::string_view text, bool is_query) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (is_query && text[i] == '+') {
      out += ' ';
    } else if (text[i] != '%') {
      out += text[i];
    } else {
      uint8_t byte = 0;
      const char* digits = text.data() + i + 1;
      const bool has_digits = i + 2 < text.size();
      auto read = std::from_chars(digits, digits + (has_digits ? 2 : 0), byte, 16);
      if (read.ec != std::errc() || read.ptr != digits + 2) {
        return InvalidArgument("path: expected two hexadecimal digits after `%`, found `",
                               Printable(text.substr(i, 3)), "`");
      }
      out += static_cast<char>(byte);
      i += 2;
    }
  }
  return out;
}

std::string EncodePercent(std::string_view text) {
  constexpr std::string_view kPlain = "-._~";
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (absl::ascii_isalnum(byte) || kPlain.find(c) != kPlain.npos) {
      out += c;
    } else {
      out += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
  return out;
}

}  // namespace signet
