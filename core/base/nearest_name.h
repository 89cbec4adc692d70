// NearestName: suggests the name that the author of an unknown name probably meant.
//
//   NearestName("tittle", {"title", "score"})  =>  "title"
//
// Counts letters that were left out, inserted, replaced, or swapped with a neighbor. Stateless;
// thread-safe.

#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace signet {

// Returns the first of the nearest `names`, or empty if none is close: at most a third of the
// longer name may differ.
std::optional<std::string_view> NearestName(std::string_view name,
                                            std::span<const std::string_view> names);

}  // namespace signet
