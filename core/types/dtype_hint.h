// HintForDType: suggests the dtype that the author of an unknown name probably meant.
//
//   HintForDType("float23")  =>  "; did you mean `float32`?"
//
// Stateless; thread-safe.

#pragma once

#include <string>
#include <string_view>

namespace signet {

// Returns the hint for names that resemble a dtype and for types of Python, or an empty text.
std::string HintForDType(std::string_view name);

}  // namespace signet
