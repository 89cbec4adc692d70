// Hash: computes 64-bit fingerprints that are the same on every machine and in every run.
//
// Fingerprints name types and cache keys. They do not resist deliberate collisions, so every table
// that uses one as a key also compares the whole key.

#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace signet {

// Mixes two 64-bit values. The order matters.
constexpr uint64_t MixHash(uint64_t a, uint64_t b) {
  uint64_t x = (a ^ 0x9e3779b97f4a7c15ULL) + b * 0xbf58476d1ce4e5b9ULL;
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9ULL;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

// Returns the fingerprint of `bytes`. Reads eight bytes at a time, in little-endian order, which
// all supported machines use.
inline uint64_t HashBytes(std::string_view bytes) {
  uint64_t hash = MixHash(0x5167e7ULL, bytes.size());
  while (bytes.size() >= 8) {
    uint64_t word;
    std::memcpy(&word, bytes.data(), 8);
    hash = MixHash(hash, word);
    bytes.remove_prefix(8);
  }
  uint64_t tail = 0;
  if (!bytes.empty()) std::memcpy(&tail, bytes.data(), bytes.size());
  return MixHash(hash, tail);
}

}  // namespace signet
