// Bracket keys: what stands between the brackets of a reference, as Python has it.
//
//   [0, 1:, "name", ..., None]      [::-1]      [i, names.first]
//
// Names without quotes are references themselves: to an integer that is computed, or a plain value.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "signet/index_key.h"

namespace signet {

struct BracketKeys {
  std::vector<IndexKey> keys;
  std::vector<std::string> references;  // what each InputKey stands for
  size_t size = 0;                      // characters read, up to the closing bracket
};

// Of `text`, which begins with an opening bracket. Refusals point at a column.
StatusOr<BracketKeys> ReadBracketKeys(std::string_view text);

}  // namespace signet
