// ShardedCounter: a count that many threads increment at the same time.
//
// Each thread adds to a shard of its own where possible, so that threads do not write the same
// cache line. Thread-safe; reading adds up the shards.

#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "core/base/concurrent/reclaimer.h"

namespace signet {

class ShardedCounter {
 public:
  void Increment() {
    shards_[Reclaimer::ThisShard()].count.fetch_add(1, std::memory_order_relaxed);
  }
  uint64_t Sum() const {
    uint64_t sum = 0;
    for (const Shard& shard : shards_) sum += shard.count.load(std::memory_order_relaxed);
    return sum;
  }

 private:
  struct alignas(64) Shard {
    std::atomic<uint64_t> count{0};
  };

  std::array<Shard, Reclaimer::kShards> shards_;
};

}  // namespace signet
