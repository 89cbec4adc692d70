// FindChild: finds an element of a list, tuple, dict, named tuple, or extension value.

#pragma once

#include <string_view>

#include "signet/type_spec.h"

namespace signet {

// Returns the position in spec.children() of the dict key, the field, or the component `name`.
// NOT_FOUND lists the existing names. INVALID_ARGUMENT means that a value of this type has no
// names.
StatusOr<size_t> FindChild(const TypeSpec& spec, std::string_view name);

// Returns the position of element `index`. A negative index counts from the end. Returns an error
// for a type without positions.
StatusOr<size_t> FindChild(const TypeSpec& spec, int64_t index);

}  // namespace signet
