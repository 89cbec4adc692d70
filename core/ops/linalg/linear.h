// linear: what inference and the kernel both ask of its calls.

#pragma once

#include <optional>

#include "core/ops/def/op_def.h"

namespace signet {

// What linear does to the sums: attributes `low` and `high`, numbers or None.
struct Clip {
  std::optional<float> low = {};
  std::optional<float> high = {};
};
StatusOr<Clip> ClipOf(const OpCall& call);

}  // namespace signet
