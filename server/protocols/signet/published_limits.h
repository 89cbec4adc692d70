// PublishedLimits: returns the limits of requests and calls that GetModel and ListModels report to
// clients.

#pragma once

#include "server/call/serving.h"
#include "signet/v1/service.pb.h"

namespace signet {

inline v1::Limits PublishedLimits(const ServerContext& server) {
  const Limits& limits = server.limits;
  v1::Limits out;
  out.set_message_bytes(limits.message_bytes);
  out.set_tensor_elements(limits.tensor_elements);
  out.set_rank(limits.rank);
  out.set_nesting_depth(limits.nesting_depth);
  out.set_names(limits.names);
  out.set_expanded_bytes(limits.expanded_bytes);
  out.set_call_bytes(server.function.max_call_bytes);
  out.set_loop_steps(server.function.max_loop_steps);
  return out;
}

}  // namespace signet
