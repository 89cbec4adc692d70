// Function vectors, cases: runs one case of one file through the library.

#pragma once

#include <string>
#include <string_view>

#include "tests/conformance/function_vectors_json.h"

namespace signet::vectors {

// What is wrong with the library's answer; empty when it is as the case expects.
using RunCase = std::string (*)(const Json& one);

// How the cases of `bind.json` and so on are run; null for a file that nobody knows.
RunCase LookupRunner(std::string_view file);

}  // namespace signet::vectors
