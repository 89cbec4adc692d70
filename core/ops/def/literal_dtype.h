// Literal dtype: what plain values become where tensors are wanted.
//
//   3  =>  int32      5000000000  =>  int64      1.5  =>  float32      list(1, 2.5)  =>  float32
//
// Stateless; thread-safe.

#pragma once

#include <span>

#include "signet/dtype.h"
#include "signet/type_spec.h"

namespace signet {

// Whether `spec` is a literal, or a list or tuple of such: what may become a tensor.
bool IsPlain(const TypeSpec& spec);
bool IsNone(const TypeSpec& spec);

// What a literal, or a list of such, becomes by itself.
DType DefaultDType(const TypeSpec& spec);

// What literals that share a dtype become: ints with a float among them are floats; a wide int
// widens the others.
DType JoinedDType(std::span<const TypeSpec> specs);

}  // namespace signet
