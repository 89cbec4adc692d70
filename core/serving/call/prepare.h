// PrepareCall: decodes and casts the arguments of a bound call, and selects the concrete function.
//
// If the deferral of the control stops the call, PrepareCall is called again on another thread. It
// continues with the state in the BoundCall. Not thread-safe for one call.

#pragma once

#include "core/formats/common/limits.h"
#include "core/serving/call/bind.h"

namespace signet {

// Decodes only the columns that a result needs, unless the call needs all columns. Rejects types in
// place of values, which only Explain accepts.
StatusOr<PolymorphicFunction::Prepared> PrepareCall(BoundCall& call, const Limits& limits,
                                                    const RunControl& control);

// Returns the status of a step that was stopped, which has no meaning.
inline Status StoppedCall() { return Unavailable("the call continues on another thread"); }

}  // namespace signet
