// FunctionCache: the concrete functions of one function, found by the type of a request.
//
// Dispatch, for a request of type R:
//   1. A target equal to R is taken.
//   2. Else, of the targets that accept R, those with no strictly more specific target that does.
//   3. Among these, the one inserted first.
// A request that no target accepts has one made: once, however many calls bring it, while calls of
// other types go on. They wait for it and share its error, which is not remembered. When shapes
// churn
// (`generalize_after` targets that differ in nothing but shapes), the one made is for the common
// supertype of those targets and the request, or for the request alone where that cannot be made.
// Beyond `capacity` targets, or `max_bytes` of what they hold, the least recently used is dropped.
// A target that holds more than `max_bytes` alone serves the calls that it was made for and is not
// kept. Contexts (devices, captures' versions) never see each other. Thread-safe; readers take no
// lock.

#pragma once

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

// PendingTarget: a target that some thread is making. Thread-safe.
class PendingTarget {
 public:
  // Calls `then` with the outcome of the making: at once if it has ended, otherwise later, on the
  // thread that makes the target.
  void OnDone(std::function<void(const Status&)> then);
  // The making has ended. Called once.
  void Finish(const Status& outcome);

 private:
  std::mutex mu_;
  std::optional<Status> outcome_;                         // guarded by mu_
  std::vector<std::function<void(const Status&)>> then_;  // guarded by mu_
};

struct FunctionCacheStats {
  uint64_t hits = 0;             // exact, those that waited for another's making among them
  uint64_t supertype_hits = 0;   // remembered or found by search
  uint64_t specializations = 0;  // targets made
  uint64_t generalizations = 0;  // of those, for a wider type than the request's
  uint64_t evictions = 0;
  size_t targets = 0;  // now
  int64_t bytes = 0;   // that they hold now
};

class FunctionCache {
 public:
  struct Options {
    size_t capacity = 1024;                    // targets over all contexts, at least 1
    size_t generalize_after = 8;               // targets alike but for shapes; 0: never
    int64_t max_bytes = INT64_MAX;             // DispatchTarget::num_bytes over all contexts
    std::shared_ptr<CacheBudget> budget = {};  // shared with other caches; null: none
  };
  // Refuses a capacity below 1 (INVALID_CAPACITY). No capacity: unlimited.
  static StatusOr<Options> MakeOptions(std::optional<int64_t> capacity);
  using Target = std::shared_ptr<const DispatchTarget>;
  // Makes the target for a type; must return one of exactly that type.
  using Factory = std::function<StatusOr<Target>(const FunctionType& type)>;

  explicit FunctionCache(Options options);
  ~FunctionCache();

  struct Found {
    Target target;
    enum class How : uint8_t { kExact, kSupertype, kSpecialized } how;
  };
  // The target for `request` by the rules above, or null.
  Target Lookup(const FunctionType& request, std::string_view context = "") const;
  // As Lookup without context, as far as DispatchTable::LookupKnown finds it.
  Target LookupKnown(uint64_t fingerprint, DispatchTable::IsRequest is_request) const;
  // As Lookup, made by `factory` when there is none. `factory` runs on the calling thread, without
  // a lock; it may use the cache, but a type that needs itself to be made is refused. With a
  // `deferral`, the call stops instead of waiting for another thread, and instead of running
  // `factory` on a thread that may not make targets.
  StatusOr<Found> FindOrMake(const FunctionType& request, const Factory& factory,
                             std::string_view context = "", Deferral* deferral = nullptr);
  // Adds a target, or replaces the one of equal type in its place.
  void Add(Target target, std::string_view context = "");
  // Removes the target of exactly this type; whether there was one.
  bool Remove(const FunctionType& type, std::string_view context = "");
  void Clear();
  // Frees targets that were dropped while a reader could still look at them.
  void Collect();

  size_t size() const;
  std::vector<Target> Targets(std::string_view context = "") const;  // in insertion order
  FunctionCacheStats stats() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace signet
