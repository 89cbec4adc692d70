// TypeMismatch: attaches the two tensor types of an error to its status, so that a protocol can
// state them in words of its own.
//
//   WithTypes(expected, found, InvalidArgument("expected `int32[2]`, found `float32[2]`"))
//
// The types are a detail of the status and not a part of the message.

#pragma once

#include <optional>
#include <string>

#include "signet/status.h"
#include "signet/type_spec.h"

namespace signet {

// Attaches the types if both are tensors. An OK status stays OK.
Status WithTypes(const TypeSpec& expected, const TypeSpec& found, Status status);

struct TypeMismatch {
  std::string expected;  // in the notation
  std::string found;
};

// Returns the attached types, or nothing.
std::optional<TypeMismatch> TypesOf(const Status& status);

}  // namespace signet
