// OpenLists: changes to open lists (core/ops/build/rows/open_list.h), for the sequence operators.
//
// Positions and counts are int64[]. A position less than 0 counts from the end. A position outside
// of a list is an error when the function runs. Stateless.

#pragma once

#include "core/ops/build/rows/open_list.h"

namespace signet {

// Returns `position` in a sequence of `count` elements, counted from the start. If it is not less
// than `places`, the run fails with the error `message`.
StatusOr<GraphValue> PositionIn(OpBuilder& build, const GraphValue& position,
                                const GraphValue& count, const GraphValue& places,
                                std::string_view message);
StatusOr<GraphValue> ElementAt(OpBuilder& build, const GraphValue& list,
                               const GraphValue& position);
// Inserts the tensor `element` before the element at `position`, or at the end if `position` has no
// type. If the elements of the list have another rank, the result is a mixed list.
StatusOr<GraphValue> InsertAt(OpBuilder& build, const GraphValue& list, const GraphValue& element,
                              const GraphValue& position);
// Removes the element at `position`, or the last one if `position` has no type.
StatusOr<GraphValue> EraseAt(OpBuilder& build, const GraphValue& list, const GraphValue& position);
// Joins all elements along `axis` or, with `stacks`, along a new dimension. There must be at least
// one element, and their other sizes must be equal. A mixed list can be joined along axis 0 only.
StatusOr<GraphValue> JoinElements(OpBuilder& build, const GraphValue& list, int64_t axis,
                                  bool stacks);

// How a tensor is split.
struct CutForm {
  int axis = 0;
  // The size of each part except for the last, int64[]; or the sizes of all parts, int64[n].
  // Without a type, each part has size 1.
  GraphValue sizes = {};
  bool keeps_dim = true;  // for parts of size 1 without `sizes`
};
StatusOr<GraphValue> CutIntoOpenList(OpBuilder& build, const GraphValue& x, const CutForm& form);

}  // namespace signet
