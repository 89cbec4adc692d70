#include "core/runtime/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <fstream>
#include <sched.h>
#include <string>

namespace signet {
namespace {

// A piece of a For is worth its hand-over from about this many nanoseconds on.
constexpr double kSmallestPiece = 20'000;

// How long a thread looks out for what comes next before it sleeps.
constexpr std::chrono::microseconds kLookOut(100);

void Pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Waits until `ready()`, at most kLookOut; whether it is.
template <class Ready>
bool LookOutFor(Ready ready) {
  if (ready()) return true;
  const auto end = std::chrono::steady_clock::now() + kLookOut;
  do {
    for (int i = 0; i < 16; ++i) {
      Pause();
      if (ready()) return true;
    }
  } while (std::chrono::steady_clock::now() < end);
  return false;
}

// The CPU quota of the control group, in processors; 0 when there is none.
double CpuQuota() {
  std::ifstream v2("/sys/fs/cgroup/cpu.max");
  std::string quota;
  double period = 0;
  if (v2 >> quota >> period && quota != "max" && period > 0) return std::stod(quota) / period;
  std::ifstream v1_quota("/sys/fs/cgroup/cpu/cpu.cfs_quota_us");
  std::ifstream v1_period("/sys/fs/cgroup/cpu/cpu.cfs_period_us");
  double allowed = 0;
  if (v1_quota >> allowed && v1_period >> period && allowed > 0 && period > 0)
    return allowed / period;
  return 0;
}

// One For, shared by the threads that work on it. The body belongs to the caller, who leaves only
// when every piece is done; a thread that comes later finds no piece and does not touch it.
struct Loop {
  int64_t count;
  int64_t piece;
  const absl::FunctionRef<void(int64_t, int64_t)>* body;
  std::atomic<int64_t> next{0};
  std::atomic<int64_t> done{0};  // units
  std::mutex mu;
  std::condition_variable finished;

  void Work() {
    while (true) {
      int64_t begin = next.fetch_add(piece);
      if (begin >= count) return;
      int64_t end = std::min(count, begin + piece);
      (*body)(begin, end);
      if (done.fetch_add(end - begin) + (end - begin) == count) {
        std::lock_guard lock(mu);
        finished.notify_all();
      }
    }
  }
};

}  // namespace

int AvailableProcessors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  int processors = static_cast<int>(std::thread::hardware_concurrency());
  if (sched_getaffinity(0, sizeof(set), &set) == 0) processors = CPU_COUNT(&set);
  if (double quota = CpuQuota(); quota > 0) {
    processors = std::min(processors, static_cast<int>(std::ceil(quota)));
  }
  return std::max(processors, 1);
}

ThreadPool::ThreadPool(int num_threads) {
  for (int i = 0; i < std::max(num_threads, 1); ++i) {
    threads_.emplace_back([this] { Work(); });
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

void ThreadPool::Schedule(std::function<void()> task) { Add({std::move(task), false}); }

void ThreadPool::Add(Task task) {
  {
    std::lock_guard lock(mu_);
    tasks_.push_back(std::move(task));
    has_tasks_ = true;
  }
  wake_.notify_one();
}

size_t ThreadPool::queued() const {
  std::lock_guard lock(mu_);
  return tasks_.size();
}

void ThreadPool::Work() {
  std::unique_lock lock(mu_);
  while (true) {
    wake_.wait(lock, [this] { return stopping_ || !tasks_.empty(); });
    if (tasks_.empty()) return;
    Task task = std::move(tasks_.front());
    tasks_.pop_front();
    has_tasks_ = !tasks_.empty();
    lock.unlock();
    task.run();
    task.run = nullptr;  // what it holds is let go without the lock
    if (task.is_piece) LookOutFor([this] { return has_tasks_.load(); });
    lock.lock();
  }
}

void ThreadPool::For(int64_t count, double cost,
                     absl::FunctionRef<void(int64_t begin, int64_t end)> body) {
  if (count <= 0) return;
  double total = cost * static_cast<double>(count);
  int64_t pieces = std::min<int64_t>(
      {count, num_threads() * int64_t{4}, static_cast<int64_t>(total / kSmallestPiece)});
  if (pieces <= 1) {
    body(0, count);
    return;
  }
  auto loop = std::make_shared<Loop>();
  loop->count = count;
  loop->piece = (count + pieces - 1) / pieces;
  loop->body = &body;
  int64_t helpers = std::min<int64_t>(pieces - 1, num_threads());
  for (int64_t i = 0; i < helpers; ++i) Add({[loop] { loop->Work(); }, true});
  loop->Work();
  auto is_done = [&] { return loop->done.load() == count; };
  if (LookOutFor(is_done)) return;
  std::unique_lock lock(loop->mu);
  loop->finished.wait(lock, is_done);
}

}  // namespace signet
