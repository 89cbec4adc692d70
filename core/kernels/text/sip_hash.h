// SipHash: a keyed hash of bytes, with 2 rounds per word and 4 rounds at the end. Stateless;
// thread-safe.

#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace signet {

// Returns the first 8 bytes of `text` as a number.
inline uint64_t FirstWordOf(std::string_view text) {
  uint64_t word;
  std::memcpy(&word, text.data(), sizeof word);
  return word;
}

inline uint64_t SipHash(std::string_view text, uint64_t key0, uint64_t key1) {
  uint64_t v0 = key0 ^ 0x736f6d6570736575;
  uint64_t v1 = key1 ^ 0x646f72616e646f6d;
  uint64_t v2 = key0 ^ 0x6c7967656e657261;
  uint64_t v3 = key1 ^ 0x7465646279746573;
  auto round = [&] {
    v0 += v1;
    v1 = std::rotl(v1, 13) ^ v0;
    v0 = std::rotl(v0, 32);
    v2 += v3;
    v3 = std::rotl(v3, 16) ^ v2;
    v0 += v3;
    v3 = std::rotl(v3, 21) ^ v0;
    v2 += v1;
    v1 = std::rotl(v1, 17) ^ v2;
    v2 = std::rotl(v2, 32);
  };
  auto add = [&](uint64_t word) {
    v3 ^= word;
    round();
    round();
    v0 ^= word;
  };
  uint64_t last = static_cast<uint64_t>(text.size()) << 56;
  for (; text.size() >= 8; text.remove_prefix(8)) add(FirstWordOf(text));
  for (size_t i = 0; i < text.size(); ++i) {
    last |= static_cast<uint64_t>(static_cast<uint8_t>(text[i])) << (8 * i);
  }
  add(last);
  v2 ^= 0xff;
  for (int i = 0; i < 4; ++i) round();
  return v0 ^ v1 ^ v2 ^ v3;
}

}  // namespace signet
