// PrintFunction: writes a function in the model language.
//
//   node `x.amount` = struct_get(x, field="amount")      =>  y = x.amount * 2.0
//   node `y` = mul(`x.amount`, 2.0)                          return y
//
// Reading the text returns a graph that EqualGraphs (core/model/language/equal_graphs.h) to the
// original. A node is written inside the expression that uses it if reading gives it the same name
// (core/model/language/body_builder.h). Stateless; thread-safe.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include "core/graph/body/graph.h"
#include "core/types/registry/type_registry.h"

namespace signet {

// The functions that calls in a function can name.
struct VisibleFunctions {
  absl::flat_hash_map<std::string, std::string> written;  // by the name in the model
  absl::flat_hash_set<std::string> names;                 // as written

  void Add(const std::string& name, const std::string& as_written) {
    written.insert_or_assign(name, as_written);
    names.insert(as_written);
  }
};

// What the functions of a model refer to.
struct PrintScope {
  const Captures& captures;
  const VisibleFunctions& functions;
  // The extension types of the model, by name.
  const absl::flat_hash_map<std::string, const ExtensionDeclaration*>& types;
  // The values of the functions around the function, which hide captures.
  const absl::flat_hash_set<std::string>& outer_values;
};

// Returns the lines from the decorators to the docstring, and the statements, without indentation.
// Lines end with a newline. UNIMPLEMENTED for a signature that the notation cannot state.
struct FunctionText {
  std::string head;  // decorators, signature, and documentation
  std::string body;
};
StatusOr<FunctionText> PrintFunction(const FunctionDef& def, std::string_view name,
                                     const PrintScope& scope);

}  // namespace signet
