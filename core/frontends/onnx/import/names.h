// Names: names of ONNX values and nodes made into identifiers, no two the same.
//
//   `conv1/relu:0` => `conv1_relu_0`      `0.weight` => `_0_weight`      `lambda` => `lambda_`
//
// What is no letter, digit or underscore becomes an underscore; one goes before a leading digit and
// an empty name, and behind a word of Python. A name that is taken gets `_2`, `_3`, ... One thread.

#pragma once

#include <string>
#include <string_view>

#include <absl/container/flat_hash_map.h>

namespace signet {

class Names {
 public:
  // An identifier for `text` that nobody has yet.
  std::string Take(std::string_view text);

 private:
  absl::flat_hash_map<std::string, int> taken_;  // and how often it was asked for
};

}  // namespace signet
