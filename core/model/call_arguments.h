// Call arguments: converts the arguments of a received call to values.
//
// An argument in another format is decoded under the type of the parameter that it goes to, which
// binding tells by counts and names alone. Stateless; thread-safe.

#pragma once

#include <string>

#include "core/formats/signet_wire/wire.h"
#include "core/model/model.h"

namespace signet {

// `function` is of `model`, whose message types rows may have. Refuses with
// the faults of binding and of the format, the latter with the parameter's path.
StatusOr<CallArguments> DecodeArguments(const Model& model, const Function& function,
                                        wire::CallRequest request, const Limits& limits,
                                        Deferral* deferral = nullptr);

// The call made ready. Of an argument in another format, under a type, only what a result of the
// function needs is decoded, where types alone tell what that is; the rest has empty rows and zeros
// in its place. Refuses types in place of values, which only Explain takes. If the deferral of
// `control` stops the call, `request` can be prepared again.
StatusOr<Function::Prepared> PrepareCall(const Model& model, const Function& function,
                                         wire::CallRequest&& request, const Limits& limits,
                                         const RunControl& control);

// What messages call a positional argument: its parameter, `rest_0` of *rest, or `args[2]` where
// the signature takes fewer.
std::string PositionalName(const FunctionType& type, size_t index);

}  // namespace signet
