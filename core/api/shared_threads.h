// SharedThreads: the threads that help with large kernels of all calls of an embedding program.

#pragma once

#include "core/runtime/thread_pool.h"

namespace signet {

// Returns the pool, which is made by the first call and lives as long as the process. Null if the
// process may use only one processor. Thread-safe.
Parallel* SharedThreads();

}  // namespace signet
