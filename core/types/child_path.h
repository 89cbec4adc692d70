// ChildPath: names the children of a type in messages and in lists of leaves.
//
//   `recipes[3].title`: child `title` of child 3 of child `recipes`
//
// Elements of lists and tuples are named by position, all others by name. Stateless; thread-safe.

#pragma once

#include <span>
#include <string>
#include <string_view>

#include "signet/type_spec.h"

namespace signet {

// Returns the names of the children, valid as long as `spec`, or nothing if they have no names.
std::span<const std::string> ChildNames(const TypeSpec& spec);

// Returns the last step of the path of child `i` of `spec`: `[3]`, `title`.
std::string ChildStep(const TypeSpec& spec, size_t i);

// Returns the path of child `i` of `spec`, which is at `path`: `recipes[3]`, `recipes.title`.
std::string ChildPath(std::string_view path, const TypeSpec& spec, size_t i);

// Returns the type as text for a message. A long text is cut and ends in `..`.
std::string BriefOf(const TypeSpec& spec);

}  // namespace signet
