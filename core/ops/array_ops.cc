#include "core/ops/array_ops.h"

namespace signet {

std::vector<OpDef> ArrayOps() { return {}; }

}  // namespace signet
