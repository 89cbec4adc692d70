// WithConstraint: attaches the constraint of an op that a call violates to the status of the call.
//
//   return WithConstraint("C2", InvalidArgument("input 1: expected dtype `int32`"));
//
// A label is the number of a sentence under "Constraints" in the documentation of an op. It is a
// detail of the status and not a part of the message.

#pragma once

#include <string>
#include <string_view>

#include "signet/status.h"

namespace signet {

// Attaches `label` unless an op that this op is expanded to has attached its own. An OK status
// stays OK.
Status WithConstraint(std::string_view label, Status status);
template <class T>
StatusOr<T> WithConstraint(std::string_view label, StatusOr<T> value) {
  if (value.ok()) return value;
  return WithConstraint(label, std::move(value).status());
}

// Adds the name of the op to the attached label, if there is one and no op is named.
Status WithConstraintOp(std::string_view op, Status status);

// Returns true if a label is attached, and the op is not named.
bool LacksConstraintOp(const Status& status);

// Returns the name of the op and the label, such as `concat C2`, or only the label as long as no op
// is named. If none is attached, returns an empty string.
std::string ConstraintOf(const Status& status);

}  // namespace signet
