// CheckModels: finds, without a server, what a server would reject in a model, and runs its
// examples.
//
//   auto checked = CheckModels("models");     // or one model, models/recipes, or one version of it
//   for (const CheckedModel& model : *checked) std::cout << RenderCheck(model);
//
// A model is loaded as a server loads it, with its settings.textproto. After an error in one
// function, the others are checked, too. Stateless.

#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/serving/examples/argument_words.h"
#include "signet/status.h"

namespace signet {

// One version of a model.
struct CheckedModel {
  std::string name;                    // `recipes/1`, or a path for models with wrong names
  std::vector<Status> errors;          // why a server would not load it, or an example fails
  std::vector<std::string> warnings;   // valid parts that may not be intended
  std::vector<std::string> functions;  // the signatures that clients see
  int examples = 0;                    // number of examples that were run
};

// Checks the models in `path`: a directory of models, of one model, or of one version. Returns
// NOT_FOUND if the directory does not exist or contains no model.
StatusOr<std::vector<CheckedModel>> CheckModels(const std::filesystem::path& path);

// Formats the outcome for people: `ok`, or the errors and warnings.
std::string RenderCheck(const CheckedModel& model);

}  // namespace signet
