// FunctionReference: a function of the model that an attribute of a control op names.
//
//   cond(x, y; then="grow" else="shrink")   =>  "grow", "shrink"
//   case(i, x; functions=list("f", "g"))    =>  "f", "g"
//
// Stateless; thread-safe.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/graph/body/graph.h"

namespace signet {

// The maximum depth of the calls between the functions of a model. Loading checks it, and so does
// specializing, because functions may also be called by overrides of extension types.
inline constexpr int kMaxCallDepth = 64;

// Return whether the attribute of `op` holds the name of one function, or a list of names.
bool NamesFunction(const OpDef& op, std::string_view attribute);
bool NamesFunctions(const OpDef& op, std::string_view attribute);

struct FunctionReference {
  std::string attribute;
  std::string name;
};

// Returns the functions that `node` calls, in the order of the attributes. INVALID_ARGUMENT if an
// attribute holds another value than a name.
StatusOr<std::vector<FunctionReference>> FunctionReferences(const GraphNode& node);

}  // namespace signet
