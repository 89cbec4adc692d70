// DimensionNames: what a signature calls the dimensions of its parameters.
//
//   (x: float32[batch, 3], y: float32[batch])
//
// A name stands for any size, the same wherever it stands: calls with others are refused. Types
// know nothing of names: `x` takes `float32[?, 3]`.

#pragma once

#include <map>
#include <string>
#include <vector>

namespace signet {

// By parameter: a name for each dimension, or nothing. Parameters without names are not in it.
using DimensionNames = std::map<std::string, std::vector<std::string>>;

}  // namespace signet
