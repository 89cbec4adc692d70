// Philox: random numbers by counting: block `i` of a seed is a function of both alone, the same on
// every machine and for good.
//
// Philox4x32-10 of Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3"
// (SC 2011). Immutable value.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace signet {

class Philox {
 public:
  using Block = std::array<uint32_t, 4>;

  explicit Philox(uint64_t seed) : key_{Low(seed), High(seed)} {}

  Block At(uint64_t counter) const { return At(Block{Low(counter), High(counter), 0, 0}); }
  Block At(Block counter) const {
    uint32_t key0 = key_[0];
    uint32_t key1 = key_[1];
    for (int round = 0; round < 10; ++round) {
      uint64_t a = uint64_t{0xD2511F53} * counter[0];
      uint64_t b = uint64_t{0xCD9E8D57} * counter[2];
      counter = {High(b) ^ counter[1] ^ key0, Low(b), High(a) ^ counter[3] ^ key1, Low(a)};
      key0 += 0x9E3779B9;
      key1 += 0xBB67AE85;
    }
    return counter;
  }

 private:
  static uint32_t Low(uint64_t x) { return static_cast<uint32_t>(x); }
  static uint32_t High(uint64_t x) { return static_cast<uint32_t>(x >> 32); }

  std::array<uint32_t, 2> key_;
};

// Draws from a Philox, in order. One thread.
class PhiloxStream {
 public:
  explicit PhiloxStream(uint64_t seed) : philox_(seed) {}

  uint64_t Next() {
    if (drawn_ % 2 == 0) block_ = philox_.At(drawn_ / 2);
    size_t first = drawn_++ % 2 == 0 ? 0 : 2;
    return uint64_t{block_[first]} << 32 | block_[first + 1];
  }
  // One of [0, count), each as likely; `count` is at least 1.
  uint64_t Below(uint64_t count) {
    // Numbers of the last, incomplete run of `count` are drawn again.
    uint64_t spare = (uint64_t{0} - count) % count;
    while (true) {
      uint64_t drawn = Next();
      if (drawn >= spare) return drawn % count;
    }
  }

 private:
  const Philox philox_;
  uint64_t drawn_ = 0;
  Philox::Block block_ = {};
};

}  // namespace signet
