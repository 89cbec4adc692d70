// ZigZag: decodes signed integers of protobuf, which are encoded so that small numbers are short:
// 0, -1, 1, -2, ...

#pragma once

#include <cstdint>

namespace signet {

// Decodes the lower 32 bits of `value`.
inline int32_t ZigZag32(uint64_t value) {
  auto number = static_cast<uint32_t>(value);
  return static_cast<int32_t>((number >> 1) ^ (0 - (number & 1)));
}
inline int64_t ZigZag64(uint64_t value) {
  return static_cast<int64_t>((value >> 1) ^ (0 - (value & 1)));
}

}  // namespace signet
