#include "core/base/utf8.h"

namespace signet {

size_t Utf8Length(std::string_view text) {
  auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  auto tail = [&](size_t i) { return i < text.size() && (byte(i) & 0xc0) == 0x80; };
  if (byte(0) < 0x80) return 1;
  if (byte(0) >= 0xc2 && byte(0) <= 0xdf) return tail(1) ? 2 : 0;
  if (byte(0) >= 0xe0 && byte(0) <= 0xef) {
    if (!tail(1) || !tail(2)) return 0;
    if (byte(0) == 0xe0 && byte(1) < 0xa0) return 0;
    if (byte(0) == 0xed && byte(1) > 0x9f) return 0;
    return 3;
  }
  if (byte(0) >= 0xf0 && byte(0) <= 0xf4) {
    if (!tail(1) || !tail(2) || !tail(3)) return 0;
    if (byte(0) == 0xf0 && byte(1) < 0x90) return 0;
    if (byte(0) == 0xf4 && byte(1) > 0x8f) return 0;
    return 4;
  }
  return 0;
}

void AppendEscaped(char byte, std::string& out) {
  constexpr char kHex[] = "0123456789abcdef";
  auto bits = static_cast<unsigned char>(byte);
  out += {'\\', 'x', kHex[bits >> 4], kHex[bits & 15]};
}

std::string AsUtf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    size_t length = Utf8Length(text);
    if (length > 0) {
      out.append(text.substr(0, length));
    } else {
      AppendEscaped(text[0], out);
      length = 1;
    }
    text.remove_prefix(length);
  }
  return out;
}

}  // namespace signet
