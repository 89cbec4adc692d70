// CompareRuns: measures the rows per second of two ways to run a model, on one thread or on two.
//
//   Pair pair = CompareRuns(options, pool, threads, rows, [&] { Keep(function.Call(..)); },
//                           [&] { Keep(session.Run()); });
//
// One thread is measured by its processor time, two threads by the wall clock. On two threads, the
// caller is one of the threads of `pool`, as for calls of a server.

#pragma once

#include <chrono>
#include <future>
#include <thread>

#include "bench/measure.h"
#include "core/runtime/thread_pool.h"

namespace signet {

// After a run, the threads of each side wait actively for a while, and use processors that the
// other side needs.
inline constexpr std::chrono::milliseconds kUntilAsleep(50);

template <class Ours, class Theirs>
Pair CompareRuns(const BenchOptions& options, ThreadPool& pool, int threads, int64_t rows,
                 Ours ours, Theirs theirs) {
  auto rate_of = [&](auto body) {
    double nanoseconds = 0;
    if (threads == 1) {
      nanoseconds = internal::TimeBy(ThreadNanoseconds, options.seconds, body);
    } else {
      std::this_thread::sleep_for(kUntilAsleep);
      std::promise<void> done;
      pool.Schedule([&] {
        nanoseconds = internal::TimeBy(WallNanoseconds, options.seconds, body);
        done.set_value();
      });
      done.get_future().wait();
    }
    return static_cast<double>(rows) * 1e9 / nanoseconds;
  };
  return MedianPair(
      options, [&] { return rate_of(ours); }, [&] { return rate_of(theirs); });
}

}  // namespace signet
