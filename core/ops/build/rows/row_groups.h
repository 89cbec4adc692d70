// Groups of rows: the elements that come together when some dimensions are reduced, whose rows are
// laid over one another.
//
//   ragged int64[2, (?)] [[3, 1, 4], [1, 5]], dimension 0 reduced
//     =>  rows: 1 | {0, 3};  groups: [0, 1, 2, 0, 1]
//
// Short rows take no part where there are no elements of theirs. Rules: S§10, Reductions.
// Stateless.

#pragma once

#include "core/ops/build/rows/rows.h"
#include "core/ops/def/axis_set.h"

namespace signet {

struct RowGroups {
  Rows rows;          // of the groups: dimensions reduced are of size 1
  GraphValue groups;  // int64[?], the group of each element; no type: each is one of its own
};
StatusOr<RowGroups> GroupRows(OpBuilder& build, const Rows& rows, AxisSet reduced);

// The rows of groups without the dimensions reduced, or with them, of size 1.
StatusOr<Rows> RowsLeft(OpBuilder& build, const Rows& groups, AxisSet reduced, bool keepdims);

// Elements in the order of their groups.
struct GroupOrder {
  GraphValue splits;     // int64[?], of the elements of each group
  GraphValue positions;  // int64[?], which those are
};
// `groups` are numbers below `count`, an int64[].
StatusOr<GroupOrder> OrderGroups(OpBuilder& build, const GraphValue& groups,
                                 const GraphValue& count);

}  // namespace signet
