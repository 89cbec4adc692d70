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

#include "core/graph/body/graph.h"
#include "core/types/registry/type_registry.h"

namespace signet {

// What the functions of a model refer to.
struct PrintScope {
  const Captures& captures;
  const TypeRegistry& types;
  // The names of functions by which calls can name them: in the model, and as written here.
  absl::flat_hash_map<std::string, std::string> functions;
};

// Returns the lines from the decorators to the docstring, and the statements, without indentation.
// Lines end with a newline. UNIMPLEMENTED for a signature that the notation cannot state.
struct FunctionText {
  std::string head;  // decorators, signature, and documentation
  std::string body;
};
StatusOr<FunctionText> PrintFunction(const FunctionDef& def, std::string_view name,
                                     const PrintScope& scope);

// Returns `text` with `indent` spaces before each line that is not empty and not part of a text.
std::string Indented(std::string_view text, size_t indent);

// Returns the lines of a docstring, without indentation.
std::string PrintDoc(std::string_view doc);

}  // namespace signet
