// DimensionNames: the names that a signature gives to dimensions of its parameters.
//
//   (x: float32[batch, 3], y: float32[batch])
//
// A name stands for any size, and for the same size everywhere in the signature. Calls with
// different sizes are errors. Types do not contain the names: the type of `x` is `float32[?, 3]`.

#pragma once

#include <map>
#include <string>
#include <vector>

namespace signet {

// Parameter name to one name per dimension; an empty name means none. Only parameters with names
// have an entry.
using DimensionNames = std::map<std::string, std::vector<std::string>>;

}  // namespace signet
