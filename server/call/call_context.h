// CallContext: what the server knows about a call besides its content.

#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string_view>

#include <grpcpp/server_context.h>

#include "core/serving/admission/task.h"

namespace signet {

// The metadata with the priority of a call or stream: `high`, `normal`, or `low`.
inline constexpr char kPriorityMetadata[] = "signet-priority";

struct CallContext {
  std::string_view model = {};             // empty until the model is found
  std::optional<Priority> requested = {};  // by the client
  Priority priority = Priority::kNormal;   // at most that of the model
  size_t bytes = 0;                        // of the request
  std::chrono::steady_clock::time_point arrival = {};
};

// Returns the context of a call that arrives now, with the metadata of `context`. INVALID_ARGUMENT
// if the priority is not known.
StatusOr<CallContext> CallContextOf(const grpc::CallbackServerContext& context, size_t bytes);

}  // namespace signet
