// Published limits: the limits of requests, as GetModel and ListModels tell them to clients.

#pragma once

#include "core/formats/limits.h"
#include "signet/v1/service.pb.h"

namespace signet {

inline v1::Limits PublishedLimits(const Limits& limits) {
  v1::Limits out;
  out.set_message_bytes(limits.message_bytes);
  out.set_tensor_elements(limits.tensor_elements);
  out.set_rank(limits.rank);
  out.set_nesting_depth(limits.nesting_depth);
  out.set_names(limits.names);
  out.set_expanded_bytes(limits.expanded_bytes);
  return out;
}

}  // namespace signet
