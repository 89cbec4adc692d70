#include "core/ops/sparse_ops.h"

#include <iterator>

namespace signet {

std::vector<OpDef> SparseOps() {
  std::vector<OpDef> ops = {SparseFillEmptyRows(), SparseResetShape(), SparseRetain()};
  for (auto family : {SparseEntryOps, SparseConversionOps}) {
    std::vector<OpDef> rows = family();
    ops.insert(ops.end(), std::make_move_iterator(rows.begin()),
               std::make_move_iterator(rows.end()));
  }
  return ops;
}

}  // namespace signet
