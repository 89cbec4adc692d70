// DispatchTable: targets in insertion order, and the one that a request's type chooses.
//
// Dispatch, for a request of type R:
//   1. A target fits if it equals R, or accepts R (IsSupertype).
//   2. Of these, the ones to which no other that fits is strictly closer.
//   3. Of these, the one inserted first.
//
// An equal target is found by hash. Else only targets of the same structure (all but shapes) are
// compared; answers are remembered, in bounded number and only for the targets of the moment, so
// that they always equal what a fresh search would give. Adding does not copy the table.
//
// Thread-safe. Readers take no lock and never wait; writers exclude one another. FunctionCache
// (core/runtime/function_cache.h) adds bounds and single making.

#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include <absl/functional/function_ref.h>

#include "core/base/concurrent/lock_free_index.h"
#include "core/base/concurrent/reclaimer.h"
#include "signet/function_type.h"

namespace signet {

// Something that a request's type chooses among; concrete functions derive from it.
struct DispatchTarget {
  explicit DispatchTarget(FunctionType target_type,
                          std::shared_ptr<const DispatchTarget> wider_target = nullptr)
      : type(std::move(target_type)), wider(std::move(wider_target)) {}
  virtual ~DispatchTarget() = default;
  // Memory that only this target holds; what a FunctionCache may keep is counted in it.
  virtual size_t num_bytes() const { return 0; }
  const FunctionType type;  // monomorphic
  // The target of a wider type that this one shares memory with; null if it shares none.
  const std::shared_ptr<const DispatchTarget> wider;
  mutable std::atomic<uint64_t> last_used{0};  // kept by FunctionCache: higher is later
};

class DispatchTable {
 public:
  using Target = std::shared_ptr<const DispatchTarget>;

  DispatchTable();
  ~DispatchTable();

  struct Found {
    Target target;          // null: none fits
    bool is_exact = false;  // of the request's very type
  };
  Found Lookup(const FunctionType& request) const;
  // Lookup for a request that a FunctionType need not be made for: `is_request` knows it among
  // types of its fingerprint. Finds exact and remembered answers only.
  using IsRequest = absl::FunctionRef<bool(const FunctionType&)>;
  Found LookupKnown(uint64_t fingerprint, IsRequest is_request) const;

  // False when there is a target of equal type, which stays.
  bool Add(Target target);
  // Adds a target, or puts it in the place of the one of equal type, which is returned.
  Target Replace(Target target);
  // Removes and returns the target of exactly this type, or null.
  Target Remove(const FunctionType& type);
  void Clear();
  // Frees what readers could still look at when it was removed, as far as they no longer can.
  void Collect();

  size_t size() const { return size_.load(std::memory_order_relaxed); }
  std::vector<Target> Targets() const;  // in insertion order
  // Those that differ from `type` in nothing but shapes (and captures), in insertion order.
  std::vector<Target> TargetsLike(const FunctionType& type) const;
  // The one with the lowest `last_used`, but for `except`; null when there is no other.
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

  mutable std::mutex mu_;  // taken by writers, and to remember an answer if nobody holds it
  mutable Reclaimer reclaimer_;
  std::atomic<uint64_t> version_{0};  // odd while a writer is at work
  std::atomic<size_t> size_{0};
  uint64_t next_order_ = 0;       // guarded by mu_
  LockFreeIndex<Entry> entries_;  // by fingerprint
  LockFreeIndex<Group> groups_;   // by structure
  mutable std::array<std::atomic<const Memo*>, kMemoSets * kMemoWays> memos_{};
};

}  // namespace signet
