// RecipesMessages: the recipes as serialised messages, and how they become columns without Signet.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "signet/status.h"

namespace signet {

// A serialised FileDescriptorSet that has signet.bench.Recipe.
std::string RecipesDescriptorSet();
// The recipes of a JSON list, a signet.bench.Recipe each.
StatusOr<std::vector<std::string>> RecipesRows(std::string_view json);

// Texts one behind the other, and where each ends.
struct TextColumn {
  std::string text;
  std::vector<int64_t> ends;
};

struct RecipesColumns {
  TextColumn title;
  std::vector<int32_t> estimated_time;
  std::vector<int64_t> ingredients;  // where each recipe's end
  std::vector<float> amount;
  TextColumn unit;
  TextColumn name;
  std::vector<int64_t> steps;
  TextColumn description;
  std::vector<int64_t> user_ratings;
  std::vector<float> user_embedding;
  std::vector<float> score;
};

// Parses each row with protobuf's generated class, and copies what it has into columns.
RecipesColumns ParseAndCopy(const std::vector<std::string>& rows);

}  // namespace signet
