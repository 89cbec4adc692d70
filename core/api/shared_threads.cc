#include "core/api/shared_threads.h"

namespace signet {

Parallel* SharedThreads() {
  // Never destroyed, because calls of other threads may still run when static variables are.
  static ThreadPool* const pool = [] {
    const int helpers = AvailableProcessors() - 1;  // the calling thread works, too
    return helpers > 0 ? new ThreadPool(helpers) : nullptr;
  }();
  return pool;
}

}  // namespace signet
