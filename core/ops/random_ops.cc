#include "core/ops/random_ops.h"

namespace signet {

std::vector<OpDef> RandomOps() { return {}; }

}  // namespace signet
