#include "core/base/crc32c.h"

#include <array>
#include <cstring>

namespace signet {
namespace {

using Tables = std::array<std::array<uint32_t, 256>, 8>;

// Table k advances a checksum by a byte that k further bytes follow.
constexpr Tables MakeTables() {
  Tables tables{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82f63b78 : 0);
    tables[0][byte] = crc;
  }
  for (uint32_t byte = 0; byte < 256; ++byte) {
    for (size_t k = 1; k < tables.size(); ++k) {
      const uint32_t before = tables[k - 1][byte];
      tables[k][byte] = (before >> 8) ^ tables[0][before & 0xff];
    }
  }
  return tables;
}

constexpr Tables kTables = MakeTables();

uint32_t WithTables(const std::byte* at, size_t size, uint32_t crc) {
  for (; size >= 8; at += 8, size -= 8) {
    uint64_t word;
    std::memcpy(&word, at, sizeof word);
    word ^= crc;
    crc = 0;
    for (size_t i = 0; i < 8; ++i) crc ^= kTables[7 - i][(word >> (8 * i)) & 0xff];
  }
  for (; size > 0; ++at, --size) {
    crc = (crc >> 8) ^ kTables[0][(crc ^ std::to_integer<uint32_t>(*at)) & 0xff];
  }
  return crc;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) uint32_t WithInstruction(const std::byte* at, size_t size,
                                                           uint32_t crc) {
  uint64_t wide = crc;
  for (; size >= 8; at += 8, size -= 8) {
    uint64_t word;
    std::memcpy(&word, at, sizeof word);
    wide = __builtin_ia32_crc32di(wide, word);
  }
  crc = static_cast<uint32_t>(wide);
  for (; size > 0; ++at, --size) {
    crc = __builtin_ia32_crc32qi(crc, std::to_integer<unsigned char>(*at));
  }
  return crc;
}
#endif

}  // namespace

uint32_t Crc32c(std::span<const std::byte> bytes, uint32_t before) {
#if defined(__x86_64__)
  static const bool has_instruction = __builtin_cpu_supports("sse4.2") != 0;
  if (has_instruction) return ~WithInstruction(bytes.data(), bytes.size(), ~before);
#endif
  return ~WithTables(bytes.data(), bytes.size(), ~before);
}

}  // namespace signet
