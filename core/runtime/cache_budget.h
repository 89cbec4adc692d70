// CacheBudget: the memory that the concrete functions of several FunctionCaches hold together.
//
// A cache adds what its targets hold. When the sum exceeds the limit, the cache that holds most
// drops the target that it used least recently, and so on until the sum fits; the target added last
// stays. Thread-safe.

#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <set>

namespace signet {

class CacheBudget {
 public:
  // A cache, as the budget sees it.
  class Member {
   public:
    virtual ~Member() = default;
    virtual int64_t bytes() const = 0;
    // Drops the target used least recently, other than `except`. False when there is none.
    virtual bool EvictOne(const void* except) = 0;
  };

  // At most half of what an int64 counts, so that Grant does not overflow.
  explicit CacheBudget(int64_t max_bytes) : max_bytes_(std::min(max_bytes, INT64_MAX / 2)) {}

  void Join(Member* member);
  void Leave(Member* member);
  // Raises the limit, or lowers it.
  void Grant(int64_t more) { max_bytes_.fetch_add(more, std::memory_order_relaxed); }
  // The targets of a member hold `more` bytes than before.
  void Count(int64_t more) { bytes_.fetch_add(more, std::memory_order_relaxed); }
  // Evicts until the sum fits, other than `added`. The caller holds no lock of a cache.
  void Trim(const void* added);

  // Less than half of the limit is used, so that nothing is evicted soon.
  bool HasRoom() const { return bytes() < max_bytes_.load(std::memory_order_relaxed) / 2; }
  int64_t bytes() const { return bytes_.load(std::memory_order_relaxed); }

 private:
  std::atomic<int64_t> max_bytes_;
  std::atomic<int64_t> bytes_{0};
  std::mutex mu_;
  std::set<Member*> members_;  // guarded by mu_
};

}  // namespace signet
