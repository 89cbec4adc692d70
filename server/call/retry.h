// MayHaveRoomLater: distinguishes limits of the moment from limits of one call.
//
// Stateless; thread-safe.

#pragma once

#include "signet/status.h"

namespace signet {

// Returns true for RESOURCE_EXHAUSTED because a queue, the memory for responses, or a limit of the
// caller is full now, so that the same call may succeed later. If it is false, the same call would
// exceed the limit again.
bool MayHaveRoomLater(const Status& status);

}  // namespace signet
