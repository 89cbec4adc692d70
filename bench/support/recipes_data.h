// RecipesData: the records of examples/recipes, which formats and whole calls are measured with.
//
// Read from the current folder, which is the project's.

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

// The JSON list of all recipes.
StatusOr<std::string> ReadRecipes();
// A list of them all, `times` over.
std::string RepeatRecipes(std::string_view recipes, size_t times);

}  // namespace signet
