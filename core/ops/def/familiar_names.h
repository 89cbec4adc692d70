// FamiliarNames: the names that numpy, TensorFlow, or PyTorch use for ops that have another name in
// Signet, for hints in errors.
//
//   LookupFamiliarName("subtract")  =>  "sub"
//
// Stateless; thread-safe.

#pragma once

#include <span>
#include <string_view>
#include <utility>

namespace signet {

// Returns the op that corresponds to `name` in another library, or an empty name if there is none.
std::string_view LookupFamiliarName(std::string_view name);

// Returns all pairs of a name in another library and an op, sorted by the first name.
std::span<const std::pair<std::string_view, std::string_view>> FamiliarNames();

}  // namespace signet
