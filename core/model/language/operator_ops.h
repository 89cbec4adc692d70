// OpOfBinary, OpOfUnary: return the op of an operator of the language.
//
//   x * y  =>  mul        x / y  =>  div with to_float=True
//
// Stateless; thread-safe.

#pragma once

#include <string_view>

#include "signet/record_spec.h"

namespace signet {

// Returns the op of an operator, such as `mul` for `*`. Empty for other texts.
std::string_view OpOfBinary(std::string_view text);
std::string_view OpOfUnary(std::string_view text);
// Returns the attributes of the op of an operator that are not the defaults: `/` divides integers
// as Python does.
NamedTypes AttributesOfOperator(std::string_view text);

}  // namespace signet
