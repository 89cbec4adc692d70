// FamiliarNames: the ops that numpy, TensorFlow, or PyTorch call by another name, for hints in
// errors.
//
//   LookupFamiliarName("subtract")  =>  "sub"
//
// Stateless; thread-safe.

#pragma once

#include <span>
#include <string_view>
#include <utility>

namespace signet {

// The op that does what `name` does elsewhere; empty if there is none.
std::string_view LookupFamiliarName(std::string_view name);

// All pairs of a name elsewhere and the op, sorted by the former.
std::span<const std::pair<std::string_view, std::string_view>> FamiliarNames();

}  // namespace signet
