// Broadcasting of rows: brings values to common dimensions, some of which are ragged.
//
//   int32[3, 1] [[10], [20], [30]]  beside  ragged int32[3, (?)] [[1, 2], [], [3]]
//     =>  rows: 3 | {0, 2, 2, 3};  elements: [10, 10, 30] and [1, 2, 3]
//
// Shapes are aligned at the right. A uniform dimension that is known to be 1 stretches, as one does
// that is missing in front; all others must be as long as those beside them. A ragged dimension
// whose rows all happen to have one value does not stretch, nor does a size that is not known:
// which do is told by types, never by the data. Rows that are the same by edge cost nothing, others
// are compared once. Rules: docs/reference/ops/ragged.md, Broadcasting. Stateless.

#pragma once

#include <string_view>
#include <vector>

#include "core/ops/build/rows/rows.h"

namespace signet {

// Dimensions to be broadcast, the last of which is the last of all.
struct RowOperand {
  Rows rows;
  bool fixed = false;  // stretches in no dimension, not even in one of size 1
};

// Which element of an operand stands at each element of the common rows: the first at all of them;
// those at `positions`; each at all that a row of `repeats` has; or, without these, one by one.
struct RowIndex {
  bool first = false;
  GraphValue positions = {};  // int64[?]
  GraphValue repeats = {};    // row splits
};

struct CommonRows {
  Rows rows;
  std::vector<RowIndex> indices;  // one an operand
  bool compared = false;          // whether something is compared when it runs
};

// Refuses, under `label`, sizes that are known to differ.
StatusOr<CommonRows> BroadcastRows(OpBuilder& build, std::span<const RowOperand> operands,
                                   std::string_view label);

// The elements of an operand, a tensor, at those of the common rows; one, where it stands at all.
StatusOr<GraphValue> TakeCommon(OpBuilder& build, const GraphValue& elements,
                                const RowIndex& index);

// Tensors and ragged values, opened as far as one of them is ragged: tensors that broadcast as
// tensors do, in the dimensions behind the rows. Inputs left out stay so.
struct CommonValues {
  Rows rows;
  std::vector<GraphValue> elements;
};
// `fixed` is the number of a value that does not stretch, or -1. Refuses an unknown rank
// (UNIMPLEMENTED).
StatusOr<CommonValues> BroadcastValues(OpBuilder& build, std::span<const GraphValue> values,
                                       std::string_view label, int fixed = -1);

}  // namespace signet
