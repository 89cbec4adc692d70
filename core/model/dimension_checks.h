// CheckDimensionNames, AddSizeChecks: ensure that dimensions with the same name in a signature have
// the same size. Stateless; thread-safe.

#pragma once

#include <span>

#include "core/function/dimension_names.h"
#include "core/graph/body/graph_builder.h"

namespace signet {

// Returns INVALID_ARGUMENT unless each named parameter is a tensor with one name per dimension, the
// names are identifiers, and dimensions with names have unknown sizes.
Status CheckDimensionNames(const FunctionType& type, const DimensionNames& names);

// Adds a check for each name with several uses, a node that compares the sizes. The parameters were
// added to `build` before. The checks run before the nodes that are added later.
void AddSizeChecks(std::span<const Parameter> parameters, const DimensionNames& names,
                   GraphBuilder& build);

}  // namespace signet
