// LookupRunner: returns the function that runs one case of a file of function vectors.

#pragma once

#include <string>
#include <string_view>

#include "tests/conformance/function_vectors_json.h"

namespace signet::vectors {

// Returns what is wrong with the result, or an empty text if it is as the case expects.
using RunCase = std::string (*)(const Json& one);

// Returns the function that runs the cases of a file such as `bind.json`, or null for an unknown
// file.
RunCase LookupRunner(std::string_view file);

}  // namespace signet::vectors
