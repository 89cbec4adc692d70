// ListKeys: the keys of a map as a text for errors.

#pragma once

#include <string>
#include <vector>

#include "signet/cat.h"

namespace signet {

// Returns the keys in their order, such as `1, 2, 5`; `none` if there are none.
template <class Map>
std::string ListKeys(const Map& map) {
  std::vector<std::string> keys;
  keys.reserve(map.size());
  for (const auto& [key, value] : map) keys.push_back(Cat(key));
  return keys.empty() ? "none" : Join(keys, ", ");
}

}  // namespace signet
