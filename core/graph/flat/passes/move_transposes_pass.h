// MoveTransposesPass: moves transposes toward the results of a graph, where they cancel out. The
// layout of the convolutions becomes the layout of a network whose images have their channels last.
//
//   %1 = transpose(%0, [0, 3, 1, 2])            %1 = transpose(%0, [0, 3, 1, 2])
//   %2 = conv(%1, w)                            %2 = conv(%1, w)
//   %3 = transpose(%2, [0, 2, 3, 1])            %3 = add(%2, bias as [c, 1, 1])
//   %4 = add(%3, bias)                          %4 = relu(%3)
//   %5 = relu(%4)                          =>   %5 = conv(%4, v)
//   %6 = transpose(%5, [0, 3, 1, 2])            %6 = reduce_mean(%5, axes=[2, 3])
//   %7 = conv(%6, v)
//   %8 = transpose(%7, [0, 2, 3, 1])
//   %9 = reduce_mean(%8, axes=[1, 2])
//
//   1. A transpose becomes a note about its output: a source and a permutation. It is made only if
//      a node reads the output and cannot read the source.
//   2. Elementwise ops, concat, split, pad, slice, squeeze, expand_dims, and reductions read the
//      source; their outputs are transposed. Constants are transposed in advance.
//   3. An elementwise op keeps its layout if another input would have to be transposed for it.
//   4. A reduction keeps its layout if it is over the last dimensions only there.
//   5. A transpose that moves only dimensions of size 1 becomes a reshape.
//   6. Transposes of one edge with the same permutation are one node, except for those that swap
//      the last two dimensions, which matrix products absorb.
//   7. A product of a flattened transposed tensor and constant weights permutes the rows of the
//      weights.
//
// The graph is rewritten only if fewer transposes remain. Reductions may round differently.

#pragma once

#include "core/graph/flat/passes/pass.h"

namespace signet {

extern const Pass kMoveTransposesPass;

}  // namespace signet
