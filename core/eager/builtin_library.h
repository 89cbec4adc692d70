// BuiltinLibrary: returns a library with all ops of the catalog, for ops that run without a model.

#pragma once

#include "core/graph/body/graph.h"

namespace signet {

// It has no functions, captures, or extension types. Thread-safe.
const FunctionLibrary& BuiltinLibrary();

}  // namespace signet
