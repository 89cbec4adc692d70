// Generalize: a type wide enough for a request and for the targets that are already there.
//
//   request (x: float32[3]), targets (x: float32[2]), (y: float32[2])  =>  (x: float32[?])
//
// Used when shapes churn, so that one function is made where many would be. Stateless; thread-safe.

#pragma once

#include <span>

#include "signet/function_type.h"

namespace signet {

// Takes the common subtype with each target in turn; targets that have none (of another arity,
// name, kind, literal or dtype) are left out. Captures of the others are taken over.
FunctionType Generalize(const FunctionType& request, std::span<const FunctionType> targets);

}  // namespace signet
