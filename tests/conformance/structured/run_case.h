// Structured vectors, one case: runs its operation and compares the answer with what it expects.

#pragma once

#include <string>
#include <string_view>

#include "tests/conformance/structured/table.h"

namespace signet::structured_vectors {

// The outcome of a case, as text from the process that ran it.
inline constexpr std::string_view kPassed = "passed";
inline constexpr std::string_view kPassedWithSizes = "passed, sizes needed";
inline constexpr std::string_view kSkipped = "skipped: ";

// Returns one of the texts above (with the missing operation after kSkipped), or else what is
// wrong.
std::string RunCase(const VectorFile& file, const Json& json);

}  // namespace signet::structured_vectors
