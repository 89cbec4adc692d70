// Verify: checks the body of a function, from any reader, before the types of its values are known.
//
//   node `y`: input 1: expected an earlier node, found node 7
//
// GraphBuilder (core/graph/body/graph_builder.h) checks parts of a graph with the other functions
// while it builds the graph. Stateless; thread-safe.

#pragma once

#include <string>

#include <absl/container/flat_hash_set.h>

#include "core/graph/body/graph.h"

namespace signet {

// What the functions of a model refer to.
struct GraphScope {
  const Captures& captures;
  const absl::flat_hash_set<std::string>& functions;  // names
  // Whether extension types may override ops. An override has any number of outputs.
  bool may_override = false;
};

// Checks that
//   1. each edge is a parameter, a capture of the model, a literal, or an output of an earlier
//   node,
//      so that there is no cycle;
//   2. an output of a node exists, if its op has a fixed number of outputs;
//   3. each node has an op, as many inputs as the op accepts, and a value or an edge for each
//      attribute that the op declares, and for no other attribute;
//   4. functions that nodes call exist in the model.
// Errors start with the place: "node `y`: input 1: ..." or "result: ...".
Status Verify(const FunctionDef& def, const GraphScope& scope);

// Returns the place of a node in an error: "node `y`", or "node 3" if it has no name.
std::string PlaceOfNode(std::string_view name, size_t index);

// Checks one edge to `graph`, a graph that may be incomplete: it refers to any of its nodes, which
// may not have an op yet. Ops that extension types may override have any number of outputs.
Status VerifyEdge(const GraphEdge& edge, const Graph& graph, size_t num_parameters);
// Checks the number of inputs of `node`, and its edges to `graph` like VerifyEdge.
Status VerifyInputs(const GraphNode& node, const Graph& graph, size_t num_parameters);

// Returns the attributes of `node` that do not come from edges, with the defaults of its op.
// Returns an error if an attribute is missing, unknown, or given twice.
StatusOr<Attributes> CompleteAttributesOf(const GraphNode& node);

}  // namespace signet
