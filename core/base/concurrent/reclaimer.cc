#include "core/base/concurrent/reclaimer.h"

#include <algorithm>
#include <utility>

namespace signet {

size_t Reclaimer::ThisShard() {
  static std::atomic<size_t> next{0};
  thread_local size_t shard = next.fetch_add(1, std::memory_order_relaxed) % kShards;
  return shard;
}

Reclaimer::~Reclaimer() {
  for (const Retired& retired : fresh_) retired.free(retired.object);
  for (const Batch& batch : batches_) {
    for (const Retired& retired : batch.retired) retired.free(retired.object);
  }
}

void Reclaimer::Collect() {
  constexpr uint32_t kAll = (uint32_t{1} << kShards) - 1;
  if (!fresh_.empty()) batches_.push_back({kAll, std::exchange(fresh_, {})});
  if (batches_.empty()) return;
  uint32_t busy = 0;
  for (size_t i = 0; i < kShards; ++i) {
    if (shards_[i].readers.load() != 0) busy |= uint32_t{1} << i;
  }
  std::vector<Retired> free;
  std::vector<Batch> left;
  for (Batch& batch : batches_) {
    batch.unseen &= busy;
    if (batch.unseen == 0) {
      free.insert(free.end(), batch.retired.begin(), batch.retired.end());
    } else if (!left.empty() && left.back().unseen == batch.unseen) {
      auto& retired = left.back().retired;
      retired.insert(retired.end(), batch.retired.begin(), batch.retired.end());
    } else {
      left.push_back(std::move(batch));
    }
  }
  batches_ = std::move(left);
  for (const Retired& retired : free) retired.free(retired.object);
}

}  // namespace signet
