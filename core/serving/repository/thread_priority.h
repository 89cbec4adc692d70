// LowerPriority: gives a thread that loads models a lower share of the processors than calls have.

#pragma once

#include <sys/resource.h>
#include <unistd.h>

namespace signet {

// Lowers the priority of the calling thread permanently. Threads have their own niceness on Linux.
// Without effect if the system does not permit it.
inline void LowerPriority() {
  constexpr int kNiceness = 10;
  ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), kNiceness);
}

}  // namespace signet
