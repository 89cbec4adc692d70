// EditDistance: counts the typing errors between two names.
//
//   EditDistance("titel", "title")  =>  1
//
// Stateless; thread-safe. Takes time in proportion to the product of both lengths.

#pragma once

#include <cstddef>
#include <string_view>

namespace signet {

// Returns how many letters have to be added, dropped, replaced, or swapped with a neighbor.
size_t EditDistance(std::string_view a, std::string_view b);

}  // namespace signet
