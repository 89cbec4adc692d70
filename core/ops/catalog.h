// Catalog: all ops. Only core/eager, and the readers and importers of models, use it.

#pragma once

#include "core/ops/def/op_registry.h"

namespace signet {

// The ops of all families. Made when it is first called; thread-safe.
const OpRegistry& BuiltinOps();

}  // namespace signet
