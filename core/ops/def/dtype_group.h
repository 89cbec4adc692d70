// DTypeGroup: groups of dtypes that ops accept, and checks of inputs that many ops share.
//
// Stateless.

#pragma once

#include <string_view>

#include "core/ops/def/op_def.h"
#include "signet/tensor_spec.h"

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

}  // namespace signet
