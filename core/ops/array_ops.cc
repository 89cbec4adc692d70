#include "core/ops/array_ops.h"

namespace signet {

std::vector<OpDef> ArrayOps() {
  std::vector<OpDef> ops = RowJoinOps();
  return ops;
}

}  // namespace signet
