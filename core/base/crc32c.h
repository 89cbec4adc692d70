// Crc32c: the Castagnoli checksum of bytes, and its masked form, which LevelDB tables and
// TensorFlow store.
//
//   uint32_t stored = MaskCrc32c(Crc32c(bytes));
//
// Uses the instruction of SSE4.2 if the processor has it. Stateless; thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace signet {

// Continues the checksum `before` with more bytes: Crc32c(ab) == Crc32c(b, Crc32c(a)).
uint32_t Crc32c(std::span<const std::byte> bytes, uint32_t before = 0);

// A checksum of data that contains checksums is weak, so stored checksums are masked.
inline uint32_t MaskCrc32c(uint32_t crc) { return ((crc >> 15) | (crc << 17)) + 0xa282ead8; }

}  // namespace signet
