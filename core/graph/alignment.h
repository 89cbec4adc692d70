// CheckAlignment: rejects a node that pairs two dimensions which its author distinguished.
//
//   mul(orders.items.price, orders.rate)
//     =>  `mul`: C4 dimension 1 of `orders.items.price` (rows of `orders.items`) is aligned with
//         dimension 0 of `orders.rate` (rows of `orders`), ...; write `orders.rate[:, None]` ...
//
// Applies to the nodes of a function as its author wrote them, not to what they expand to, and to
// Signet's own ops: `onnx.*` ops align by position alone, as the ONNX standard says. Which
// dimensions are distinguished is explained in dimension_ids.h. Stateless.

#pragma once

#include <span>
#include <string>

#include "core/graph/flat_builder.h"

namespace signet {

// `names` are what the author calls the inputs, such as `orders.rate`; empty for plain values.
Status CheckAlignment(const FlatBuilder& builder, const OpDef& op, const Attributes& attributes,
                      std::span<const GraphValue> inputs, std::span<const std::string> names);

}  // namespace signet
