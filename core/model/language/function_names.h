// FunctionNames: the names of the functions that the statements of a function may call.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "core/model/language/syntax/syntax.h"

namespace signet {

struct FunctionNames {
  const FunctionNames* outer = nullptr;
  absl::flat_hash_map<std::string, std::string> names;  // as written, and in the model

  const std::string* Lookup(std::string_view name) const;
  std::vector<std::string> All() const;
};

// Returns `a.b.c` of an expression that consists of names, or an empty text.
std::string DottedName(const Expression& expression);

}  // namespace signet
