#include "core/ops/dimension_ops.h"

#include <iterator>

namespace signet {

std::vector<OpDef> DimensionOps() {
  std::vector<OpDef> ops = {MergeDims(), PartitionOuterDimension(), SameSize(), StructMap()};
  for (auto table : {PromoteOps, StructSizeOps}) {
    auto rows = table();
    ops.insert(ops.end(), std::make_move_iterator(rows.begin()),
               std::make_move_iterator(rows.end()));
  }
  return ops;
}

}  // namespace signet
