// make_recipes_model: writes the model that scores recipes for a user; an example of ModelBuilder.
//
//   make_recipes_model examples/recipes/ingredients.txt examples/models/recipes/1
//
// The numbers are not trained. The embedding of an ingredient contains its tastes from
// ingredients.txt and a little noise from a fixed seed, so that the files are the same each time.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "signet/model_builder.h"

namespace signet {
namespace {

constexpr size_t kTastes = 16;
constexpr uint32_t kSeed = 20190910;

constexpr char kRecipes[] =
    "[{title: string[], estimated_time: int32[], "
    "ingredients: [{amount: float32[], unit: string[], name: string[]}], "
    "steps: [{description: string[]}], "
    "user_ratings: [{user_embedding: float32[16], score: float32[]}]}]";
constexpr char kScored[] =
    "[{title: string[], score: float32[], ingredients: [{name: string[], weight: float32[]}]}]";

struct Vocabulary {
  std::vector<std::string> words;
  std::vector<float> embeddings;  // [words, kTastes]
};

// A line is `almonds: nutty rich`; the line `tastes: ...` comes first and names the 16 numbers.
Vocabulary ReadVocabulary(const char* path) {
  Vocabulary out;
  std::vector<std::string> tastes;
  std::mt19937 noise(kSeed);
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    size_t colon = line.find(": ");
    if (line.empty() || line[0] == '#' || colon == std::string::npos) continue;
    std::istringstream in(line.substr(colon + 2));
    std::vector<std::string> flavors;
    for (std::string flavor; in >> flavor;) flavors.push_back(flavor);
    if (line.substr(0, colon) == "tastes") {
      tastes = flavors;
      continue;
    }
    std::vector<double> embedding(kTastes);
    for (double& x : embedding) x = (static_cast<double>(noise() % 1000) / 1000 - 0.5) / 10;
    double strength = 1;
    for (const std::string& flavor : flavors) {
      auto found = std::find(tastes.begin(), tastes.end(), flavor);
      if (found != tastes.end()) embedding[static_cast<size_t>(found - tastes.begin())] += strength;
      strength = 0.6;
    }
    double norm = 0;
    for (double x : embedding) norm += x * x;
    for (double x : embedding) out.embeddings.push_back(static_cast<float>(x / std::sqrt(norm)));
    out.words.push_back(line.substr(0, colon));
  }
  return out;
}

void AddScore(ModelBuilder& model) {
  model
      .AddFunction("score", Cat("(recipes: ", kRecipes, ", user_embedding: float32[16], /, ",
                                "top_k = 3, *, temperature: float32[] = 1.0) -> ", kScored))
      .Doc(
          "Returns how much a user will like each recipe, and the ingredients that mattered most.\n"
          "A score is between 0 and 1. It combines the ratings of users with similar tastes, the "
          "tastes of the ingredients, and the effort.")
      .ParameterDoc(
          "recipes",
          "any number of recipes; ingredients that are not in the vocabulary count as neutral")
      .ParameterDoc("user_embedding",
                    "the user's tastes, in the order of the metadata entry `tastes`")
      .ParameterDoc("top_k", "number of ingredients to return per recipe")
      .ParameterDoc(
          "temperature",
          "above 0; higher temperatures move scores toward 0.5, and make weights more equal")
      .Example(
          R"('[{"title": "Toast with Honey", "estimated_time": 5, )"
          R"("ingredients": [{"amount": 1, "unit": "tbsp", "name": "honey"}, )"
          R"({"amount": 10, "unit": "g", "name": "butter"}], "steps": [], "user_ratings": []}]' )"
          R"('[0.8, 0, 0, 0, 0, 0, 0.3, 0, 0, 0, 0, 0, 0.2, 0.5, 0, 0]' top_k=2)")
      .Example("@examples/recipes/recipes.json @examples/recipes/sweet_tooth.json top_k=2")
      .Batch({"recipes"})

      // The ratings of users with similar tastes: their mean, weighted by similarity.
      .Node("raters", "ragged_values", {"recipes.user_ratings.user_embedding"})
      .Node("rating_splits", "ragged_row_splits", {"recipes.user_ratings"})
      .Node("likeness", "matmul", {"raters", "user_embedding"})
      .Node("trust", "segment_softmax", {"likeness", "rating_splits"})
      .Node("ratings", "ragged_values", {"recipes.user_ratings.score"})
      .Node("opinions", "mul", {"trust", "ratings"})
      .Node("opinion", "segment_sum", {"opinions", "rating_splits"})
      .Node("num_ratings", "row_lengths", {"rating_splits"})
      .Node("is_rated", "greater", {"num_ratings", "0"})
      .Node("rating", "select", {"is_rated", "opinion", "float32[] 3.0"})

      // How much the user likes the tastes of the ingredients.
      .Node("tastes", "lookup_value",
            {"recipes.ingredients.name", "ingredient_names", "ingredient_embeddings"})
      .Node("flat_tastes", "ragged_values", {"tastes"})
      .Node("affinity", "matmul", {"flat_tastes", "user_embedding"})
      .Node("ingredient_splits", "ragged_row_splits", {"recipes.ingredients"})
      .Node("appeal", "segment_mean", {"affinity", "ingredient_splits"}, {{"default", 0.0}})

      // Minutes and steps, two numbers per recipe.
      .Node("minutes", "cast", {"recipes.estimated_time"}, {{"dtype", WrittenType{"float32"}}})
      .Node("step_splits", "ragged_row_splits", {"recipes.steps"})
      .Node("num_steps", "row_lengths", {"step_splits"})
      .Node("steps", "cast", {"num_steps"}, {{"dtype", WrittenType{"float32"}}})

      .Node("features", "stack", {"rating", "appeal", "minutes", "steps"}, {{"axis", 1}})
      .Node("weighted", "matmul", {"features", "feature_weights"})
      .Node("logit", "add", {"weighted", "bias"})
      .Node("tempered", "div", {"logit", "temperature"})
      .Node("score", "sigmoid", {"tempered"})

      // The ingredients that mattered most: per recipe, a list of any length.
      .Node("tempered_affinity", "div", {"affinity", "temperature"})
      .Node("weights", "segment_softmax", {"tempered_affinity", "ingredient_splits"})
      .Node("weight_rows", "ragged_from_row_splits", {"weights", "ingredient_splits"})
      .Node("weight_lists", "top_k", {"weight_rows", "top_k"})
      .Node("name_lists", "gather", {"recipes.ingredients.name", "weight_lists:1"},
            {{"batch_dims", 1}})
      .Node("ingredients", "struct_make", {"name_lists", "weight_lists"},
            {{"names", Strings{"name", "weight"}}})
      .Node("scored", "struct_make", {"recipes.title", "score", "ingredients"},
            {{"names", Strings{"title", "score", "ingredients"}}})
      .Result("scored");
}

void AddBest(ModelBuilder& model) {
  model
      .AddFunction("best", Cat("(recipes: ", kRecipes, ", user_embedding: float32[16], /, ",
                               "count = 3, *, temperature: float32[] = 1.0) -> ", kScored))
      .Doc("Returns the recipes with the highest scores of `score`, best first.")
      .ParameterDoc("count", "number of recipes to return, at most the number of recipes")
      .Example("@examples/recipes/recipes.json @examples/recipes/sweet_tooth.json count=5")
      .Node("scored", "call", {"recipes", "user_embedding", "temperature"},
            {{"function", NamedFunction{"score"}}, {"keywords", Strings{"temperature"}}})
      .Node("top", "top_k", {"scored.score", "count"})
      .Node("chosen", "gather", {"scored", "top:1"})
      .Result("chosen");
}

Status MakeModel(const char* ingredients, const char* folder) {
  Vocabulary vocabulary = ReadVocabulary(ingredients);
  auto count = static_cast<int64_t>(vocabulary.words.size());
  if (count == 0) return NotFound("no ingredients in `", ingredients, "`");
  std::vector<std::string_view> words(vocabulary.words.begin(), vocabulary.words.end());

  ModelBuilder model("Scores recipes for a user\nThe recipe task of the StructuredTensor RFC.");
  model.AddMetadata(
      "tastes",
      "sweet salty sour bitter umami spicy rich fresh hearty smoky herbal nutty fruity "
      "creamy starchy meaty");
  model.AddCapture("ingredient_names", Tensor::Strings({count}, words));
  model.AddCapture(
      "ingredient_embeddings",
      Tensor::Of<float>({count, kTastes}, std::span<const float>(vocabulary.embeddings)));
  // The weights of the rating (1 to 5), the appeal, the minutes, and the steps.
  model.AddCapture("feature_weights", Tensor::Of<float>({4}, {0.8f, 3.0f, -0.006f, -0.1f}));
  model.AddCapture("bias", Tensor::Scalar(-2.0f));
  AddScore(model);
  AddBest(model);
  return model.Save(folder);
}

}  // namespace
}  // namespace signet

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: make_recipes_model INGREDIENTS_FILE VERSION_FOLDER\n");
    return 2;
  }
  signet::Status status = signet::MakeModel(argv[1], argv[2]);
  if (status.ok()) return 0;
  std::fprintf(stderr, "make_recipes_model: %s\n", std::string(signet::MessageOf(status)).c_str());
  return 1;
}
