// Nest children: finding an element of a list, tuple, dict, named tuple or extension value.

#pragma once

#include <string_view>

#include "signet/type_spec.h"

namespace signet {

// The position in spec.children() of what is called `name`: a dict's key, a named tuple's field or
// an extension value's component. NOT_FOUND lists the names; INVALID_ARGUMENT when there are none.
StatusOr<size_t> FindChild(const TypeSpec& spec, std::string_view name);

// The position of element `index`, which counts from the end when it is below 0. Refuses
// types without positions.
StatusOr<size_t> FindChild(const TypeSpec& spec, int64_t index);

}  // namespace signet
