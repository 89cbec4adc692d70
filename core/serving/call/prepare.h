// PrepareCall: makes a bound call ready to run: decodes, casts, and selects the concrete function.
//
// If the deferral of the control stops the call, PrepareCall is called again on another thread. It
// continues with what it has found by then, which is kept in the BoundCall. Not thread-safe for one
// call.

#pragma once

#include "core/formats/common/limits.h"
#include "core/serving/call/bind.h"

namespace signet {

// Decodes only the columns that a result needs, unless the call needs all columns. Rejects types in
// place of values, which only Explain accepts.
StatusOr<PolymorphicFunction::Prepared> PrepareCall(BoundCall& call, const Limits& limits,
                                                    const RunControl& control);

// What a step returns that was stopped: its result has no meaning.
inline Status StoppedCall() { return Unavailable("the call continues on another thread"); }

}  // namespace signet
