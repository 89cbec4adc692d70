// Child paths: what the children of a type are called in messages and lists of leaves.
//
//   `recipes[3].title`: child `title` of child 3 of child `recipes`
//
// Elements of lists and tuples are called by position, all others by name. Stateless; thread-safe.

#pragma once

#include <span>
#include <string>
#include <string_view>

#include "signet/type_spec.h"

namespace signet {

// The names of the children, as long as `spec` lives; empty where they have none.
std::span<const std::string> ChildNames(const TypeSpec& spec);

// Child `i` of `spec` by itself: `[3]`, `title`.
std::string ChildStep(const TypeSpec& spec, size_t i);

// Child `i` of `spec`, which is at `path`: `recipes[3]`, `recipes.title`.
std::string ChildPath(std::string_view path, const TypeSpec& spec, size_t i);

// The type for messages: a long one is cut, and ends in `..`.
std::string BriefOf(const TypeSpec& spec);

}  // namespace signet
