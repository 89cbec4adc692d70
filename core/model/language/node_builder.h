// NodeBuilder: adds nodes to the graph of a function, and names the parts of expressions.
//
// Not thread-safe.

#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include "core/graph/body/graph.h"
#include "core/graph/body/graph_builder.h"
#include "core/model/language/closures.h"
#include "core/model/language/function_names.h"
#include "core/model/language/syntax/source_errors.h"
#include "core/model/native/stated_function.h"
#include "signet/literal_spec.h"

namespace signet {

struct BodyScope {
  const ModelScope& model;
  const FunctionNames& functions;
  const Closures& closures;
};

// The positions of nodes in a source file, by name.
using NodePositions = std::map<std::string, size_t, std::less<>>;

// The value of an expression: an edge of the graph, or a value that is known now.
struct BodyOperand {
  bool ok = false;  // false: an error was added
  std::optional<Value> constant = {};
  GraphEdge edge = {};
  std::string text = {};                   // the name of the edge in the names of its fields
  std::optional<size_t> max_outputs = {};  // of the node, if it is known
  // The op of an assigned call with several outputs, of which this is the first; otherwise null.
  const OpDef* first_of = nullptr;

  const Literal* literal() const {
    return constant && constant->spec().is(TypeKind::kLiteral) ? &constant->literal() : nullptr;
  }
};

// Returns a hint with the name that the author probably meant, or the names that exist.
std::string HintAtName(std::string_view name, std::vector<std::string> names,
                       std::string_view what);

class NodeBuilder {
 protected:
  NodeBuilder(const BodyScope& scope, NodePositions& positions, SourceErrors& errors);

  bool HasCapture(std::string_view name) const;
  // Returns whether the name belongs to nothing in this function.
  bool IsFree(const std::string& name) const;
  // Returns the next name of a part of the statement.
  std::string NextName();
  std::string NameOr(std::string name) { return name.empty() ? NextName() : std::move(name); }
  std::vector<std::string> ValueNames() const;
  BodyOperand Fail(size_t position, std::string message);
  void CheckBuilder(size_t position);
  GraphEdge EdgeOf(const BodyOperand& operand);
  // Adds a node. The arguments are operands without errors, or the result is an error, too.
  BodyOperand AddNode(std::string_view op_name, std::vector<BodyOperand> inputs,
                      NamedTypes attributes,
                      std::vector<std::pair<std::string, BodyOperand>> attribute_edges,
                      std::string name, size_t position);

  struct Local {
    BodyOperand operand;
    size_t position;
  };

  const BodyScope& scope_;
  const Captures& captures_;
  NodePositions& positions_;
  SourceErrors& errors_;
  const bool may_override_;  // whether extension types may override ops
  GraphBuilder build_;
  absl::flat_hash_set<std::string> explicit_;       // names that parameters and assignments state
  absl::flat_hash_map<std::string, Local> locals_;  // parameters and names that are assigned so far
  absl::flat_hash_map<std::string, BodyOperand> parts_;  // fields and indices, by their text
  absl::flat_hash_map<std::string, int> counts_;  // of the parts of statements, by first target
  std::string base_;                              // of the names of parts of this statement
};

}  // namespace signet
