// Published limits: the limits of requests and of calls, as GetModel and ListModels tell them to
// clients.

#pragma once

#include "server/call/serving.h"
#include "signet/v1/service.pb.h"

namespace signet {

inline v1::Limits PublishedLimits(const Serving& serving) {
  const Limits& limits = serving.limits;
  v1::Limits out;
  out.set_message_bytes(limits.message_bytes);
  out.set_tensor_elements(limits.tensor_elements);
  out.set_rank(limits.rank);
  out.set_nesting_depth(limits.nesting_depth);
  out.set_names(limits.names);
  out.set_expanded_bytes(limits.expanded_bytes);
  out.set_call_bytes(serving.function.max_call_bytes);
  out.set_loop_steps(serving.function.max_loop_steps);
  return out;
}

}  // namespace signet
