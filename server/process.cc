#include "server/process.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <sys/resource.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <absl/synchronization/mutex.h>

namespace signet {

void TuneAllocator([[maybe_unused]] int64_t memory) {
#ifdef __GLIBC__
  // The arena of each thread keeps up to this size; all arenas together keep little of the memory.
  int64_t kept = memory > 0 ? std::clamp<int64_t>(memory / 64, 1 << 20, 1 << 30) : 1 << 30;
  if (memory >= int64_t{8} << 30) kept = 1 << 30;
  mallopt(M_MMAP_THRESHOLD, static_cast<int>(kept));
  mallopt(M_TRIM_THRESHOLD, static_cast<int>(kept));
  mallopt(M_TOP_PAD, static_cast<int>(std::min<int64_t>(kept, 16 << 20)));
#endif
}

void ReleaseFreeMemory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

void DisableDeadlockSearch() {
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
}

void RaiseFileLimit() {
  rlimit files = {};
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) return;
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
}

void IgnoreBrokenPipes() { std::signal(SIGPIPE, SIG_IGN); }

}  // namespace signet
