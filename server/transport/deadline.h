// DeadlineOf: returns the deadline of a gRPC call on the monotonic clock.

#pragma once

#include <chrono>
#include <optional>

#include <grpc/support/time.h>
#include <grpcpp/server_context.h>

namespace signet {

// Returns the deadline, or nothing if the call has none.
inline std::optional<std::chrono::steady_clock::time_point> DeadlineOf(
    const grpc::CallbackServerContext& context) {
  gpr_timespec deadline = gpr_convert_clock_type(context.raw_deadline(), GPR_CLOCK_MONOTONIC);
  if (gpr_time_cmp(deadline, gpr_inf_future(GPR_CLOCK_MONOTONIC)) == 0) return std::nullopt;
  return std::chrono::steady_clock::time_point(std::chrono::seconds(deadline.tv_sec) +
                                               std::chrono::nanoseconds(deadline.tv_nsec));
}

}  // namespace signet
