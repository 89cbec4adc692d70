// Characters: the bytes of UTF-8 text that begin a character, and those that continue it.
//
// Accepts text that is not UTF-8: a continuation byte always belongs to the byte before it.

#pragma once

#include <cstddef>
#include <string_view>

namespace signet {

constexpr bool IsContinuation(char byte) {
  return (static_cast<unsigned char>(byte) & 0xc0) == 0x80;
}

// Returns the position of the character after the one at `at`.
constexpr size_t NextCharacter(std::string_view text, size_t at) {
  for (++at; at < text.size() && IsContinuation(text[at]);) ++at;
  return at;
}

}  // namespace signet
