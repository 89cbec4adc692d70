// AppendCharacter: appends a character to text as UTF-8.

#pragma once

#include "core/kernels/loops/growing_bytes.h"

namespace signet {

// Appends the character `code`, which is at most 10FFFF.
inline void AppendCharacter(char32_t code, GrowingBytes& text) {
  auto add = [&](char32_t byte) { text.Append(static_cast<char>(byte)); };
  if (code < 0x80) return add(code);
  if (code < 0x800) {
    add(0xc0 | code >> 6);
  } else if (code < 0x10000) {
    add(0xe0 | code >> 12);
    add(0x80 | (code >> 6 & 0x3f));
  } else {
    add(0xf0 | code >> 18);
    add(0x80 | (code >> 12 & 0x3f));
    add(0x80 | (code >> 6 & 0x3f));
  }
  add(0x80 | (code & 0x3f));
}

}  // namespace signet
