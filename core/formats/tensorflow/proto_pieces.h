// AppendVarintField, AppendBytesField, ..: write the fields of protobuf messages, from the first
// byte to the last. Stateless; thread-safe.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "signet/buffer.h"

namespace signet::tf {

inline void AppendVarint(std::string& out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>((value & 0x7f) | 0x80);
  out += static_cast<char>(value);
}

inline void AppendVarintField(std::string& out, int field, uint64_t value) {
  AppendVarint(out, static_cast<uint64_t>(field) << 3);
  AppendVarint(out, value);
}

inline void AppendFixed32Field(std::string& out, int field, uint32_t value) {
  AppendVarint(out, static_cast<uint64_t>(field) << 3 | 5);
  for (int i = 0; i < 4; ++i, value >>= 8) out += static_cast<char>(value & 0xff);
}

// Appends the beginning of a field of text, bytes, a message, or packed numbers.
inline void AppendBytesHead(std::string& out, int field, size_t size) {
  AppendVarint(out, static_cast<uint64_t>(field) << 3 | 2);
  AppendVarint(out, size);
}

inline void AppendBytesField(std::string& out, int field, std::string_view bytes) {
  AppendBytesHead(out, field, bytes.size());
  out += bytes;
}

// Returns a buffer that owns `text`.
inline Buffer BufferOf(std::string text) {
  auto owner = std::make_shared<const std::string>(std::move(text));
  auto bytes = std::as_bytes(std::span(*owner));
  return Buffer::Borrow(bytes, std::move(owner));
}

}  // namespace signet::tf
