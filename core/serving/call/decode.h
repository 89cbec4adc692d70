// Decode: converts the encoded arguments of a bound call to values, under the types of their
// parameters.
//
// On a thread that may only do what is short, decoding stops the call (Deferral) if it may take
// long. Arguments that are decoded by then are kept. Errors start with the argument: ``argument
// `rows`: byte 8: `[0].id` ..``. Not thread-safe for one call.

#pragma once

#include <vector>

#include "core/formats/common/limits.h"
#include "core/serving/call/bind.h"

namespace signet {

// Decodes all arguments that are not decoded yet, with all their components.
Status DecodeArguments(BoundCall& call, const Limits& limits, Deferral* deferral = nullptr);

// Decodes only the JSON arguments that state their types, with a key `$type`. The type of the
// parameter is not that of the value, which may still be converted.
Status DecodeTypedArguments(BoundCall& call, const Limits& limits, Deferral* deferral = nullptr);

// Decodes `argument`, and of its components only those in `needs` (empty: all).
StatusOr<Value> DecodeArgument(const BoundCall& call, const BoundArgument& argument,
                               const Limits& limits, Deferral* deferral,
                               const std::vector<bool>& needs = {});

// Puts the value of `argument` among the arguments of the call.
void SetDecoded(BoundCall& call, BoundArgument& argument, Value value);

// Returns the place of the value of `argument` in `arguments`.
Value& ValueOf(CallArguments& arguments, const BoundArgument& argument);

}  // namespace signet
