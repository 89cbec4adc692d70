// RecipesRows, ParseAndCopy: return the recipes as serialized messages, and as columns without
// Signet.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "signet/status.h"

namespace signet {

// Returns a serialized FileDescriptorSet that contains signet.bench.Recipe.
std::string RecipesDescriptorSet();
// Converts a JSON list of recipes to messages signet.bench.Recipe.
StatusOr<std::vector<std::string>> RecipesRows(std::string_view json);

// Texts, one after another, and the end of each.
struct TextColumn {
  std::string text;
  std::vector<int64_t> ends;
};

struct RecipesColumns {
  TextColumn title;
  std::vector<int32_t> estimated_time;
  std::vector<int64_t> ingredients;  // the end of the ingredients of each recipe
  std::vector<float> amount;
  TextColumn unit;
  TextColumn name;
  std::vector<int64_t> steps;
  TextColumn description;
  std::vector<int64_t> user_ratings;
  std::vector<float> user_embedding;
  std::vector<float> score;
};

// Parses each row with the generated class of protobuf, and copies its fields into columns.
RecipesColumns ParseAndCopy(const std::vector<std::string>& rows);

}  // namespace signet
