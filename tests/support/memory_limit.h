// MemoryLimit: while it lives, the process gets `bytes` of memory more and no others; what asks for
// them is rejected nevertheless.
//
// Sanitizers need room of their own: under them there is no limit. One thread.

#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <sys/resource.h>
#include <unistd.h>

#include "signet/status.h"

namespace signet {

class MemoryLimit {
 public:
  explicit MemoryLimit([[maybe_unused]] uint64_t bytes) {
    getrlimit(RLIMIT_AS, &before_);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    rlimit limit = before_;
    limit.rlim_cur = std::min(limit.rlim_cur, InUse() + bytes);
    SIGNET_CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
#endif
  }
  ~MemoryLimit() { setrlimit(RLIMIT_AS, &before_); }
  MemoryLimit(const MemoryLimit&) = delete;
  MemoryLimit& operator=(const MemoryLimit&) = delete;

 private:
  static uint64_t InUse() {
    unsigned long long pages = 0;
    std::FILE* statm = std::fopen("/proc/self/statm", "r");
    SIGNET_CHECK(statm != nullptr && std::fscanf(statm, "%llu", &pages) == 1);
    std::fclose(statm);
    return pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  }

  rlimit before_;
};

}  // namespace signet
