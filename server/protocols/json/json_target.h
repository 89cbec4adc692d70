// JsonTarget: what the path of a request of the JSON API names.
//
//   /savings/labels/stable/functions/fees/explain
//     =>  {.model = "savings", .label = "stable", .function = "fees", .action = "explain"}
//   /savings            =>  {.model = "savings"}, the states of its versions
//   /savings/functions  =>  {.model = "savings", .lists_functions = true}
//
// Stateless; thread-safe.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "signet/status.h"

namespace signet {

struct JsonTarget {
  std::string model = {};  // empty: all models
  std::optional<int64_t> version = {};
  std::string label = {};
  bool lists_functions = false;  // the description of the model
  std::string function = {};
  // What is done with the function: `explain`, `profile`, `concrete_functions`; empty: it is called
  // or described.
  std::string action = {};
};

// Parses the part of a path after /v1/models. Returns nothing if the path is none of the JSON API.
StatusOr<std::optional<JsonTarget>> ParseJsonTarget(std::string_view path);

}  // namespace signet
