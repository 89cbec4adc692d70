// Clip: the limits of the results of linear, which inference and the kernel read.

#pragma once

#include <optional>

#include "core/ops/def/op_def.h"

namespace signet {

// The limits of the result: attributes `low` and `high`, numbers or None.
struct Clip {
  std::optional<float> low = {};
  std::optional<float> high = {};
};
StatusOr<Clip> ClipOf(const OpCall& call);

}  // namespace signet
