// FunctionToProto: writes a function as the message of the native form: signature, defaults, nodes.
//
// Parameters, captures, literals and nodes are written as references
// (core/model/native/references.h). A node that a reference with a field or brackets creates, such
// as `x.amount`, is not written. Not thread-safe: functions of one model share the captures.

#pragma once

#include "core/graph/body/graph.h"
#include "signet/v1/model.pb.h"

namespace signet {

// Adds large defaults and literals to `captures`, which holds the captures of the model.
StatusOr<v1::Function> FunctionToProto(const FunctionDef& def, Captures& captures);

}  // namespace signet
