#include "core/ops/dimension_ops.h"

namespace signet {

std::vector<OpDef> DimensionOps() { return {}; }

}  // namespace signet
