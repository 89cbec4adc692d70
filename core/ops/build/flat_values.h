// Flat values: an op on ragged values as the same op on their flat values.
//
//   lookup(ragged string[?, (?)], string[100])  =>  ragged int64[?, (?)], the row splits as they
//   were
//
// An OpDef uses ExpandOnFlatValues as its `expand` when, on tensors, it takes element by element of
// its ragged inputs, and other inputs stand for all elements alike.

#pragma once

#include "core/ops/def/op_def.h"

namespace signet {

// Every ragged input must have the same row splits; where that is not known, they are compared at
// run time. Each output of the op becomes ragged.
StatusOr<std::vector<GraphValue>> ExpandOnFlatValues(OpBuilder& build, const OpCall& call,
                                                     std::span<const GraphValue> inputs);

}  // namespace signet
