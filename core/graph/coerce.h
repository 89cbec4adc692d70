// Coerce: one type for values that come from different branches, or from round after round of a
// loop, and the calls that make each of them a value of it.
//
//   float32[2]            with  float32[3]             =>  float32[?]
//   3                     with  4                      =>  int32[]
//   0                     with  float64[]              =>  float64[]
//   float32[2, 3]         with  ragged float32[2, (?)]  =>  ragged float32[2, (?)]
//
// The most specific common supertype where there is one; else leaf by leaf of nests of one form:
// literals become tensors of the dtype beside them, or of their own; tensors become ragged.
// Stateless.

#pragma once

#include <span>

#include "core/ops/op.h"

namespace signet {

// `types` is not empty. INVALID_ARGUMENT with the two that have no type in common.
StatusOr<TypeSpec> JoinValueTypes(std::span<const TypeSpec> types);

// `value` as one of `type`, a join of its type with others.
StatusOr<GraphValue> CoerceTo(Expander& expander, const GraphValue& value, const TypeSpec& type);

}  // namespace signet
