// FunctionCache: stores the concrete functions of one function and selects one for a request type.
//
// Selection, for a request of type R:
//   1. A target whose type is R is selected.
//   2. Otherwise, the most specific targets that accept R are selected.
//   3. Of these, the one that was inserted first is selected.
//
// If no target accepts R, one is made. If several calls bring the same new type, one call makes the
// target; the others wait for it and share its error, which is not stored. Calls of other types
// continue.
//
// If `generalize_after` targets differ only in shapes, the new target is made for the common
// supertype of these targets and the request, or for the request alone if that fails.
//
// With `Options::adapt`, a wider target is never used directly: rules 2 and 3 select the target
// that is passed to `adapt`, which makes a target for the type of the request from it.
//
// If there are more than `capacity` targets, or if they hold more than `max_bytes`, the least
// recently used one is dropped, together with the targets that were adapted from it. A target that
// alone holds more than `max_bytes` is used only by the calls that it was made for.
//
// Targets of one context (such as a device or a version of captures) are not used in another.
// Thread-safe; readers do not lock.

#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/function/dispatch_table.h"
#include "core/runtime/cache_budget.h"
#include "core/runtime/run_control.h"

namespace signet {

// PendingTarget: a target that another thread is making. Thread-safe.
class PendingTarget {
 public:
  // Calls `then` with the outcome: immediately if the target is done, and otherwise later, on the
  // thread that makes the target.
  void OnDone(std::function<void(const Status&)> then);
  // Records that the target is done. Called once.
  void Finish(const Status& outcome);

 private:
  std::mutex mu_;
  std::optional<Status> outcome_;                         // guarded by mu_
  std::vector<std::function<void(const Status&)>> then_;  // guarded by mu_
};

struct FunctionCacheStats {
  uint64_t hits = 0;             // exact hits, including calls that waited for another thread
  uint64_t supertype_hits = 0;   // from memory or from a search
  uint64_t specializations = 0;  // targets made
  uint64_t generalizations = 0;  // of those, targets for a wider type than the request
  uint64_t adaptations = 0;      // targets made from a wider one, with which they share memory
  uint64_t evictions = 0;
  std::chrono::nanoseconds making_time = {};  // of specializations, adaptations, and failed ones
  size_t targets = 0;                         // at present
  int64_t bytes = 0;                          // held by the targets at present
};

class FunctionCache {
 public:
  using Target = std::shared_ptr<const DispatchTarget>;
  // Makes the target for `type` from `wider`, which accepts it and may share its parts.
  using Adapter = std::function<StatusOr<Target>(const Target& wider, const FunctionType& type,
                                                 std::string_view context)>;
  struct Options {
    size_t capacity = 1024;                    // targets in all contexts, at least 1
    size_t generalize_after = 8;               // targets that differ only in shapes; 0: never
    int64_t max_bytes = INT64_MAX;             // DispatchTarget::num_bytes in all contexts
    std::shared_ptr<CacheBudget> budget = {};  // shared with other caches; null: none
    Adapter adapt = nullptr;                   // null: wider targets are used directly
  };
  // Returns INVALID_CAPACITY if the capacity is below 1. Without a capacity, there is no limit.
  static StatusOr<Options> MakeOptions(std::optional<int64_t> capacity);
  // Makes the target for exactly this type.
  using Factory = std::function<StatusOr<Target>(const FunctionType& type)>;

  explicit FunctionCache(Options options);
  ~FunctionCache();

  struct Found {
    Target target;
    enum class How : uint8_t { kExact, kSupertype, kSpecialized } how;
  };
  // Returns the target for `request` by the rules above, or null.
  Target Lookup(const FunctionType& request, std::string_view context = "") const;
  // Like Lookup without a context, limited to what DispatchTable::LookupKnown finds. With `adapt`,
  // returns only a target of exactly the type of the request.
  Target LookupKnown(uint64_t fingerprint, DispatchTable::IsRequest is_request) const;
  // Like Lookup, but calls `factory` if there is no target. `factory` runs on the calling thread
  // without a lock. It may use the cache, but it is an error if making a type requires the same
  // type. With a `deferral`, the call stops instead of waiting for another thread, and instead of
  // running `factory` on a thread that may not make targets.
  StatusOr<Found> FindOrMake(const FunctionType& request, const Factory& factory,
                             std::string_view context = "", Deferral* deferral = nullptr);
  // Adds a target, or replaces the one of equal type.
  void Add(Target target, std::string_view context = "");
  // Continues the counts of a cache that this one replaces.
  void ContinueCounts(const FunctionCacheStats& counts);
  // Removes the target of exactly this type. Returns false if there was none.
  bool Remove(const FunctionType& type, std::string_view context = "");
  void Clear();
  // Frees dropped targets that no reader can use any more.
  void Collect();

  size_t size() const;
  std::vector<Target> Targets(std::string_view context = "") const;  // in insertion order
  FunctionCacheStats stats() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace signet
