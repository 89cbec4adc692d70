#include "core/runtime/function_cache.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <new>
#include <thread>

#include "core/base/concurrent/lock_free_index.h"
#include "core/base/hash.h"
#include "core/function/generalize.h"

namespace signet {
namespace {

using Target = FunctionCache::Target;

// The targets of one context.
struct Context {
  uint64_t hash;
  std::string name;
  DispatchTable table;
};

// A target that a thread is making while others wait for it. Guarded by the lock of the cache.
struct Making {
  std::string context;
  FunctionType type;
  std::thread::id maker = std::this_thread::get_id();
  bool is_done = false;
  Status status;
  Target target;                                // null: see `status`
  std::shared_ptr<PendingTarget> pending = {};  // null: no call has stopped to wait
};

// Calls `factory`. If memory runs out, that is an error of this target only.
StatusOr<Target> MakeTarget(const FunctionCache::Factory& factory, const FunctionType& type) {
  try {
    return factory(type);
  } catch (const std::bad_alloc&) {
    return ResourceExhausted("no memory for the function made for `", type, "`");
  }
}

// Counters of one reader thread, in cache lines of their own.
struct alignas(64) HitCounts {
  std::atomic<uint64_t> exact{0};
  std::atomic<uint64_t> supertype{0};
};

}  // namespace

void PendingTarget::OnDone(std::function<void(const Status&)> then) {
  std::unique_lock lock(mu_);
  if (!outcome_) {
    then_.push_back(std::move(then));
    return;
  }
  lock.unlock();
  then(*outcome_);
}

void PendingTarget::Finish(const Status& outcome) {
  std::vector<std::function<void(const Status&)>> then;
  {
    std::lock_guard lock(mu_);
    outcome_ = outcome;
    then = std::move(then_);
  }
  for (const auto& call : then) call(outcome);
}

class FunctionCache::State final : public CacheBudget::Member {
 public:
  explicit State(Options options) : options_(std::move(options)), contexts_(reclaimer_) {
    if (options_.budget != nullptr) options_.budget->Join(this);
  }

  ~State() override {
    if (options_.budget != nullptr) {
      options_.budget->Leave(this);
      options_.budget->Count(-bytes());
    }
    contexts_.ForEach([](Context& context) { delete &context; });
  }

  DispatchTable::Found Lookup(const FunctionType& request, std::string_view name) {
    std::optional<Reclaimer::Reader> reading;
    if (!name.empty()) reading.emplace(reclaimer_);
    const Context* context = LookupContext(name);
    if (context == nullptr) return {};
    auto found = context->table.Lookup(request);
    if (found.target != nullptr) Count(found);
    return found;
  }

  Target LookupKnown(uint64_t fingerprint, DispatchTable::IsRequest is_request) {
    auto found = main_.table.LookupKnown(fingerprint, is_request);
    if (found.target == nullptr || !IsUsable(found)) return nullptr;
    Count(found);
    return std::move(found.target);
  }

  // Returns true if the found target can serve the request directly.
  bool IsUsable(const DispatchTable::Found& found) const {
    return found.is_exact || options_.adapt == nullptr;
  }

  StatusOr<Found> Make(const FunctionType& request, const Factory& factory,
                       std::string_view context, Deferral* deferral, bool has_wider) {
    if (deferral != nullptr && !deferral->may_make) return deferral->LetMake();
    FunctionType general = has_wider ? request : GeneralType(request, context);
    if (!(general == request)) {
      auto found = MakeOnce(general, request, factory, context, deferral);
      bool is_stopped = deferral != nullptr && deferral->is_stopped();
      if (is_stopped || (found.ok() && options_.adapt == nullptr)) return found;
    }
    return MakeOnce(request, request, factory, context, deferral);
  }

  void Add(const Target& target, std::string_view context) {
    {
      std::lock_guard lock(mu_);
      if (IsTooLarge(*target)) {
        RemoveLocked(target->type, context);
      } else {
        AddLocked(target, context);
      }
    }
    if (options_.budget != nullptr) options_.budget->Trim(target.get());
  }

  void ContinueCounts(const FunctionCacheStats& counts) {
    std::lock_guard lock(mu_);
    made_.hits += counts.hits;
    made_.supertype_hits += counts.supertype_hits;
    made_.specializations += counts.specializations;
    made_.generalizations += counts.generalizations;
    made_.adaptations += counts.adaptations;
    made_.evictions += counts.evictions;
  }

  bool Remove(const FunctionType& type, std::string_view context) {
    std::lock_guard lock(mu_);
    return RemoveLocked(type, context);
  }

  void Clear() {
    std::lock_guard lock(mu_);
    main_.table.Clear();
    contexts_.ForEach([&](Context& context) { reclaimer_.Retire(&context); });
    contexts_.Clear();
    size_.store(0, std::memory_order_relaxed);
    CountBytes(-bytes());
    reclaimer_.Collect();
  }

  void Collect() {
    std::lock_guard lock(mu_);
    main_.table.Collect();
    contexts_.ForEach([](Context& context) { context.table.Collect(); });
    reclaimer_.Collect();
  }

  int64_t bytes() const override { return bytes_.load(std::memory_order_relaxed); }

  bool EvictOne(const void* except) override {
    std::lock_guard lock(mu_);
    return EvictLocked(except);
  }

  std::vector<Target> Targets(std::string_view name) const {
    std::lock_guard lock(mu_);
    const Context* context = LookupContext(name);
    return context == nullptr ? std::vector<Target>() : context->table.Targets();
  }

  size_t size() const { return size_.load(std::memory_order_relaxed); }

  FunctionCacheStats stats() const {
    std::lock_guard lock(mu_);
    FunctionCacheStats stats = made_;
    for (const HitCounts& counts : hits_) {
      stats.hits += counts.exact.load(std::memory_order_relaxed);
      stats.supertype_hits += counts.supertype.load(std::memory_order_relaxed);
    }
    stats.targets = size();
    stats.bytes = bytes();
    return stats;
  }

  static Found HitOn(const DispatchTable::Found& found) {
    bool is_exact = found.is_exact && found.target->wider == nullptr;
    return {found.target, is_exact ? Found::How::kExact : Found::How::kSupertype};
  }

 private:
  // The context without a name always exists.
  Context* LookupContext(std::string_view name) const {
    if (name.empty()) return &main_;
    return contexts_.Lookup(HashBytes(name),
                            [&](const Context& context) { return context.name == name; });
  }

  void Count(const DispatchTable::Found& found) {
    Touch(*found.target);
    found.target->hits.Increment();
    HitCounts& counts = hits_[Reclaimer::ThisShard()];
    (found.is_exact ? counts.exact : counts.supertype).fetch_add(1, std::memory_order_relaxed);
  }

  // Records that `target` was used last. The clock advances only if another target was used in
  // between, and uses are not recorded while a large cache is far from full, so a frequently used
  // target is not written.
  void Touch(const DispatchTarget& target) {
    constexpr size_t kSmall = 64;
    size_t capacity = options_.capacity;
    bool has_room = capacity > kSmall && size() < capacity / 2 &&
                    bytes() < options_.max_bytes / 2 &&
                    (options_.budget == nullptr || options_.budget->HasRoom());
    if (has_room) return;
    if (target.last_used.load(std::memory_order_relaxed) ==
        clock_.load(std::memory_order_relaxed)) {
      return;
    }
    MakeLast(target);
  }

  // Records a use for an adapted target and its wider target. The wider one is dropped later.
  void MakeLast(const DispatchTarget& target) {
    uint64_t now = clock_.fetch_add(1, std::memory_order_relaxed) + 1;
    for (const DispatchTarget* used = &target; used != nullptr; used = used->wider.get()) {
      used->last_used.store(now, std::memory_order_relaxed);
    }
  }

  // Returns the type to make for `request`, which is wider if requests bring many shapes.
  FunctionType GeneralType(const FunctionType& request, std::string_view name) const {
    std::lock_guard lock(mu_);
    const Context* context = LookupContext(name);
    if (context == nullptr || options_.generalize_after == 0) return request;
    auto alike = context->table.TargetsLike(request);
    if (alike.size() < options_.generalize_after) return request;
    std::vector<FunctionType> types;
    for (const Target& target : alike) types.push_back(target->type);
    return Generalize(request, types);
  }

  // Makes a target of `type`, which accepts `request`, unless one exists or another thread is
  // making it.
  StatusOr<Found> MakeOnce(const FunctionType& type, const FunctionType& request,
                           const Factory& factory, std::string_view context, Deferral* deferral) {
    std::shared_ptr<Making> making;
    Target wider;
    {
      std::unique_lock lock(mu_);
      auto found = Lookup(request, context);
      if (found.target != nullptr && IsUsable(found)) return HitOn(found);
      if (found.target != nullptr && !(type == request)) return HitOn(found);
      wider = std::move(found.target);
      making = LookupMaking(type, context);
      if (making != nullptr) return Await(*making, request, lock, deferral);
      making = std::make_shared<Making>();
      making->context = context;
      making->type = type;
      makings_.push_back(making);
    }
    const auto start = std::chrono::steady_clock::now();
    auto target = MakeTarget(
        [&](const FunctionType& wanted) {
          return wider != nullptr ? options_.adapt(wider, wanted, context) : factory(wanted);
        },
        type);
    std::shared_ptr<PendingTarget> pending;
    bool is_as_asked = !target.ok() || (*target != nullptr && (*target)->type == type);
    if (!is_as_asked) target = Internal("the function made is not of type `", type, "`");
    const auto time = std::chrono::steady_clock::now() - start;
    {
      std::lock_guard lock(mu_);
      made_.making_time += time;
      if (target.ok()) {
        (*target)->making_time = time;
        if (!IsTooLarge(**target)) AddLocked(*target, context);
        if ((*target)->wider != nullptr) {
          ++made_.adaptations;
        } else {
          ++made_.specializations;
        }
        if (!(type == request)) ++made_.generalizations;
        making->target = *target;
      }
      making->status = target.status();
      making->is_done = true;
      pending = std::move(making->pending);
      makings_.erase(std::find(makings_.begin(), makings_.end(), making));
    }
    done_.notify_all();
    if (target.ok() && options_.budget != nullptr) options_.budget->Trim(target->get());
    if (pending != nullptr) pending->Finish(target.status());
    if (!target.ok()) return target.status();
    auto how = (*target)->wider != nullptr ? Found::How::kSupertype : Found::How::kSpecialized;
    return Found{*std::move(target), how};
  }

  std::shared_ptr<Making> LookupMaking(const FunctionType& type, std::string_view context) const {
    for (const auto& making : makings_) {
      if (making->type == type && making->context == context) return making;
    }
    return nullptr;
  }

  StatusOr<Found> Await(Making& making, const FunctionType& request,
                        std::unique_lock<std::mutex>& lock, Deferral* deferral) {
    if (making.maker == std::this_thread::get_id()) {
      return FailedPrecondition("building the function for `", request,
                                "` requires the same function");
    }
    if (deferral != nullptr) {
      if (making.pending == nullptr) making.pending = std::make_shared<PendingTarget>();
      deferral->awaited = making.pending;
      deferral->shares_error = making.type == request;
      return Unavailable("the call waits for a function that another thread is making");
    }
    done_.wait(lock, [&] { return making.is_done; });
    if (making.target == nullptr) return making.status;
    bool is_exact = making.type == request;
    HitCounts& counts = hits_[Reclaimer::ThisShard()];
    (is_exact ? counts.exact : counts.supertype).fetch_add(1, std::memory_order_relaxed);
    making.target->hits.Increment();
    return HitOn({making.target, is_exact});
  }

  bool IsTooLarge(const DispatchTarget& target) const {
    return static_cast<int64_t>(target.num_bytes()) > options_.max_bytes;
  }

  void CountBytes(int64_t more) {
    bytes_.fetch_add(more, std::memory_order_relaxed);
    if (options_.budget != nullptr) options_.budget->Count(more);
  }

  void AddLocked(Target target, std::string_view name) {
    Context* context = LookupContext(name);
    if (context == nullptr) {
      context = new Context{HashBytes(name), std::string(name), {}};
      contexts_.Add(context);
    }
    MakeLast(*target);
    const DispatchTarget* added = target.get();
    CountBytes(static_cast<int64_t>(added->num_bytes()));
    Target replaced = context->table.Replace(std::move(target));
    if (replaced != nullptr) {
      CountBytes(-static_cast<int64_t>(replaced->num_bytes()));
    } else {
      size_.fetch_add(1, std::memory_order_relaxed);
    }
    while (size() > options_.capacity || bytes() > options_.max_bytes) {
      if (!EvictLocked(added)) break;
    }
  }

  bool RemoveLocked(const FunctionType& type, std::string_view name) {
    Context* context = LookupContext(name);
    if (context == nullptr) return false;
    // The memory that adapted targets share counts for the wider target, and must not stay without
    // it.
    for (const Target& target : context->table.Targets()) {
      if (target->wider != nullptr && target->wider->type == type) {
        RemoveLocked(target->type, name);
      }
    }
    Target removed = context->table.Remove(type);
    if (removed == nullptr) return false;
    size_.fetch_sub(1, std::memory_order_relaxed);
    CountBytes(-static_cast<int64_t>(removed->num_bytes()));
    if (context->table.size() == 0 && context != &main_) {
      contexts_.Remove(context);
      reclaimer_.Retire(context);
    }
    reclaimer_.Collect();
    return true;
  }

  // Drops the least recently used target of any context, except `except`. Returns false if there is
  // none.
  bool EvictLocked(const void* except) {
    const auto* added = static_cast<const DispatchTarget*>(except);
    Target least;
    std::string name;
    auto look_at = [&](const Context& context) {
      Target candidate = context.table.LeastRecentlyUsed(added);
      if (candidate == nullptr) return;
      if (least != nullptr && least->last_used.load(std::memory_order_relaxed) <=
                                  candidate->last_used.load(std::memory_order_relaxed)) {
        return;
      }
      least = std::move(candidate);
      name = context.name;
    };
    look_at(main_);
    contexts_.ForEach(look_at);
    if (least == nullptr) return false;
    SIGNET_CHECK(RemoveLocked(least->type, name));
    ++made_.evictions;
    return true;
  }

  const Options options_;
  mutable std::mutex mu_;         // held by writers
  std::condition_variable done_;  // a Making is done
  mutable Context main_{0, "", {}};
  Reclaimer reclaimer_;  // of the named contexts and their index
  LockFreeIndex<Context> contexts_;
  std::atomic<uint64_t> clock_{0};
  std::atomic<size_t> size_{0};                   // targets in all contexts
  std::atomic<int64_t> bytes_{0};                 // held by these targets
  std::vector<std::shared_ptr<Making>> makings_;  // guarded by mu_
  FunctionCacheStats made_;                       // guarded by mu_; hits are in `hits_`
  std::array<HitCounts, Reclaimer::kShards> hits_;
};

StatusOr<FunctionCache::Options> FunctionCache::MakeOptions(std::optional<int64_t> capacity) {
  Options options;
  if (capacity && *capacity < 1) {
    return InvalidWithReason("INVALID_CAPACITY", "expected a capacity of at least 1, found ",
                             *capacity);
  }
  options.capacity = capacity ? static_cast<size_t>(*capacity) : SIZE_MAX;
  return options;
}

FunctionCache::FunctionCache(Options options) {
  SIGNET_CHECK(options.capacity >= 1);
  state_ = std::make_unique<State>(std::move(options));
}

FunctionCache::~FunctionCache() = default;

FunctionCache::Target FunctionCache::LookupKnown(uint64_t fingerprint,
                                                 DispatchTable::IsRequest is_request) const {
  return state_->LookupKnown(fingerprint, is_request);
}

FunctionCache::Target FunctionCache::Lookup(const FunctionType& request,
                                            std::string_view context) const {
  return state_->Lookup(request, context).target;
}

StatusOr<FunctionCache::Found> FunctionCache::FindOrMake(const FunctionType& request,
                                                         const Factory& factory,
                                                         std::string_view context,
                                                         Deferral* deferral) {
  auto found = state_->Lookup(request, context);
  if (found.target == nullptr || !state_->IsUsable(found)) {
    return state_->Make(request, factory, context, deferral, found.target != nullptr);
  }
  return State::HitOn(found);
}

void FunctionCache::Add(Target target, std::string_view context) { state_->Add(target, context); }

void FunctionCache::ContinueCounts(const FunctionCacheStats& counts) {
  state_->ContinueCounts(counts);
}

bool FunctionCache::Remove(const FunctionType& type, std::string_view context) {
  return state_->Remove(type, context);
}

void FunctionCache::Clear() { state_->Clear(); }

void FunctionCache::Collect() { state_->Collect(); }

size_t FunctionCache::size() const { return state_->size(); }

std::vector<FunctionCache::Target> FunctionCache::Targets(std::string_view context) const {
  return state_->Targets(context);
}

FunctionCacheStats FunctionCache::stats() const { return state_->stats(); }

}  // namespace signet
