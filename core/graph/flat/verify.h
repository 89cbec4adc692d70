// Verify: checks the structure and the types of a flat graph.
//
//   node 1 (`add`): input 1: expected an edge that is written before, found %2
//
// A failure is a bug of Signet in the code that built or rewrote the graph. Stateless; thread-safe.

#pragma once

#include "core/graph/flat/flat_graph.h"

namespace signet {

// Checks that
//   1. each edge is an input, a constant, or written by exactly one node, before any node reads it;
//   2. the type of each constant is a subtype of its edge's type;
//   3. each node has as many inputs as its op accepts, and all attributes that it declares;
//   4. the op's inference accepts each node, and infers subtypes of the types of its outputs;
//   5. the graphs in control nodes satisfy these rules, and fit the node that contains them;
//   6. each result is an existing edge.
// INTERNAL, with the node.
Status Verify(const FlatGraph& graph);

}  // namespace signet
