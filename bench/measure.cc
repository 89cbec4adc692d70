#include "bench/measure.h"

#include <time.h>

namespace signet {
namespace {

double Nanoseconds(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

}  // namespace

double ThreadNanoseconds() { return Nanoseconds(CLOCK_THREAD_CPUTIME_ID); }
double WallNanoseconds() { return Nanoseconds(CLOCK_MONOTONIC); }

}  // namespace signet
