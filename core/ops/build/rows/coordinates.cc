#include "core/ops/build/rows/coordinates.h"

#include "core/ops/build/op_builder.h"
#include "core/ops/build/row_splits.h"

namespace signet {

StatusOr<GraphValue> CoordinatesOf(OpBuilder& build, const Rows& rows,
                                   const GraphValue& positions) {
  std::vector<GraphValue> indices(rows.dims.size());
  GraphValue element = positions;  // positions in the level of `dim`
  for (int dim = rows.depth() - 1; dim > 0; --dim) {
    SIGNET_ASSIGN_OR_RETURN(GraphValue splits, SplitsOf(build, rows, dim));
    SIGNET_ASSIGN_OR_RETURN(splits, Int64Splits(build, splits));
    SIGNET_ASSIGN_OR_RETURN(GraphValue row,
                            build.Gather(RowIdsOf(build, rows, dim - 1, dim), element));
    SIGNET_ASSIGN_OR_RETURN(GraphValue start, build.Gather(splits, row));
    SIGNET_ASSIGN_OR_RETURN(indices[static_cast<size_t>(dim)], build.Sub(element, start));
    element = std::move(row);
  }
  indices[0] = std::move(element);
  SIGNET_ASSIGN_OR_RETURN(GraphValue stacked, build.Stack(indices, {.axis = 1}));
  return stacked;
}

}  // namespace signet
