// DispatchTable: stores targets in insertion order and selects one by the type of a request.
//
// Dispatch, for a request of type R:
//   1. A target is a candidate if it equals R or accepts R (IsSupertype).
//   2. Candidates that accept a more specific candidate are removed.
//   3. Of the others, the one that was inserted first is selected.
//
// An equal target is found by hash. Otherwise, only targets of the same structure (everything
// except shapes) are compared. Answers are remembered in bounded number, and only until the targets
// change, so they always equal the result of a new search. Adding a target does not copy the table.
//
// Thread-safe. Readers do not lock and never wait; writers exclude one another. FunctionCache
// (core/runtime/function_cache.h) adds limits, and makes each target only once.

#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <vector>

#include <absl/functional/function_ref.h>

#include "core/base/concurrent/lock_free_index.h"
#include "core/base/concurrent/reclaimer.h"
#include "core/base/concurrent/sharded_counter.h"
#include "signet/function_type.h"

namespace signet {

// An object that is selected by the type of a request. Concrete functions derive from it.
struct DispatchTarget {
  explicit DispatchTarget(FunctionType target_type,
                          std::shared_ptr<const DispatchTarget> wider_target = nullptr)
      : type(std::move(target_type)), wider(std::move(wider_target)) {}
  virtual ~DispatchTarget() = default;
  // Returns the memory in bytes that only this target holds, which FunctionCache limits.
  virtual size_t num_bytes() const { return 0; }
  const FunctionType type;  // monomorphic
  // The target of a wider type that this one shares memory with, or null if it shares none.
  const std::shared_ptr<const DispatchTarget> wider;
  // The following are set by FunctionCache.
  mutable std::atomic<uint64_t> last_used{0};       // higher is later
  mutable ShardedCounter hits;                      // requests that found the target
  mutable std::chrono::nanoseconds making_time{0};  // before the target is added
};

class DispatchTable {
 public:
  using Target = std::shared_ptr<const DispatchTarget>;

  DispatchTable();
  ~DispatchTable();

  struct Found {
    Target target;          // null: no target accepts the request
    bool is_exact = false;  // its type equals the type of the request
  };
  Found Lookup(const FunctionType& request) const;
  // Compares the request with a type of the same fingerprint, so that no FunctionType need be built
  // for the request. Finds only exact and remembered answers.
  using IsRequest = absl::FunctionRef<bool(const FunctionType&)>;
  Found LookupKnown(uint64_t fingerprint, IsRequest is_request) const;

  // Returns false if there is a target of equal type, which is kept.
  bool Add(Target target);
  // Adds a target, or replaces the one of equal type and returns it.
  Target Replace(Target target);
  // Removes and returns the target of exactly this type. Returns null if there is none.
  Target Remove(const FunctionType& type);
  void Clear();
  // Frees removed targets that no reader can use any more.
  void Collect();

  size_t size() const { return size_.load(std::memory_order_relaxed); }
  std::vector<Target> Targets() const;  // in insertion order
  // Returns the targets that differ from `type` only in shapes (and captures), in insertion order.
  std::vector<Target> TargetsLike(const FunctionType& type) const;
  // Returns the target with the lowest `last_used`, except `except`, or null if there is no other.
  Target LeastRecentlyUsed(const DispatchTarget* except) const;

 private:
  struct Entry;
  struct Group;
  struct Memo;
  class Writing;
  static constexpr size_t kMemoSets = 256;
  static constexpr size_t kMemoWays = 4;

  Entry* LookupExact(const FunctionType& type) const;
  Entry* LookupExact(uint64_t fingerprint, IsRequest is_request) const;
  Group* LookupGroup(uint64_t structure) const;
  const Entry* Search(const FunctionType& request) const;
  const Memo* LookupMemo(uint64_t fingerprint, IsRequest is_request, uint64_t version) const;
  void Remember(const FunctionType& request, const Entry* answer, uint64_t version) const;
  void ForgetAnswers();
  void Link(Target target);
  void Unlink(Entry* entry);

  mutable std::mutex mu_;  // held by writers; also held to store an answer, but only if it is free
  mutable Reclaimer reclaimer_;
  std::atomic<uint64_t> version_{0};  // odd while a writer changes the table
  std::atomic<size_t> size_{0};
  uint64_t next_order_ = 0;       // guarded by mu_
  LockFreeIndex<Entry> entries_;  // by fingerprint
  LockFreeIndex<Group> groups_;   // by structure
  mutable std::array<std::atomic<const Memo*>, kMemoSets * kMemoWays> memos_{};
};

}  // namespace signet
