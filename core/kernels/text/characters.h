// Characters: the bytes of UTF-8 text that begin a character, and those that continue it.
//
// Text that is not UTF-8 is fine: each byte that continues nothing belongs to the byte before it.

#pragma once

#include <cstddef>
#include <string_view>

namespace signet {

constexpr bool IsContinuation(char byte) {
  return (static_cast<unsigned char>(byte) & 0xc0) == 0x80;
}

// Returns where the character after the one that begins at `at` begins.
constexpr size_t NextCharacter(std::string_view text, size_t at) {
  for (++at; at < text.size() && IsContinuation(text[at]);) ++at;
  return at;
}

}  // namespace signet
