// RunThreeWays: runs an op on values, in a function that is specialized for exactly their types,
// and in a function that is specialized for types with an unknown size of dimension 0. All results
// must agree.

#pragma once

#include "tests/conformance/structured/compare.h"

namespace signet::structured_vectors {

enum class Sizes : uint8_t {
  kForgotten,  // runs all three ways
  kNeeded,     // runs two ways, because the number of outputs or something else depends on the size
};

// Returns the results of each way, or the error of all ways. Throws if the ways differ.
StatusOr<Answer> RunThreeWays(std::string_view op, std::vector<Value> inputs,
                              const Attributes& attributes = {}, Sizes sizes = Sizes::kForgotten);

}  // namespace signet::structured_vectors
