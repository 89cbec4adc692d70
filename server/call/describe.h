// ScheduleDescription: runs work that describes models or statistics, and is not a call.
//
// A description of a model with thousands of functions takes long. The threads that read the
// network, and the threads on which calls wait for concrete functions, do not write it. The threads
// for descriptions have a higher niceness, so that clients that request descriptions all the time
// take little from calls. Thread-safe.

#pragma once

#include <functional>

#include "server/call/serving.h"

namespace signet {

// Runs `describe` later. An exception, such as a lack of memory, ends it. Returns
// RESOURCE_EXHAUSTED with reason QUEUE_FULL if --max_queued_calls descriptions wait.
Status ScheduleDescription(ServerContext& server, std::function<void()> describe);

}  // namespace signet
