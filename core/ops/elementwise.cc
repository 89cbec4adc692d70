// Elementwise ops: one row of a table each. The constraints are those of docs/ops.md.

#include "core/ops/all_ops.h"

namespace signet {

std::vector<OpDef> ElementwiseOps() { return {}; }

}  // namespace signet
