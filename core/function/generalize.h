// Generalize: returns a type that accepts a request and the types of existing targets.
//
//   request (x: float32[3]), targets (x: float32[2]), (y: float32[2])  =>  (x: float32[?])
//
// Used if requests bring many shapes, so that one function serves all of them. Stateless;
// thread-safe.

#pragma once

#include <span>

#include "signet/function_type.h"

namespace signet {

// Computes the common subtype with each target in turn. Targets without a common subtype (because
// the number, name, or kind of parameters, a literal, or a dtype differs) are skipped. The captures
// of the other targets are included.
FunctionType Generalize(const FunctionType& request, std::span<const FunctionType> targets);

}  // namespace signet
