// Nearest name: what somebody probably meant by a name that does not exist.
//
//   NearestName("tittle", {"title", "score"})  =>  "title"
//
// Counts letters left out, put in, replaced or swapped with a neighbor. Stateless; thread-safe.

#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace signet {

// The first of the nearest `names`; empty when none is close (a third of the longer name differs).
std::optional<std::string_view> NearestName(std::string_view name,
                                            std::span<const std::string_view> names);

}  // namespace signet
