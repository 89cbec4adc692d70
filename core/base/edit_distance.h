// EditDistance: counts the typing errors between two names.
//
//   EditDistance("titel", "title")  =>  1
//
// Stateless; thread-safe. The time is proportional to the product of both lengths.

#pragma once

#include <cstddef>
#include <string_view>

namespace signet {

// Returns the number of letters to insert, remove, replace, or swap with a neighbor.
size_t EditDistance(std::string_view a, std::string_view b);

}  // namespace signet
