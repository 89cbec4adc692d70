// Needed columns: what of a value is read, where only some of its components are asked for.
//
// A door that decodes into a BuilderTree passes over the parts that nobody needs, and gives their
// columns something of the right sizes instead: empty rows, empty texts, zeros. One thread.

#pragma once

#include <vector>

#include "core/values/builders/builder_node.h"

namespace signet {

// Sets is_needed of each node: whether `needs` has any of its components (by their place in
// ComponentsOf), or a child needs it. Literals and sparse values always are, and the root, whose
// rows are counted. Empty: all are. INTERNAL when there are not as many components.
Status MarkNeeded(BuilderNode& root, const std::vector<bool>& needs);

// Fills the columns that are not needed, when all others are complete. `bytes_left`: of the
// columns, less what this takes; RESOURCE_EXHAUSTED when that is not enough.
Status FillUnneeded(BuilderNode& root, int64_t& bytes_left);

}  // namespace signet
