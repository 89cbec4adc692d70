#include "core/ops/text_ops.h"

namespace signet {

std::vector<OpDef> TextOps() { return {}; }

}  // namespace signet
