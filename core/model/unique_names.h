// UniqueNames: converts names in models of other formats to different identifiers.
//
//   `conv1/relu:0` => `conv1_relu_0`      `0.weight` => `_0_weight`      `lambda` => `lambda_`
//
// An underscore replaces each character other than a letter, a digit, or an underscore. It is also
// put before a leading digit or an empty name, and after a keyword of Python. If a name exists, the
// next one ends in `_2`, `_3`, and so on. A reserved name is only made for the same text, so that
// the name of one thing is never the text of another:
//
//   `a b`, `a_b`  =>  `a_b_2`, `a_b`, if both texts are reserved first
//
// Not thread-safe.

#pragma once

#include <string>
#include <string_view>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

namespace signet {

class UniqueNames {
 public:
  // Reserves `text` for Make(text), if it is an identifier and not made yet.
  void Reserve(std::string_view text);
  // Returns an identifier for `text` that no earlier call returned.
  std::string Make(std::string_view text);

 private:
  absl::flat_hash_map<std::string, int> counts_;  // how often each name was made
  absl::flat_hash_set<std::string> reserved_;     // and not made yet
};

}  // namespace signet
