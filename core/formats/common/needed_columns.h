// NeededColumns: marks the columns that a result needs, and fills in the others.
//
// A parser that decodes into a BuilderTree skips the other columns. They get empty rows, empty
// strings, and zeros of the right sizes. Not thread-safe.

#pragma once

#include <vector>

#include "core/values/builders/builder_node.h"

namespace signet {

// Sets is_needed of each node: true if `needs` contains any of its components (by index in
// ComponentsOf), or if a child needs the node. Literals and sparse values are always needed, and so
// is the root, whose rows are counted. An empty `needs` means all. Returns INTERNAL if the number
// of components differs.
Status MarkNeeded(BuilderNode& root, const std::vector<bool>& needs);

// Fills the columns that are not needed, when all others are complete. Subtracts the memory from
// `bytes_left`; returns RESOURCE_EXHAUSTED if that is not enough.
Status FillUnneeded(BuilderNode& root, int64_t& bytes_left);

}  // namespace signet
