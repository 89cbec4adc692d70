// Elementwise: what the ops that work element by element share, whatever their table or file.
//
// Operands broadcast as numpy's do. Ragged operands take part by their flat values. Stateless.

#pragma once

#include <optional>
#include <string_view>

#include "core/ops/op.h"
#include "core/types/tensor_spec.h"

namespace signet {

// Groups of dtypes that ops take.
enum class DTypeGroup : uint8_t {
  kBool,
  kInteger,
  kReal,   // integers and floats
  kFloat,  // float16, bfloat16, float32, float64
  kFloatOrComplex,
  kNumeric,  // integers, floats and complex
  kOrdered,  // real and string
  kAny,
};
bool Contains(DTypeGroup group, DType dtype);
std::string_view NameOf(DTypeGroup group);  // `an integer or float dtype`

// The type of input `i`: a tensor (C1) of a dtype in `group` (C2).
StatusOr<const TensorSpec*> TensorInputOf(const OpCall& call, size_t i, DTypeGroup group);

// Refuses, under `label`, inputs `i` and `j` of two dtypes.
Status CheckSameDType(const OpCall& call, size_t i, size_t j, std::string_view label);

// The shape that all inputs of `call` broadcast to; refused under `label`.
StatusOr<PartialShape> BroadcastInputs(const OpCall& call, std::string_view label);

// The op on ragged operands: they and the tensors beside broadcast to common rows
// (broadcast_rows.h), and the op runs once, on the flat values.
//
//   ragged float32[?, (?)] + ragged float32[?, (?)]  =>  the sum of their values, as they are when
//   the partitions are the very same, else after a comparison;  + float32[?, 1]  =>  each value
//   plus what is in the row
//
// Structures and sparse values: UNIMPLEMENTED.
StatusOr<std::vector<GraphValue>> ExpandElementwise(Expander& expander, const OpCall& call,
                                                    std::span<const GraphValue> inputs);
// The same, but input 0 does not stretch: others broadcast to it.
StatusOr<std::vector<GraphValue>> ExpandBesideFirst(Expander& expander, const OpCall& call,
                                                    std::span<const GraphValue> inputs);

}  // namespace signet
