// PlainResult: the result of an elementwise op on plain values, computed as Python does, so that it
// can have the dtype of the tensors that it meets later.
//
//   mul(2, 3)         =>  6, and x + 2 * 3 is x + 6 for each dtype of x
//   div(1, 3)         =>  0.3333333333333333
//   less(1.5, 2)      =>  True
//   cast(2, int16)    =>  nothing: the op states the dtype of its result
//   pow(2, -1)        =>  0.5, as in Python
//   mul(2**62, 2)     =>  nothing: the product exceeds int64
//
// Stateless; thread-safe.

#pragma once

#include <span>

#include "core/graph/body/graph.h"
#include "core/ops/build/op_builder.h"
#include "core/ops/def/op_def.h"

namespace signet {

// Returns the literal type of the result of `op` on literals, computed with 64 bits. Returns null
// if an input is not a literal, if the dtype of the result does not follow from the dtypes of the
// inputs, or if the call is an error, which the call on tensors reports.
TypeSpec PlainResult(const FunctionLibrary& library, const OpDef& op,
                     std::span<const GraphValue> inputs, const Attributes& attributes);

// Returns the literal with the value of element `i`, or null for complex numbers.
TypeSpec LiteralOfElement(const Tensor& tensor, int64_t i);

}  // namespace signet
