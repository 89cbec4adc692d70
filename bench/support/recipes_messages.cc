#include "bench/support/recipes_messages.h"

#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/util/json_util.h>

#include "bench/support/recipes.pb.h"

namespace signet {
namespace {

void Append(const std::string& text, TextColumn& out) {
  out.text.append(text);
  out.ends.push_back(static_cast<int64_t>(out.text.size()));
}

}  // namespace

std::string RecipesDescriptorSet() {
  google::protobuf::FileDescriptorSet set;
  bench::Recipe::descriptor()->file()->CopyTo(set.add_file());
  return set.SerializeAsString();
}

StatusOr<std::vector<std::string>> RecipesRows(std::string_view json) {
  bench::Recipes recipes;
  auto parsed =
      google::protobuf::util::JsonStringToMessage(Cat("{\"recipes\": ", json, "}"), &recipes);
  if (!parsed.ok()) return InvalidArgument(parsed.ToString());
  std::vector<std::string> rows;
  for (const auto& recipe : recipes.recipes()) rows.push_back(recipe.SerializeAsString());
  return rows;
}

RecipesColumns ParseAndCopy(const std::vector<std::string>& rows) {
  RecipesColumns out;
  bench::Recipe recipe;  // keeps its memory between rows
  for (const std::string& row : rows) {
    if (!recipe.ParseFromString(row)) return {};
    Append(recipe.title(), out.title);
    out.estimated_time.push_back(recipe.estimated_time());
    for (const auto& ingredient : recipe.ingredients()) {
      out.amount.push_back(ingredient.amount());
      Append(ingredient.unit(), out.unit);
      Append(ingredient.name(), out.name);
    }
    out.ingredients.push_back(static_cast<int64_t>(out.amount.size()));
    for (const auto& step : recipe.steps()) Append(step.description(), out.description);
    out.steps.push_back(static_cast<int64_t>(out.description.ends.size()));
    for (const auto& rating : recipe.user_ratings()) {
      out.user_embedding.insert(out.user_embedding.end(), rating.user_embedding().begin(),
                                rating.user_embedding().end());
      out.score.push_back(rating.score());
    }
    out.user_ratings.push_back(static_cast<int64_t>(out.score.size()));
  }
  return out;
}

}  // namespace signet
