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

#include "core/graph/body/graph_builder.h"
#include "core/model/native/bracket_keys.h"

namespace signet {

class References {
 public:
  // Adds the captures, literals, and nodes that references need to `build`. Both must outlive this.
  References(const Captures& captures, GraphBuilder& build);

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
                              std::vector<GraphEdge> inputs, Attributes attributes);
  bool HasCapture(std::string_view name) const;

  const Captures& captures_;
  GraphBuilder& build_;
  absl::flat_hash_map<std::string, GraphEdge> resolved_;  // resolved references and prefixes
};

}  // namespace signet
