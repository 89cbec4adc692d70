// Closures: the values that nested functions take from the functions around them.
//
//   def f(x, scale):
//       def scaled(row):
//           return row * scale
//       return map(x, function=scaled)
//
// becomes
//
//       def scaled(row, scale): ...
//       return map(x, scale, function=scaled, fixed=1)
//
// The rules:
//   1. A name that a nested function neither assigns nor has as a parameter is the name of the
//      nearest function around it that does. It becomes the last parameters of the nested function.
//   2. A function that calls a function that takes a value takes the value too, unless the value is
//      its own.
//   3. Functions that one op calls, such as those of `cond`, take the same values.
// Not thread-safe.

#pragma once

#include <string>
#include <vector>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include "core/model/language/function_names.h"
#include "core/model/language/syntax/source_errors.h"
#include "core/model/language/syntax/syntax.h"

namespace signet {

using TakenNames = std::vector<std::string>;  // sorted

// By the name of a function in the model. Functions that take no values are left out.
using Closures = absl::flat_hash_map<std::string, TakenNames>;

struct ClosureFunction {
  const FunctionSyntax* syntax = nullptr;
  const FunctionNames* names = nullptr;       // that its statements may call
  std::string name = {};                      // in the model
  int outer = -1;                             // the index of the function around it, or -1
  absl::flat_hash_set<std::string> own = {};  // its parameters
};

// Adds an error for each value that a function cannot take. `functions` contains every function of
// a file, each with a name of its own; an outer function is before its nested functions.
Closures FindClosures(std::vector<ClosureFunction> functions, SourceErrors& errors);

}  // namespace signet
