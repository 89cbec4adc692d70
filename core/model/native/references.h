// References: what the references in a function's body name, as edges of its graph.
//
//   `x`   `best:1`   `x.steps.text`   `x[0, 1:, "text"]`   `rest.0`   `2.0`   `[0, 1]`
//   `int64[2] [3, 4]`
//
// A reference is looked up as a whole, so that captures may have points in their names, then by its
// first part, followed by `:output`, `.field`s and `[keys]`; each becomes a node, shared by all who
// name it. What is no name is a value (core/model/native/literal_value.h). One thread.

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
  // Captures, literals and nodes that references need are added to `graph`. Both must outlive this.
  References(const FunctionType& type, const Captures& captures, Graph& graph);

  // Refuses a name that is no identifier, or is taken.
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
  // The node `name`, which is made once.
  StatusOr<GraphEdge> AddPart(std::string_view name, std::string_view op,
                              std::vector<GraphEdge> inputs, const Attributes& given);
  const GraphEdge* LookupName(std::string_view name) const;
  bool HasCapture(std::string_view name) const;
  GraphEdge CaptureEdge(std::string_view name);

  const Captures& captures_;
  Graph& graph_;
  absl::flat_hash_map<std::string, GraphEdge> names_;     // parameters and nodes
  absl::flat_hash_map<std::string, GraphEdge> resolved_;  // references seen, and their starts
  absl::flat_hash_map<std::string, int> capture_indices_;
};

}  // namespace signet
