#include "server/process.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <string_view>
#include <sys/resource.h>
#include <system_error>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <absl/synchronization/mutex.h>

namespace signet {

namespace {

// Returns the limit of the address space, in bytes, or 0 if there is none.
rlim_t AddressLimit() {
  rlimit addresses = {};
  if (getrlimit(RLIMIT_AS, &addresses) != 0) return 0;
  return addresses.rlim_cur == RLIM_INFINITY ? 0 : addresses.rlim_cur;
}

// Writes a line to standard error, without allocating memory. `what` may be empty.
void WriteFatal(std::string_view why, std::string_view what) {
  std::array<char, 512> line;
  int size = std::snprintf(line.data(), line.size(), "signet-server: %.*s%s%.*s",
                           static_cast<int>(why.size()), why.data(), what.empty() ? "" : ": ",
                           static_cast<int>(what.size()), what.data());
  size = std::clamp(size, 0, static_cast<int>(line.size()) - 1);
  if (const rlim_t limit = AddressLimit(); limit > 0) {
    const auto room = line.size() - static_cast<size_t>(size);
    size += std::snprintf(line.data() + size, room,
                          "; the address space is limited to %llu KiB (ulimit -v)",
                          static_cast<unsigned long long>(limit) / 1024);
    size = std::min(size, static_cast<int>(line.size()) - 1);
  }
  line[static_cast<size_t>(size)] = '\n';
  [[maybe_unused]] ssize_t written =
      write(STDERR_FILENO, line.data(), static_cast<size_t>(size) + 1);
}

// The system has no memory or no thread for this process.
[[noreturn]] void EndForResources(const char* what) {
  WriteFatal("ended because memory or threads are not available", what);
  _exit(EXIT_FAILURE);
}

[[noreturn]] void OnTerminate() {
  try {
    if (std::exception_ptr failed = std::current_exception()) std::rethrow_exception(failed);
    WriteFatal("ended by a bug", "");
  } catch (const std::bad_alloc& failed) {
    EndForResources(failed.what());
  } catch (const std::system_error& failed) {
    EndForResources(failed.what());
  } catch (const std::exception& failed) {
    WriteFatal("ended by a bug", failed.what());
  } catch (...) {
    WriteFatal("ended by a bug", "");
  }
  std::signal(SIGABRT, SIG_DFL);
  std::abort();
}

// Libraries abort without a word if memory is not available.
void OnAbort(int signal) {
  WriteFatal("aborted, which happens if memory is not available", "");
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

}  // namespace

void ReportFatalErrors() {
  std::set_terminate(OnTerminate);
  if (AddressLimit() > 0) std::signal(SIGABRT, OnAbort);
}

void TuneAllocator([[maybe_unused]] int64_t memory) {
#ifdef __GLIBC__
  // The arena of each thread keeps up to this size; all arenas together keep little of the memory.
  int64_t kept = memory > 0 ? std::clamp<int64_t>(memory / 64, 1 << 20, 1 << 30) : 1 << 30;
  if (memory >= int64_t{8} << 30) kept = 1 << 30;
  mallopt(M_MMAP_THRESHOLD, static_cast<int>(kept));
  mallopt(M_TRIM_THRESHOLD, static_cast<int>(kept));
  mallopt(M_TOP_PAD, static_cast<int>(std::min<int64_t>(kept, 16 << 20)));
  // Each arena reserves 64 MiB of addresses.
  if (AddressLimit() > 0) mallopt(M_ARENA_MAX, 1);
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
