// ExplainCall, ExplainToMessage: what a client is told of a call that does not run. Stateless;
// thread-safe.

#pragma once

#include "core/serving/call/bind.h"
#include "signet/v1/service.pb.h"

namespace signet {

// Explains a call of `called`. `call` is the call, or why its arguments do not fit the parameters.
// The error in the result begins with the path of the function.
Explanation ExplainCall(const CalledFunction& called, StatusOr<BoundCall>& call,
                        const Limits& limits, const RunControl& control);

// Returns the name of an outcome: EXACT, SUPERTYPE, SPECIALIZED, or REFUSED.
std::string_view NameOf(Explanation::Outcome outcome);

// Explains a call of `called`. `call` is the call, or why its arguments do not fit the parameters.
// Errors are part of the response.
v1::ExplainResponse ExplainToMessage(const CalledFunction& called, StatusOr<BoundCall>& call,
                                     const Limits& limits, const RunControl& control);

}  // namespace signet
