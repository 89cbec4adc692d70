// FamiliarNames: the names that numpy, TensorFlow, or PyTorch use for ops that have another name in
// Signet, for functions of numpy on traced values and for hints in errors.
//
//   LookupFamiliarName("subtract")     =>  "sub"
//   LookupFamiliarName("max")          =>  "reduce_max"
//   LookupFamiliarName("max", 2)       =>  "maximum"
//   LookupFamiliarExpression("hypot")  =>  "sqrt(x * x + y * y)"
//
// Stateless; thread-safe.

#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <utility>

namespace signet {

// Returns the op that corresponds to `name` in another library for a call with `num_values` values,
// or an empty name if there is none.
std::string_view LookupFamiliarName(std::string_view name, size_t num_values = 1);
// Returns what to write for a function of another library that no op computes alone: an expression
// of ops of the values x and y. Empty if there is none.
std::string_view LookupFamiliarExpression(std::string_view name);

// Return all pairs of a name in another library and an op or an expression, sorted by the name.
std::span<const std::pair<std::string_view, std::string_view>> FamiliarNames();
std::span<const std::pair<std::string_view, std::string_view>> FamiliarExpressions();

}  // namespace signet
