// DimensionChecks: dimensions of parameters that have one name in a signature are of one size.
// Stateless; thread-safe.

#pragma once

#include "core/graph/body/graph.h"

namespace signet {

// INVALID_ARGUMENT unless each parameter named is a tensor of as many dimensions, names are
// identifiers, and dimensions with names are of unknown size.
Status CheckDimensionNames(const FunctionType& type, const DimensionNames& names);

// Puts before the function's nodes one that compares sizes, for each name that stands more than
// once.
void AddSizeChecks(FunctionDef& def);

}  // namespace signet
