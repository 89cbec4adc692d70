// DTypeGroup: groups of dtypes that ops accept, and checks of inputs that many ops share.
//
// Stateless.

#pragma once

#include <string_view>

#include "core/ops/def/op_def.h"
#include "signet/tensor_spec.h"

namespace signet {

// Groups of dtypes that ops accept.
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

// Returns the type of input `i`. Returns an error if it is not a tensor (C1) or if its dtype is not
// in `group` (C2).
StatusOr<const TensorSpec*> TensorInputOf(const OpCall& call, size_t i, DTypeGroup group);

// Returns an error with the label `label` if inputs `i` and `j` have different dtypes.
Status CheckSameDType(const OpCall& call, size_t i, size_t j, std::string_view label);

// Returns the shape that all inputs of `call` broadcast to, or an error with the label `label`.
StatusOr<PartialShape> BroadcastInputs(const OpCall& call, std::string_view label);

}  // namespace signet
