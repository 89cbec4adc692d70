// CheckAlignment: rejects a node that pairs two dimensions which its author distinguished.
//
//   mul(orders.items.price, orders.rate)
//     =>  `mul`: C4 dimension 1 of `orders.items.price` (rows of `orders.items`) is aligned with
//         dimension 0 of `orders.rate` (rows of `orders`), ...; write `orders.rate[:, None]` ...
//
// The check applies to the nodes that the author of a function wrote, not to their expansions, and
// not to `onnx.*` ops, which the ONNX standard aligns by position alone. dimension_ids.h explains
// which dimensions are distinguished. Ops that broadcast, ops that put values next to each
// other, such as `stack` and `struct_make`, and ops that divide or index one value by another, such
// as `repeat_rows` and `boolean_mask`, are checked. Stateless.

#pragma once

#include <span>
#include <string>

#include "core/graph/lower/flat_builder.h"

namespace signet {

// `names` are the author's names of the inputs, such as `orders.rate`; empty for plain values.
//
// If the builder has AlignmentWarnings, adds a warning for each pair of dimensions that are aligned
// only by position. Both sizes are unknown before the call, the pair is not known to be one
// dimension, and either
//   1. the inputs differ in rank, so that the alignment from the last dimension matters, or
//   2. both are the first dimension of an input, the signature declares both, the model does not
//      state that they correspond, and neither input has a dimension of size 1, such as `None`
//      adds.
// After a pair was reported, or put into one structure, it counts as one dimension.
Status CheckAlignment(FlatBuilder& builder, const OpDef& op, const Attributes& attributes,
                      std::span<const GraphValue> inputs, std::span<const std::string> names);

}  // namespace signet
