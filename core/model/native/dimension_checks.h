// CheckDimensionNames, AddSizeChecks: ensure that dimensions with the same name in a signature have
// the same size. Stateless; thread-safe.

#pragma once

#include "core/graph/body/graph.h"

namespace signet {

// Returns INVALID_ARGUMENT unless each named parameter is a tensor with one name per dimension, the
// names are identifiers, and dimensions with names have unknown sizes.
Status CheckDimensionNames(const FunctionType& type, const DimensionNames& names);

// Adds a node before the nodes of the function for each name with several uses. The node compares
// the sizes.
void AddSizeChecks(FunctionDef& def);

}  // namespace signet
