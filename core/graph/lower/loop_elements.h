// Loop elements: what map, scan and reduce take of values round by round, and what they make of
// what rounds give, by the rules that values are stacked by (core/types/stacking.h).
//
// A loop cuts and joins tensors, ragged values, structures and nests of them. Of anything else it
// gets the parts, and what a function sees is made of those:
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

// The parts of stacks, each of rank at least 1 (C1).
StatusOr<std::vector<GraphValue>> PartsOfStacks(CallExpander& build,
                                                std::span<const GraphValue> stacks);
// How many elements there are, the same in each leaf; C1: there is one leaf at least.
StatusOr<GraphValue> CountElements(OpBuilder& build, std::span<const GraphValue> parts);
// Element `round` of each of the stacks, whose parts are `parts`.
StatusOr<std::vector<GraphValue>> ElementsAt(CallExpander& build,
                                             std::span<const GraphValue> stacks,
                                             std::span<const GraphValue> parts,
                                             const GraphValue& round);

// Returns what a round returns, with each tensor and column declared ragged whose first dimension
// is that of a ragged row of an element, or part of one (dimension_ids.h): such results differ in
// length from round to round.
StatusOr<GraphValue> WithRowsDeclared(CallExpander& build, const GraphValue& result);
// Notes that `stack` has one element for each element of `inputs`: its rows are their rows. The
// number varies if the number of elements of an input does, in loops within loops.
void NoteNumberOfElements(CallExpander& build, std::span<const GraphValue> inputs,
                          const GraphValue& stack);
// The parts of a stack of `element` alone. Tensors in it may be of any length with `ragged`.
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
