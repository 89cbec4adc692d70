#include "core/ops/build/rows/row_groups.h"

#include "core/ops/build/op_builder.h"

namespace signet {

StatusOr<RowGroups> GroupRows(OpBuilder& build, const Rows& rows, AxisSet reduced) {
  RowGroups made;
  GraphValue& groups = made.groups;
  for (int dim = 0; dim < rows.depth(); ++dim) {
    const RowDim& own = rows.dims[static_cast<size_t>(dim)];
    std::vector<RowDim>& dims = made.rows.dims;
    if (HasAxis(reduced, dim)) {
      dims.push_back(UniformDim(build, 1));
      if (groups.spec) {
        SIGNET_ASSIGN_OR_RETURN(groups, build.RepeatRows(groups, SplitsOf(build, rows, dim)));
      } else {
        SIGNET_ASSIGN_OR_RETURN(groups, RowIdsOf(build, rows, dim - 1, dim));
      }
    } else if (!groups.spec) {
      dims.push_back(own);
    } else if (own.is_uniform()) {
      // Rows of one length have the same positions.
      dims.push_back(UniformDim(own.length, own.known_length));
      SIGNET_ASSIGN_OR_RETURN(auto picked,
                              build.GatherRowSplits(SplitsOf(build, made.rows, dim), groups));
      groups = picked[1];
    } else {
      SIGNET_ASSIGN_OR_RETURN(
          auto laid, build.OverlayRows(own.splits, groups, CountAt(build, made.rows, dim - 1)));
      dims.push_back(RaggedDim(laid[0]));
      groups = laid[1];
    }
  }
  return made;
}

StatusOr<Rows> RowsLeft(OpBuilder& build, const Rows& groups, AxisSet reduced, bool keepdims) {
  Rows left;
  for (int dim = 0; dim < groups.depth(); ++dim) {
    const RowDim& own = groups.dims[static_cast<size_t>(dim)];
    if (HasAxis(reduced, dim)) {
      if (keepdims) left.dims.push_back(UniformDim(build, 1));
    } else if (left.dims.empty()) {
      SIGNET_ASSIGN_OR_RETURN(GraphValue count, CountAt(build, groups, dim));
      left.dims.push_back(UniformDim(std::move(count), own.known_length));
    } else {
      left.dims.push_back(own);
    }
  }
  return left;
}

StatusOr<GroupOrder> OrderGroups(OpBuilder& build, const GraphValue& groups,
                                 const GraphValue& count) {
  SIGNET_ASSIGN_OR_RETURN(auto outputs, build.GroupOrder(groups, count));
  return GroupOrder{outputs[0], outputs[1]};
}

}  // namespace signet
