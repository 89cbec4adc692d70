// NearestName: suggests the name that the author of an unknown name probably meant.
//
//   NearestName("tittle", {"title", "score"})  =>  "title"
//
// Counts letters that were left out, inserted, replaced, or swapped with a neighbor. Stateless;
// thread-safe.

#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace signet {

// Returns the first of the nearest `names`, or empty if none is close: at most a third of the
// longer name may differ.
std::optional<std::string_view> NearestName(std::string_view name,
                                            std::span<const std::string_view> names);

// Returns "; the nearest is `title`" for an error, or an empty text if no name is close.
std::string NearestHint(std::string_view name, std::span<const std::string_view> names);
std::string NearestHint(std::string_view name, std::span<const std::string> names);

}  // namespace signet
