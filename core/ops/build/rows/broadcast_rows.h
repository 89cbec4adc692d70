// BroadcastRows: broadcasts values to common dimensions, some of which are ragged.
//
//   int32[3, 1] [[10], [20], [30]]  with  ragged int32[3, (?)] [[1, 2], [], [3]]
//     =>  rows: 3 | {0, 2, 2, 3};  elements: [10, 10, 30] and [1, 2, 3]
// Shapes are aligned at the right. A uniform dimension whose size is known to be 1 is repeated, and
// so is a missing leading dimension. All other dimensions must have the same sizes. Whether a
// dimension is repeated depends only on types, never on the data. Therefore, a ragged dimension
// whose rows all have one value is not repeated, and neither is a dimension of unknown size. Rows
// with the same edges are equal without a comparison. Other rows are compared once at run time.
// Stateless.

#pragma once

#include <string_view>
#include <vector>

#include "core/ops/build/rows/rows.h"

namespace signet {

// The dimensions of an operand. The last dimension is aligned with the last common dimension.
struct RowOperand {
  Rows rows;
  bool fixed = false;  // not repeated in any dimension, not even in one of size 1
};

// Maps each element of the common rows to an element of an operand: the first element for all, or
// the elements at `positions`, or each element once per element of its row in `repeats`, or, if
// none of these is set, the element with the same position.
struct RowIndex {
  bool first = false;
  GraphValue positions = {};  // int64[?]
  GraphValue repeats = {};    // row splits
};

struct CommonRows {
  Rows rows;
  std::vector<RowIndex> indices;  // one per operand
  bool compared = false;          // whether rows are compared at run time
};

// Broadcasts operands to common rows. Rejects sizes that are known to differ with the label
// `label`.
StatusOr<CommonRows> BroadcastRows(OpBuilder& build, std::span<const RowOperand> operands,
                                   std::string_view label);

// Returns the elements of an operand, a tensor, for the elements of the common rows. Returns a
// single element if it is used for all of them.
StatusOr<GraphValue> TakeCommon(OpBuilder& build, const GraphValue& elements,
                                const RowIndex& index);

// Tensors and ragged values, opened to the last dimension that is ragged in one of them. The
// elements are tensors that broadcast in the dimensions after the rows. Missing inputs stay
// missing.
struct CommonValues {
  Rows rows;
  std::vector<GraphValue> elements;
};
// `fixed` is the index of a value that is not repeated, or -1. UNIMPLEMENTED for an unknown rank.
StatusOr<CommonValues> BroadcastValues(OpBuilder& build, std::span<const GraphValue> values,
                                       std::string_view label, int fixed = -1);

}  // namespace signet
