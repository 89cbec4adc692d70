#include "core/ops/ragged_ops.h"

namespace signet {

std::vector<OpDef> RaggedOps() { return {}; }

}  // namespace signet
