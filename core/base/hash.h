// Hash: 64-bit fingerprints that are the same on every machine and in every run.
//
// They name types and cache keys; they are no defence against somebody who looks for collisions, so
// every table keyed by one compares the whole key as well.

#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace signet {

// Mixes two 64-bit values; order matters.
constexpr uint64_t MixHash(uint64_t a, uint64_t b) {
  uint64_t x = (a ^ 0x9e3779b97f4a7c15ULL) + b * 0xbf58476d1ce4e5b9ULL;
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9ULL;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

// Fingerprint of bytes: eight at a time, little-endian as all machines we build for are.
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
