// The end of an absl::Status, as in Abseil's status.cc, so that the thread sanitizer sees it.
//
// Copies of a Status share memory, and the last one frees it. Debian's libabsl_status is not built
// with the sanitizer. Without this file, the sanitizer sees the release of the memory but not the
// count of references that orders it after the last use on another thread, and reports a race.

#ifdef __SANITIZE_THREAD__

#include <atomic>
#include <cstdint>

#include "absl/status/status.h"

void absl::Status::UnrefNonInlined(uintptr_t rep) {
  status_internal::StatusRep* shared = RepToPointer(rep);
  if (shared->ref.fetch_sub(1, std::memory_order_acq_rel) == 1) delete shared;
}

#endif
