// FlatValues: expands an op on ragged values to the same op on their flat values.
//
//   lookup(ragged string[?, (?)], string[100])  =>  ragged int64[?, (?)], with the same row splits
// An OpDef uses ExpandOnFlatValues as its `expand` if the op processes the elements of its ragged
// inputs one by one, and its other inputs apply to all elements.

#pragma once

#include "core/ops/def/op_def.h"

namespace signet {

// All ragged inputs must have the same row splits. Row splits that are not known to be equal are
// compared at run time. Each output of the op becomes ragged.
StatusOr<std::vector<GraphValue>> ExpandOnFlatValues(OpBuilder& build, const OpCall& call,
                                                     std::span<const GraphValue> inputs);

}  // namespace signet
