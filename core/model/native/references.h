// References: resolves the references in a function's body to edges of its graph.
//
//   `x`   `best:1`   `x.steps.text`   `x[0, 1:, "text"]`   `rest.0`   `2.0`   `[0, 1]`
//   `int64[2] [3, 4]`
//
// A reference is first looked up as a whole, because names of captures may contain points.
// Otherwise, its first part is looked up, followed by `:output`, `.field`, and `[keys]`. Each field
// and key adds one node, which all references to it share. A text that is not a name is a value
// (core/model/native/literal_value.h). Not thread-safe.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "core/graph/body/graph.h"
#include "core/model/native/bracket_keys.h"

namespace signet {

class References {
 public:
  // Adds the captures, literals, and nodes that references need to `graph`. All must outlive this.
  References(const FunctionType& type, const Captures& captures, Graph& graph);

  // Adds the name of a node. Rejects a name that is not an identifier, or that exists already.
  Status AddNode(const std::string& name, int index);
  StatusOr<GraphEdge> Resolve(std::string_view text);

 private:
  StatusOr<GraphEdge> ResolveNew(std::string_view text);
  StatusOr<GraphEdge> ResolveValue(std::string_view text);
  StatusOr<GraphEdge> ResolveParts(GraphEdge base, std::string_view text, size_t end);
  StatusOr<GraphEdge> FieldOfEdge(const GraphEdge& edge, std::string_view field,
                                  std::string_view name);
  StatusOr<GraphEdge> ItemOfEdge(const GraphEdge& edge, const BracketKeys& keys,
                                 std::string_view name);
  // Returns the node `name`. Makes it if it does not exist.
  StatusOr<GraphEdge> AddPart(std::string_view name, std::string_view op,
                              std::vector<GraphEdge> inputs, const Attributes& given);
  const GraphEdge* LookupName(std::string_view name) const;
  bool HasCapture(std::string_view name) const;
  GraphEdge CaptureEdge(std::string_view name);

  const Captures& captures_;
  Graph& graph_;
  absl::flat_hash_map<std::string, GraphEdge> names_;     // parameters and nodes
  absl::flat_hash_map<std::string, GraphEdge> resolved_;  // resolved references and prefixes
  absl::flat_hash_map<std::string, int> capture_indices_;
};

}  // namespace signet
