// best_recipes: loads the model of recipes and prints the best recipes for a user.
//
//   best_recipes examples/models/recipes examples/recipes/recipes.json
//       examples/recipes/sweet_tooth.json

#include <fstream>
#include <iostream>
#include <sstream>
#include <string>

#include "signet/json.h"
#include "signet/model.h"
#include "signet/notation.h"

namespace {

std::string ReadFile(const char* path) {
  std::stringstream out;
  out << std::ifstream(path).rdbuf();
  return out.str();
}

signet::Status PrintBest(const char* model_path, const char* recipes_path, const char* user_path) {
  SIGNET_ASSIGN_OR_RETURN(signet::Model model, signet::Model::Load(model_path));
  SIGNET_ASSIGN_OR_RETURN(signet::Function best, model.FindFunction("best"));

  // The signature determines how the JSON is read: a list of records is converted to columns.
  SIGNET_ASSIGN_OR_RETURN(signet::Value recipes,
                          best.ParseArgument("recipes", ReadFile(recipes_path)));
  SIGNET_ASSIGN_OR_RETURN(signet::Value user,
                          best.ParseArgument("user_embedding", ReadFile(user_path)));

  // Arguments by position, then by name. An integer literal is part of the type of the call.
  signet::Value count = signet::Value::OfLiteral(signet::Literal::Int(2));
  SIGNET_ASSIGN_OR_RETURN(signet::Value rows, best.Call({recipes, user, count}));
  SIGNET_ASSIGN_OR_RETURN(std::string json, signet::FormatJson(rows));
  std::cout << json << "\n";

  // Errors state what was expected, and where.
  signet::Status error = best.Call({recipes, signet::Tensor::Scalar(1.0f)}).status();
  std::cout << "rejected: " << error.message() << "\n";
  return absl::OkStatus();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: best_recipes MODEL RECIPES.json USER.json\n";
    return 2;
  }
  signet::Status status = PrintBest(argv[1], argv[2], argv[3]);
  if (!status.ok()) std::cerr << "best_recipes: " << status.message() << "\n";
  return status.ok() ? 0 : 1;
}
