// TensorInput, AxisAttribute, CheckOutputSize: functions that the `infer` functions of many ops use
// to read inputs and axes, to label errors, and to check limits.
//
//   SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorInput(call, 0));
//   SIGNET_ASSIGN_OR_RETURN(int axis, AxisAttribute(call, "axis", x->shape().rank(), "C2"));
//
// Stateless; thread-safe.

#pragma once

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/constraint.h"
#include "core/ops/def/op_def.h"
#include "signet/literal_spec.h"
#include "signet/tensor_spec.h"

namespace signet {

// The largest number of elements that an op such as tile, pad, or range may make from small inputs.
inline constexpr int64_t kMaxOutputElements = int64_t{1} << 31;
inline constexpr int kMaxOutputRank = 64;  // the number of bits in an AxisSet

inline bool HasInput(const OpCall& call, size_t i) {
  return i < call.inputs.size() && static_cast<bool>(call.inputs[i]);
}

// Returns the type of input `i`, or an error with the label C1 if it is missing or not a tensor.
StatusOr<const TensorSpec*> TensorInput(const OpCall& call, size_t i);

// Returns the value of an attribute that is an axis of `rank` dimensions. A negative axis is
// converted to an axis that counts from 0.
StatusOr<int> AxisAttribute(const OpCall& call, std::string_view name, int rank,
                            std::string_view label);

// Attributes that may be None.
TypeSpec NoneAttribute();
bool IsNone(const Attributes& attributes, std::string_view name);
StatusOr<std::optional<std::vector<int64_t>>> OptionalInts(const Attributes& attributes,
                                                           std::string_view name);

// Rejects dimensions below 0 and more than kMaxOutputRank dimensions (INVALID_ARGUMENT), and more
// than kMaxOutputElements elements (RESOURCE_EXHAUSTED).
Status CheckOutputSize(std::span<const int64_t> dims);
// Like the function above; unknown dimensions are not checked.
Status CheckOutputSize(const PartialShape& shape);

// Returns the product of the dimensions [first, last) of `shape`. It is 0 if one of them is 0, and
// otherwise unknown if one of them is unknown.
int64_t KnownProduct(const PartialShape& shape, int first, int last);

// Returns true if `dtype` is int32 or int64, the dtypes of indices and lengths.
bool IsIndexDType(DType dtype);

// Returns the elements of an int32 or int64 tensor.
std::vector<int64_t> IntsOf(const Tensor& tensor);

inline std::vector<TypeSpec> OneOutput(TypeSpec spec) {
  std::vector<TypeSpec> out;
  out.push_back(std::move(spec));
  return out;
}

}  // namespace signet
