// StatedFunction: a function as a model file or a ModelBuilder states it, with references as text.
//
//   signature (x: [{amount: float32[]}])   node y = mul("x.amount", "2.0")   result "y"
//   =>  node 0 `x.amount` = struct_get(parameter x, field="amount")
//       node 1 `y` = mul(node 0, literal 2.0)
//
// References are described in core/model/native/references.h. The nodes may be in any order; in the
// graph, inputs precede the nodes that use them. Time is linear in the size of the function.
// Stateless; thread-safe.

#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/function/signature.h"
#include "core/graph/body/graph.h"
#include "core/types/registry/type_registry.h"
#include "signet/model_builder.h"

namespace signet {

// An attribute is a value, a reference to a value that is known when the function is specialized,
// or the name of a function.
using StatedAttribute = std::variant<TypeSpec, FromValue, NamedFunction>;

// Borrows the texts.
struct StatedNode {
  std::string_view name;
  std::string_view op;
  std::vector<std::string_view> inputs;  // references
  std::map<std::string, StatedAttribute> attributes;
};

struct StatedFunction {
  std::string name;
  std::string doc;
  Signature signature;
  absl::flat_hash_map<std::string, std::string> parameter_docs;
  std::vector<std::string> examples;
  std::vector<StatedNode> nodes;
  std::string_view result;  // a reference
};

// The parts of a model that its functions may use.
struct ModelScope {
  const Captures& captures;
  const TypeRegistry& types;  // extension types of the model and of the program
};

// Parses the signature of the function `name`.
StatusOr<Signature> ParseSignatureOf(std::string_view name, std::string_view text);

// Returns an error if `count` nodes are too many for one function.
Status CheckNumberOfNodes(size_t count);

// Checks the function and builds its graph. Names of tensors in its types are removed. Every
// optional parameter must have a default value, which CastDefaults (core/model/default_values.h)
// casts when all functions exist. Errors start with the place: "node `y`: input 1: ...". Verify
// (core/graph/body/verify.h) checks the graph once all functions of the model exist.
StatusOr<FunctionDef> MakeFunction(StatedFunction function, const ModelScope& model);

// Returns the function without a graph. Does the checks of MakeFunction that do not concern the
// body.
StatusOr<FunctionDef> MakeFunctionHead(StatedFunction function, const ModelScope& model);

// Checks that there are functions, not too many, and that their names are different identifiers.
Status CheckFunctionNames(std::span<const std::string_view> names);
// Returns the place of a function in an error.
std::string PlaceOfFunction(std::string_view name, size_t index);

}  // namespace signet
