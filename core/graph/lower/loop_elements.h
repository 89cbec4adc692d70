// Loop elements: split the inputs of map, scan, and reduce into elements, and stack the results of
// the iterations, by the rules of core/types/stacking.h.
//
// A `loop` node splits and joins tensors, ragged values, structures, and nests of them. Other
// values are converted to such parts before the node, and the elements are built from the parts:
//
//   sparse float32[n, 3]      tuple(ragged int64[n, (?), 1], ragged float32[n, (?)], int64[n, 1])
//   app.Pair(a: .., b: ..)    tuple(.., ..), if its values batch
//
// Stateless.

#pragma once

#include <span>
#include <vector>

#include "core/graph/lower/call_expander.h"

namespace signet {

// Returns the parts of stacks. C1: each stack has a rank of at least 1.
StatusOr<std::vector<GraphValue>> PartsOfStacks(CallExpander& build,
                                                std::span<const GraphValue> stacks);
// Returns the number of elements, which is the same in each leaf. C1: there is at least one leaf.
StatusOr<GraphValue> CountElements(OpBuilder& build, std::span<const GraphValue> parts);
// Returns element `round` of each stack. `parts` are the parts of the stacks.
StatusOr<std::vector<GraphValue>> ElementsAt(CallExpander& build,
                                             std::span<const GraphValue> stacks,
                                             std::span<const GraphValue> parts,
                                             const GraphValue& round);

// Returns the result of an iteration, with each tensor and column declared ragged whose first
// dimension is a ragged row of an element, or a part of one (dimension_ids.h): the lengths of such
// results differ from iteration to iteration.
StatusOr<GraphValue> WithRowsDeclared(CallExpander& build, const GraphValue& result);
// Records that `stack` has one element for each element of `inputs`, so that its rows are their
// rows. In nested loops, the number varies if the number of elements of an input varies.
void NoteNumberOfElements(CallExpander& build, std::span<const GraphValue> inputs,
                          const GraphValue& stack);
// Returns the parts of a stack with one element. With `ragged`, tensors in it may have any length.
StatusOr<GraphValue> PartsOfOne(CallExpander& build, const GraphValue& element, bool ragged);
// Returns the stack of elements of the type `element`. `parts` are the parts of the elements,
// joined along dimension 0.
StatusOr<GraphValue> StackOfParts(CallExpander& build, const GraphValue& parts,
                                  const TypeSpec& element);
// Returns the stack of at least one element. The elements are converted to the join of their types
// (coerce.h), as the elements of all rounds of a loop are.
StatusOr<GraphValue> StackElements(CallExpander& build, std::span<const GraphValue> elements,
                                   bool ragged);

}  // namespace signet
