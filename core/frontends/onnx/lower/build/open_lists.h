// Open lists (core/ops/build/rows/open_list.h) as sequence operators take them. Positions and
// counts are int64[]; a position below 0 counts from the back. What lies outside of a list is
// refused when it runs. Stateless.

#pragma once

#include "core/ops/build/rows/open_list.h"

namespace signet {

// `position` in a sequence of `count`, counted from the front; refused when it runs unless it is
// below `places`.
StatusOr<GraphValue> PositionIn(Expander& expander, const GraphValue& position,
                                const GraphValue& count, const GraphValue& places,
                                std::string_view refusal);
StatusOr<GraphValue> ElementAt(Expander& expander, const GraphValue& list,
                               const GraphValue& position);
// `element`, a tensor, in front of what is at `position`; of no type: at the end. The list becomes
// a mixed one if its elements have another rank.
StatusOr<GraphValue> InsertAt(Expander& expander, const GraphValue& list, const GraphValue& element,
                              const GraphValue& position);
// Without the element at `position`; of no type: the last one.
StatusOr<GraphValue> EraseAt(Expander& expander, const GraphValue& list,
                             const GraphValue& position);
// All elements joined along `axis` or, with `stacks`, along a new dimension. There must be one, and
// their other sizes the same. The elements of a mixed list are joined along axis 0 only.
StatusOr<GraphValue> JoinElements(Expander& expander, const GraphValue& list, int64_t axis,
                                  bool stacks);

// How a tensor is cut.
struct CutForm {
  int axis = 0;
  // Of each part but the last, int64[]; or of each part, int64[n]. Of no type: parts of one place.
  GraphValue sizes = {};
  bool keeps_dim = true;  // of parts of one place
};
StatusOr<GraphValue> CutIntoOpenList(Expander& expander, const GraphValue& x, const CutForm& form);

}  // namespace signet
