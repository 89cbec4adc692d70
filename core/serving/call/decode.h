// DecodeArguments: converts the encoded arguments of a bound call to values, under the types of
// their parameters.
//
// On a thread for short work only, decoding stops the call (Deferral) if it may take long.
// Arguments that are decoded by then are kept. Errors start with the argument: ``argument `rows`:
// byte 8:
// `[0].id` ...``. Not thread-safe for one call.

#pragma once

#include <vector>

#include "core/formats/common/limits.h"
#include "core/serving/call/bind.h"

namespace signet {

// Decodes all arguments that are not decoded yet, with all their components.
Status DecodeArguments(BoundCall& call, const Limits& limits, Deferral* deferral = nullptr);

// Decodes only the JSON arguments that state their types with a key `$type`. Their types may differ
// from the types of their parameters, to which they may still be converted.
Status DecodeTypedArguments(BoundCall& call, const Limits& limits, Deferral* deferral = nullptr);

// Decodes `argument`, but only the components in `needs` (all if `needs` is empty).
StatusOr<Value> DecodeArgument(const BoundCall& call, const BoundArgument& argument,
                               const Limits& limits, Deferral* deferral,
                               const std::vector<bool>& needs = {});

// Sets the value of `argument` in the arguments of the call.
void SetDecoded(BoundCall& call, BoundArgument& argument, Value value);

// Returns the value of `argument` in `arguments`.
Value& ValueOf(CallArguments& arguments, const BoundArgument& argument);

}  // namespace signet
