// CacheBudget: limits the memory that the concrete functions of several FunctionCaches hold
// together.
//
// Each cache reports the memory of its targets. While the sum exceeds the limit, the cache that
// holds most drops its least recently used target. The target that was added last stays.
// Thread-safe.

#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <set>

namespace signet {

class CacheBudget {
 public:
  // A cache that the budget limits.
  class Member {
   public:
    virtual ~Member() = default;
    virtual int64_t bytes() const = 0;
    // Drops the least recently used target, except `except`. Returns false if there is none.
    virtual bool EvictOne(const void* except) = 0;
  };

  // The limit is at most half of the largest int64, so that Grant does not overflow.
  explicit CacheBudget(int64_t max_bytes) : max_bytes_(std::min(max_bytes, INT64_MAX / 2)) {}

  void Join(Member* member);
  void Leave(Member* member);
  // Raises the limit by `more` bytes; a negative number lowers it.
  void Grant(int64_t more) { max_bytes_.fetch_add(more, std::memory_order_relaxed); }
  // Records that the targets of a member hold `more` additional bytes.
  void Count(int64_t more) { bytes_.fetch_add(more, std::memory_order_relaxed); }
  // Evicts targets, except `added`, until the sum fits. The caller must not hold the lock of a
  // cache.
  void Trim(const void* added);

  // Returns true if less than half of the limit is used, so that no eviction is near.
  bool HasRoom() const { return bytes() < max_bytes_.load(std::memory_order_relaxed) / 2; }
  int64_t bytes() const { return bytes_.load(std::memory_order_relaxed); }

 private:
  std::atomic<int64_t> max_bytes_;
  std::atomic<int64_t> bytes_{0};
  std::mutex mu_;
  std::set<Member*> members_;  // guarded by mu_
};

}  // namespace signet
