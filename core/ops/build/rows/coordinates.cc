#include "core/ops/build/rows/coordinates.h"

#include "core/ops/build/row_splits.h"

namespace signet {

StatusOr<GraphValue> CoordinatesOf(Expander& expander, const Rows& rows,
                                   const GraphValue& positions) {
  std::vector<GraphValue> indices(rows.dims.size());
  GraphValue element = positions;  // of the level of `dim`
  for (int dim = rows.depth() - 1; dim > 0; --dim) {
    SIGNET_ASSIGN_OR_RETURN(GraphValue splits, SplitsOf(expander, rows, dim));
    SIGNET_ASSIGN_OR_RETURN(splits, Int64Splits(expander, splits));
    SIGNET_ASSIGN_OR_RETURN(GraphValue row, RowIdsOf(expander, rows, dim - 1, dim));
    SIGNET_ASSIGN_OR_RETURN(row, expander.Call1("gather", {row, element}));
    SIGNET_ASSIGN_OR_RETURN(GraphValue start, expander.Call1("gather", {splits, row}));
    SIGNET_ASSIGN_OR_RETURN(indices[static_cast<size_t>(dim)],
                            expander.Call1("sub", {element, start}));
    element = std::move(row);
  }
  indices[0] = std::move(element);
  SIGNET_ASSIGN_OR_RETURN(auto stacked,
                          expander.Call("stack", indices, Attributes({{"axis", AttributeOf(1)}})));
  return stacked[0];
}

}  // namespace signet
