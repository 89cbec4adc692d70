#include "core/runtime/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <sys/resource.h>
#include <unistd.h>
#include <utility>

namespace signet {
namespace {

// The minimum length in nanoseconds for a piece to be given to a waiting thread, and for a loop to
// wake sleeping threads.
constexpr double kSmallestPiece = 3'000;
constexpr double kWorthWaking = 40'000;

// How long a thread waits actively for work before it sleeps.
constexpr std::chrono::microseconds kActiveWait(100);

void Pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Waits until `ready()`, for at most kActiveWait. Returns true if it is ready.
template <class Ready>
bool WaitActively(Ready ready) {
  if (ready()) return true;
  const auto end = std::chrono::steady_clock::now() + kActiveWait;
  do {
    for (int i = 0; i < 16; ++i) {
      Pause();
      if (ready()) return true;
    }
  } while (std::chrono::steady_clock::now() < end);
  return false;
}

}  // namespace

// One call of For, on the stack of its caller.
struct ThreadPool::Loop {
  LoopSlot& slot;
  int64_t count;
  int64_t piece;
  absl::FunctionRef<void(int64_t, int64_t)> body;
  std::atomic<int64_t> next{0};

  // Works until no piece is left, which clears the slot, or until `leaves()`.
  template <class Leaves>
  void Work(Leaves leaves) {
    while (!leaves()) {
      int64_t begin = next.fetch_add(piece);
      if (begin < count) body(begin, std::min(count, begin + piece));
      if (begin + piece >= count) {
        slot.loop = nullptr;
        return;
      }
    }
  }
};

ThreadPool::ThreadPool(int num_threads, int niceness) {
  for (int i = 0; i < std::max(num_threads, 1); ++i) {
    threads_.emplace_back([this, niceness] {
      // On Linux, the niceness of process 0 is that of the calling thread.
      if (niceness != 0) setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + niceness);
      Work();
    });
  }
}

ThreadPool::~ThreadPool() {
  {
    std::lock_guard lock(mu_);
    stopping_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ThreadPool::Schedule(std::function<void()> task) {
  {
    std::lock_guard lock(mu_);
    tasks_.push_back(std::move(task));
    has_tasks_ = true;
    if (asleep_ == 0) return;  // awake threads check the queue before they sleep
  }
  wake_.notify_one();
}

size_t ThreadPool::queued() const {
  std::lock_guard lock(mu_);
  return tasks_.size();
}

void ThreadPool::Work() {
  std::unique_lock lock(mu_);
  bool is_needed = false;  // by loops
  while (true) {
    if (!tasks_.empty()) {
      std::function<void()> task = std::move(tasks_.front());
      tasks_.pop_front();
      has_tasks_ = !tasks_.empty();
      lock.unlock();
      task();
      task = nullptr;  // destroyed without the lock
      lock.lock();
      continue;
    }
    if (stopping_) return;
    lock.unlock();
    // The loop that woke this thread may be over, but the next one is near.
    is_needed |= JoinLoops();
    while (is_needed && !has_tasks_) {
      ++num_waiting_;
      WaitActively([this] { return has_tasks_.load(std::memory_order_relaxed) || HasOpenLoop(); });
      --num_waiting_;
      is_needed = JoinLoops();
    }
    lock.lock();
    ++asleep_;
    wake_.wait(lock,
               [this] { return stopping_ || !tasks_.empty() || called_ > 0 || HasOpenLoop(); });
    --asleep_;
    is_needed = called_ > 0;
    if (is_needed) --called_;
  }
}

bool ThreadPool::HasOpenLoop() const {
  return std::any_of(slots_.begin(), slots_.end(),
                     [](const LoopSlot& slot) { return slot.loop.load() != nullptr; });
}

bool ThreadPool::JoinLoops() {
  bool joined = false;
  for (LoopSlot& slot : slots_) {
    if (slot.loop.load() == nullptr) continue;
    // The caller counts as one of the threads.
    if (slot.inside.fetch_add(1) < num_threads() - 1) {
      if (Loop* loop = slot.loop.load()) {
        loop->Work([this] { return has_tasks_.load(std::memory_order_relaxed); });
        joined = true;
      }
    }
    if (slot.inside.fetch_sub(1) == 1) slot.inside.notify_all();
  }
  return joined;
}

ThreadPool::LoopSlot* ThreadPool::ClaimSlot() {
  for (LoopSlot& slot : slots_) {
    if (!slot.taken.load(std::memory_order_relaxed) && !slot.taken.exchange(true)) return &slot;
  }
  return nullptr;
}

void ThreadPool::Wake(int64_t helpers) {
  int64_t wakes = 0;
  {
    std::lock_guard lock(mu_);
    wakes = std::clamp<int64_t>(asleep_ - called_, 0, helpers);
    called_ += wakes;
  }
  for (; wakes > 0; --wakes) wake_.notify_one();
}

bool ThreadPool::ShouldWakeHelpers(double cost) {
  using std::chrono::nanoseconds;
  const int64_t now = nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
  const int64_t pause = now - last_unshared_start_.exchange(now);
  const auto own = static_cast<int64_t>(cost);
  if (pause > nanoseconds(kActiveWait).count()) {
    unshared_ns_ = own;
  } else if (static_cast<double>(unshared_ns_.fetch_add(own) + own) >= kWorthWaking) {
    unshared_ns_ = 0;
    return true;
  }
  return false;
}

void ThreadPool::For(int64_t count, double cost,
                     absl::FunctionRef<void(int64_t begin, int64_t end)> body) {
  if (count <= 0) return;
  double total = cost * static_cast<double>(count);
  const int64_t ready = num_waiting_.load();
  const int64_t most = num_threads() * int64_t{4};
  int64_t pieces = total >= kSmallestPiece * static_cast<double>(most)
                       ? most
                       : static_cast<int64_t>(total / kSmallestPiece);
  pieces = std::min(pieces, count);
  const bool is_shared = pieces > 1 && num_threads() > 1;
  const bool wakes =
      is_shared && (total >= kWorthWaking || (ready == 0 && ShouldWakeHelpers(total)));
  LoopSlot* slot = is_shared && (ready > 0 || wakes) ? ClaimSlot() : nullptr;
  if (slot == nullptr) {
    body(0, count);
    return;
  }
  Loop loop{.slot = *slot, .count = count, .piece = (count + pieces - 1) / pieces, .body = body};
  slot->loop = &loop;
  const int64_t helpers = std::min<int64_t>(pieces, num_threads()) - 1;
  if (wakes && ready < helpers) Wake(helpers - ready);
  loop.Work([] { return false; });
  auto is_left = [&] { return slot->inside.load() == 0; };
  if (!WaitActively(is_left)) {
    for (int inside = slot->inside; inside > 0; inside = slot->inside) slot->inside.wait(inside);
  }
  slot->taken = false;
}

}  // namespace signet
