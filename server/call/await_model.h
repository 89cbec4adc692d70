// AwaitModel: waits for a model that is loaded at its first call, without occupying a thread.
// Thread-safe.

#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "core/serving/call/bind.h"
#include "server/call/serving.h"

namespace signet {

// How often a call waits for the same model, if other models displace it before the call begins.
inline constexpr int kMostLoadsPerCall = 5;

// Returns true if `status` is the error of Repository::Find for a version that must be loaded
// first.
bool IsLoadedOnDemand(const Status& status);

// Loads the version and calls `done` on a maker thread when it is available or cannot be loaded.
// Meanwhile, the call counts as queued: `done` is called at once with RESOURCE_EXHAUSTED if the
// queue is full. At the deadline, `done` is called with DEADLINE_EXCEEDED.
void AwaitModel(ServerContext& server, const std::string& model, std::optional<int64_t> version,
                const std::string& label,
                std::optional<std::chrono::steady_clock::time_point> deadline,
                std::function<void(Status)> done);

// Finds the function of a call. Loads its model and waits for it, if it is loaded at its first
// call. Only for threads that may take long.
StatusOr<CalledFunction> FindOrLoad(ServerContext& server, const CallRequest& request);

}  // namespace signet
