// DefaultDType: the dtype of the tensor to which a literal is converted if an op expects a tensor.
//
//   3  =>  int32      5000000000  =>  int64      1.5  =>  float32      list(1, 2.5)  =>  float32
//
// Stateless; thread-safe.

#pragma once

#include <span>

#include "signet/dtype.h"
#include "signet/type_spec.h"

namespace signet {

// Returns true if `spec` is a literal, or a list or a tuple of literals, so that it can be
// converted to a tensor.
bool IsPlain(const TypeSpec& spec);
bool IsNone(const TypeSpec& spec);

// Returns the dtype of a literal, or of a list of literals, that is converted on its own.
DType DefaultDType(const TypeSpec& spec);

// Returns the common dtype of several literals. If one of them is a float, all of them are floats.
// If one of them does not fit into int32, all of them are int64.
DType JoinedDType(std::span<const TypeSpec> specs);

}  // namespace signet
