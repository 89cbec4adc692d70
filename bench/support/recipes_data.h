// ReadRecipes, RepeatRecipes: return the records of examples/recipes for benchmarks.
//
// Reads from the working directory, which must be the root of the repository.

#pragma once

#include <string>
#include <string_view>

#include "signet/status.h"

namespace signet {

inline constexpr std::string_view kRecipesType =
    "[{title: string[], estimated_time: int32[], "
    "ingredients: [{amount: float32[], unit: string[], name: string[]}], "
    "steps: [{description: string[]}], "
    "user_ratings: [{user_embedding: float32[16], score: float32[]}]}]";

// Returns the JSON list of all recipes.
StatusOr<std::string> ReadRecipes();
// Returns a list that repeats all recipes `times` times.
std::string RepeatRecipes(std::string_view recipes, size_t times);

}  // namespace signet
