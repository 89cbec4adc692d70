// GraphBuilder: builds the body of a function, node by node.
//
//   // f(x, k) = the k largest elements of x * weights
//   GraphBuilder build(BuiltinOps(), captures);
//   GraphEdge x = build.AddParameter("x");
//   GraphEdge k = build.AddParameter("k");
//   GraphEdge scaled = build.AddNode("scaled", "mul", {x, build.AddCapture("weights")});
//   GraphEdge best = build.AddNode("best", "top_k", {scaled}, {}, {{"k", k}});
//   StatusOr<Graph> graph = std::move(build).Finish(best);
//
// Rules:
//   1. Parameters and nodes have different names. Captures may have any name.
//   2. The edges of a node refer to parts that were added before. A node that DeclareNode added may
//      be used before DefineNode defines it; Finish then sorts the nodes and rejects cycles.
//   3. Attributes that are left out have their defaults. A control op names functions of the model
//      in its attributes; they may be built later.
//
// The builder keeps the first error and ignores later calls; Finish returns the error. Errors start
// with the place, such as "node `best`: input 1: ...". Without errors, the graph passes Verify
// (core/graph/body/verify.h), which each reader calls when all functions of the model exist: only
// Verify checks that functions and the outputs of ops that extension types may override exist. Not
// thread-safe.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "core/graph/body/graph.h"

namespace signet {

class OpRegistry;

// Limits of the body of one function. They bound the time and memory of loading any model, and are
// far above the needs of real models.
inline constexpr int kMaxNodes = 100'000;
inline constexpr int kMaxNodeInputs = 4096;

class GraphBuilder {
 public:
  using Edges = std::vector<GraphEdge>;
  using AttributeEdges = std::vector<std::pair<std::string, GraphEdge>>;

  // Both must outlive the builder. Captures may be added to `captures` until AddCapture names them.
  GraphBuilder(const OpRegistry& ops, const Captures& captures);

  // Adds the next parameter of the signature.
  GraphEdge AddParameter(std::string_view name);
  // Returns the edge of a capture of the model, always the same for one name. NOT_FOUND if the
  // model does not have it.
  GraphEdge AddCapture(std::string_view name);
  GraphEdge AddLiteral(Value value);
  // Returns the edge of a plain value, always the same for equal values.
  GraphEdge AddLiteral(const Literal& literal);

  // Adds a call of an op that models may call, and returns its output 0. `attribute_edges` are
  // attributes whose values must be literals when the function is specialized.
  GraphEdge AddNode(std::string_view name, std::string_view op, Edges inputs,
                    Attributes attributes = {}, AttributeEdges attribute_edges = {});
  // Adds a node that checks what the signature states. Its errors do not name it, because no author
  // wrote it; dumps of the graph show `label`. The op may be internal.
  GraphEdge AddSignatureCheck(std::string_view label, std::string_view op, Edges inputs,
                              Attributes attributes);

  // Adds a node that DefineNode must define before Finish.
  GraphEdge DeclareNode(std::string_view name);
  void DefineNode(GraphEdge node, std::string_view op, Edges inputs, Attributes attributes = {},
                  AttributeEdges attribute_edges = {});

  // Returns the edge of a parameter or a node, or nothing if there is none. Checks of the signature
  // have no name.
  std::optional<GraphEdge> Lookup(std::string_view name) const;
  // The names of all parameters and nodes, in any order.
  std::vector<std::string> Names() const;
  size_t num_nodes() const { return graph_.nodes.size(); }
  // The first error.
  const Status& status() const { return status_; }

  // Returns the graph, with nodes in an order in which each edge refers to an earlier node. Nodes
  // keep the order in which they were added, except for uses before a definition.
  StatusOr<Graph> Finish(GraphEdge result) &&;

 private:
  struct HashOfLiteral {
    size_t operator()(const Literal& literal) const { return literal.Hash(); }
  };

  void Fail(Status status);
  GraphEdge Add(StatusOr<const OpDef*> op, GraphNode node);
  GraphEdge Append(GraphNode node);
  // Sets the op and completes the attributes.
  Status Complete(const StatusOr<const OpDef*>& op, GraphNode& node) const;
  Status SortNodes();
  Status CycleOf(const std::vector<int>& cycle) const;

  const OpRegistry& ops_;
  const Captures& captures_;
  Status status_;
  Graph graph_;
  size_t num_parameters_ = 0;
  bool has_declared_nodes_ = false;
  absl::flat_hash_map<std::string, GraphEdge> names_;                 // of parameters and nodes
  absl::flat_hash_map<std::string, int> capture_indices_;             // in graph_.captures
  absl::flat_hash_map<Literal, int, HashOfLiteral> literal_indices_;  // in graph_.literals
};

}  // namespace signet
