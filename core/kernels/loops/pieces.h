// Pieces: runs tasks of one kernel on several threads, each with its own float32 scratch memory.

#pragma once

#include <algorithm>
#include <atomic>
#include <type_traits>

#include "core/base/checked_math.h"
#include "core/kernels/def/stop_poll.h"

namespace signet {

// The minimum duration in nanoseconds of work that is passed to another thread.
inline constexpr double kSmallestPiece = 4'000;
// The minimum duration in nanoseconds of work for which several threads are faster than one.
inline constexpr double kWorthThreads = 3 * kSmallestPiece;
inline constexpr double kFlopsPerNanosecond = 80;  // rate of one thread for packed float32 products

// Returns `count` floats, aligned to 64 bytes, valid until the run ends.
inline StatusOr<float*> ScratchFloats(KernelContext& context, int64_t count) {
  auto bytes = CheckedMultiply(std::max<int64_t>(count, 1), sizeof(float));
  if (!bytes)
    return ResourceExhausted("working memory of ", count, " floats exceeds the range of int64");
  SIGNET_ASSIGN_OR_RETURN(std::byte * scratch, context.Scratch(static_cast<size_t>(*bytes)));
  return reinterpret_cast<float*>(scratch);
}

// Calls run(task, scratch) for each of `tasks`, each of about `cost` nanoseconds. `scratch` has
// `floats` elements and belongs to one thread. Checks between tasks whether the call must end. If
// `run` also has a StopPoll& parameter, it checks during long tasks, too.
template <class Run>
Status ForPieces(KernelContext& context, int64_t tasks, double cost, int64_t floats, Run run) {
  if (tasks == 0) return absl::OkStatus();
  double worth = static_cast<double>(tasks) * cost / kSmallestPiece;
  int64_t threads = context.parallel().num_threads();
  int64_t pieces = worth >= static_cast<double>(threads) ? threads : static_cast<int64_t>(worth);
  pieces = std::clamp<int64_t>(pieces, 1, tasks);
  int64_t own = (floats + 15) / 16 * 16;
  auto all = CheckedMultiply(own, pieces);
  if (!all)
    return ResourceExhausted("working memory of ", pieces, " times ", floats,
                             " floats exceeds the range of int64");
  SIGNET_ASSIGN_OR_RETURN(float* scratch, ScratchFloats(context, *all));
  double piece_cost = static_cast<double>(tasks) * cost / static_cast<double>(pieces);
  std::atomic<int64_t> next{0};  // a thread that starts late runs fewer tasks
  context.parallel().For(pieces, piece_cost, [&](int64_t begin, int64_t end) {
    StopPoll poll(context);
    [[maybe_unused]] const auto nanoseconds = static_cast<int64_t>(std::min(cost, 1e12));
    for (int64_t piece = begin; piece < end; ++piece) {
      for (int64_t task = next++; task < tasks; task = next++) {
        if constexpr (std::is_invocable_v<Run, int64_t, float*, StopPoll&>) {
          if (poll.Stops(0)) return;
          run(task, scratch + piece * own, poll);
        } else {
          if (poll.Stops(nanoseconds)) return;
          run(task, scratch + piece * own);
        }
      }
    }
  });
  return context.stopped() ? context.CheckStop() : absl::OkStatus();
}

}  // namespace signet
