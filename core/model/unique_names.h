// UniqueNames: converts names in models of other formats to different identifiers.
//
//   `conv1/relu:0` => `conv1_relu_0`      `0.weight` => `_0_weight`      `lambda` => `lambda_`
//
// An underscore replaces each character other than a letter, a digit, or an underscore. It is also
// put before a leading digit or an empty name, and after a keyword of Python. If a name exists, the
// next one ends in `_2`, `_3`, and so on. Not thread-safe.

#pragma once

#include <string>
#include <string_view>

#include <absl/container/flat_hash_map.h>

namespace signet {

class UniqueNames {
 public:
  // Returns an identifier for `text` that no earlier call returned.
  std::string Make(std::string_view text);

 private:
  absl::flat_hash_map<std::string, int> counts_;  // how often each name was made
};

}  // namespace signet
