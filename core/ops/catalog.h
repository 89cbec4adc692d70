// Catalog: all ops. Only core/eager, and the readers and importers of models, use it.

#pragma once

#include "core/ops/registry.h"

namespace signet {

inline const OpRegistry& BuiltinOps() { return OpRegistry::Builtin(); }

}  // namespace signet
