#include "core/ops/sparse_ops.h"

namespace signet {

std::vector<OpDef> SparseOps() { return {}; }

}  // namespace signet
