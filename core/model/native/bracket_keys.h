// ReadBracketKeys: parses the keys between the brackets of a reference, as in Python.
//
//   [0, 1:, "name", ..., None]      [::-1]      [i, names.first]
//
// A name without quotes is a reference to a computed integer or a plain value.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "signet/index_key.h"

namespace signet {

struct BracketKeys {
  std::vector<IndexKey> keys;
  std::vector<std::string> references;  // one per InputKey
  size_t size = 0;                      // number of characters up to the closing bracket
};

// Parses `text`, which begins with an opening bracket. Errors state a column.
StatusOr<BracketKeys> ReadBracketKeys(std::string_view text);

}  // namespace signet
