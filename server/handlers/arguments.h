// Arguments: those of a received call, made into values.
//
// An argument in another format is decoded under the type of the parameter that it goes to, which
// binding tells by counts and names alone. Stateless; thread-safe.

#pragma once

#include "core/formats/wire.h"
#include "core/function/canonicalize.h"

namespace signet {

// UNIMPLEMENTED for the formats that are not read yet; the faults of binding and of JSON otherwise,
// with the parameter's path.
StatusOr<CallArguments> DecodeArguments(const FunctionType& type, wire::CallRequest request,
                                        const Limits& limits);

// Refuses types in place of values, which only Explain takes.
Status CheckNoPlaceholders(const FunctionType& type, const CallArguments& arguments);

}  // namespace signet
