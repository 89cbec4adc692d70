// RowGroups: groups the elements that a reduction of some dimensions combines. Elements at the same
// positions in the rows of a reduced dimension are in the same group.
//
//   ragged int64[2, (?)] [[3, 1, 4], [1, 5]], dimension 0 reduced
//     =>  rows: 1 | {0, 3};  groups: [0, 1, 2, 0, 1]
// A short row has no elements in the groups after its end. Stateless.

#pragma once

#include "core/ops/build/rows/rows.h"
#include "core/ops/def/axis_set.h"

namespace signet {

struct RowGroups {
  Rows rows;          // the rows of the groups: the reduced dimensions have size 1
  GraphValue groups;  // int64[?], the group of each element; no type: each element is its own group
};
StatusOr<RowGroups> GroupRows(OpBuilder& build, const Rows& rows, AxisSet reduced);

// Returns the rows of groups without the reduced dimensions, or, with `keepdims`, with reduced
// dimensions of size 1.
StatusOr<Rows> RowsLeft(OpBuilder& build, const Rows& groups, AxisSet reduced, bool keepdims);

// The elements in the order of their groups.
struct GroupOrder {
  GraphValue splits;     // int64[?], the row splits of the elements of each group
  GraphValue positions;  // int64[?], the positions of these elements
};
// `groups` are numbers less than `count`, an int64[].
StatusOr<GroupOrder> OrderGroups(OpBuilder& build, const GraphValue& groups,
                                 const GraphValue& count);

}  // namespace signet
