// linear: what inference and the kernel both ask of its calls.

#pragma once

#include <optional>

#include "core/ops/op.h"

namespace signet {

// Attribute `name`, a number or None.
StatusOr<std::optional<float>> BoundOf(const OpCall& call, std::string_view name);

}  // namespace signet
