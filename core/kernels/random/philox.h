// Philox4x32-10: a counter-based random number generator. Block `n` of a stream is a function of
// the seed and n, so that the numbers do not depend on the order or the number of threads that
// compute them.
//
// Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3 (SC 2011). Stateless.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace signet {

using PhiloxBlock = std::array<uint32_t, 4>;

// Runs ten rounds on `counter` with key `key`.
constexpr PhiloxBlock Philox(PhiloxBlock counter, std::array<uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    uint64_t a = uint64_t{0xD2511F53} * counter[0];
    uint64_t b = uint64_t{0xCD9E8D57} * counter[2];
    counter = {static_cast<uint32_t>(b >> 32) ^ counter[1] ^ key[0], static_cast<uint32_t>(b),
               static_cast<uint32_t>(a >> 32) ^ counter[3] ^ key[1], static_cast<uint32_t>(a)};
    key = {key[0] + 0x9E3779B9u, key[1] + 0xBB67AE85u};
  }
  return counter;
}

// The random numbers of one op for one seed. Different ops with the same seed have different
// streams.
class RandomStream {
 public:
  enum class Kind : uint32_t {
    kUniform = 1,
    kNormal = 2,
    kCategorical = 3,
    kOrder = 4,
    kGamma = 5,
    kPoisson = 6
  };

  RandomStream(Kind kind, int64_t seed)
      : kind_(static_cast<uint32_t>(kind)),
        key_{static_cast<uint32_t>(static_cast<uint64_t>(seed)),
             static_cast<uint32_t>(static_cast<uint64_t>(seed) >> 32)} {}

  // Returns two numbers of 64 random bits from the words of block `n`, the lower words first. An
  // element that requires more numbers than these has further blocks, one per `step`.
  std::array<uint64_t, 2> Pair(int64_t n, uint32_t step = 0) const {
    auto low = static_cast<uint32_t>(static_cast<uint64_t>(n));
    auto high = static_cast<uint32_t>(static_cast<uint64_t>(n) >> 32);
    PhiloxBlock block = Philox({low, high, kind_, step}, key_);
    return {uint64_t{block[1]} << 32 | block[0], uint64_t{block[3]} << 32 | block[2]};
  }
  // Returns number `i` of the stream. Each number is half a block.
  uint64_t Bits(int64_t i) const { return Pair(i / 2)[static_cast<size_t>(i % 2)]; }

 private:
  uint32_t kind_;
  std::array<uint32_t, 2> key_;
};

// Returns one of 2^53 numbers in [0, 1).
constexpr double UnitDouble(uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-53; }

}  // namespace signet
