// Graph: the body of a function in its polymorphic form: nodes over values of any type.
//
// Nodes are in topological order. An edge names a parameter, a capture, a literal, or an output of
// an earlier node; its type is known only when the function is specialized. Immutable once made.

#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "core/function/canonicalize.h"
#include "core/function/dimension_names.h"
#include "core/graph/body/captured_value.h"
#include "core/ops/def/op_def.h"
#include "signet/function_type.h"

namespace signet {

struct GraphEdge {
  enum class Kind : uint8_t { kParameter, kCapture, kLiteral, kNode };
  Kind kind = Kind::kParameter;
  int index = 0;   // of the parameter in the signature, capture, literal or node
  int output = 0;  // of a node
};

struct GraphNode {
  std::string name;
  const OpDef* op = nullptr;
  std::vector<GraphEdge> inputs;
  Attributes attributes = {};
  // Attributes taken from values that must be literals when the function is specialized.
  std::vector<std::pair<std::string, GraphEdge>> attribute_edges = {};
  // Checks what the signature states. Errors do not name this node: no author wrote it.
  bool checks_signature = false;
};

struct Graph {
  std::vector<std::string> captures;  // names in the model's captures, as edges index them
  std::vector<Value> literals;
  std::vector<GraphNode> nodes;
  GraphEdge result;
};

using Captures = absl::flat_hash_map<std::string, CapturedValue>;

// A function as its model defines it.
struct FunctionDef {
  std::string name;
  std::string doc;
  FunctionType type;
  Defaults defaults;
  Graph graph;
  absl::flat_hash_map<std::string, std::string> parameter_docs = {};
  std::vector<std::string> examples = {};
  DimensionNames dimension_names = {};  // as the signature shows them; the graph checks them
  // The names in the format that the model was imported from, where they differ: of parameters, and
  // of items of the result. The key "" is the result if it is one tensor.
  absl::flat_hash_map<std::string, std::string> source_parameters = {};
  absl::flat_hash_map<std::string, std::string> source_results = {};
};

class ExtensionTypes;
class OpRegistry;

// What the functions of a model refer to: ops, captures, types, and one another.
class FunctionLibrary {
 public:
  virtual ~FunctionLibrary() = default;
  // The ops that functions, expansions and passes call.
  virtual const OpRegistry& ops() const = 0;
  virtual const FunctionDef* Lookup(std::string_view name) const = 0;
  virtual const Captures& captures() const = 0;
  // Null: no extension types.
  virtual const ExtensionTypes* types() const { return nullptr; }
};

}  // namespace signet
