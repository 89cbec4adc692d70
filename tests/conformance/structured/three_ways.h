// Three ways: one op at once on values, in a function specialised for their very types, and in one
// specialised for types that leave the size of dimension 0 open. All must agree.

#pragma once

#include "tests/conformance/structured/compare.h"

namespace signet::structured_vectors {

enum class Sizes : uint8_t {
  kForgotten,  // runs all three ways
  kNeeded,     // the number of outputs, or what must be known beforehand, hangs on them: two ways
};

// The results of each way; a refusal that all ways share. Throws where ways differ.
StatusOr<Answer> RunThreeWays(std::string_view op, std::vector<Value> inputs,
                              const Attributes& attributes = {}, Sizes sizes = Sizes::kForgotten);

}  // namespace signet::structured_vectors
