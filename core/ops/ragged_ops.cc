#include "core/ops/ragged_ops.h"

#include <iterator>

namespace signet {

std::vector<OpDef> RaggedOps() {
  std::vector<OpDef> ops;
  for (auto make : {EmbeddingLookup, RaggedFromSparse, RaggedToSparse}) ops.push_back(make());
  for (auto family :
       {CrossOps, NgramOps, RaggedRangeOps, RowDimOps, RowGroupOps, SegmentOrderOps}) {
    std::vector<OpDef> rows = family();
    ops.insert(ops.end(), std::make_move_iterator(rows.begin()),
               std::make_move_iterator(rows.end()));
  }
  return ops;
}

}  // namespace signet
