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

// The op on ragged operands: the same op on their flat values.
//
//   ragged float32[?, (?)] + ragged float32[?, (?)] => the sum of values, when the partitions are
//   the very same; + float32[] => each value plus it
//
// Dense operands may only broadcast within the flat values' own dimensions.
StatusOr<std::vector<GraphValue>> ExpandElementwise(Expander& expander, const OpCall& call,
                                                    std::span<const GraphValue> inputs);

}  // namespace signet
