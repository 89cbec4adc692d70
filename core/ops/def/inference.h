// Inference: what the rules of many ops begin with: inputs that must be there, axes, labels,
// limits.
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

#include "core/ops/def/op_def.h"
#include "signet/literal_spec.h"
#include "signet/tensor_spec.h"

namespace signet {

// Elements that an op may make of little input: tile, pad, range and their like refuse more.
inline constexpr int64_t kMaxOutputElements = int64_t{1} << 31;
inline constexpr int kMaxOutputRank = 64;  // as many axes as a set of axes (reductions.h) has bits

// The label of a constraint before the sentence: `C2 axis 5 of ..`. OK stays OK.
Status Labelled(std::string_view label, Status status);
template <class T>
StatusOr<T> Labelled(std::string_view label, StatusOr<T> value) {
  if (value.ok()) return value;
  return Labelled(label, value.status());
}

inline bool HasInput(const OpCall& call, size_t i) {
  return i < call.inputs.size() && static_cast<bool>(call.inputs[i]);
}

// The type of input `i`; refuses, under label C1, one that was left out.
StatusOr<const TensorSpec*> TensorInput(const OpCall& call, size_t i);

// An attribute that is an axis of `rank` dimensions, made to count from 0.
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
// The same of the dimensions that are known.
Status CheckOutputSize(const PartialShape& shape);

// The product of dimensions [first, last) of `shape`; unknown when one of them is, unless one is 0.
int64_t KnownProduct(const PartialShape& shape, int first, int last);

// Whether `spec` is int32 or int64: what indices and lengths are made of.
bool IsIndexDType(DType dtype);

// The elements of an int32 or int64 tensor.
std::vector<int64_t> IntsOf(const Tensor& tensor);

inline std::vector<TypeSpec> OneOutput(TypeSpec spec) {
  std::vector<TypeSpec> out;
  out.push_back(std::move(spec));
  return out;
}

}  // namespace signet
