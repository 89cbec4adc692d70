// GraphLibrary: the graph and the functions of a SavedModel, by name.
//
// Not thread-safe: the nodes of a function are indexed when it is used first.

#pragma once

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

#include "core/frontends/savedmodel/import/node_graph.h"
#include "tensorflow/saved_model.pb.h"

namespace signet {

class GraphLibrary {
 public:
  // Rejects duplicate names. Borrows `model`.
  static StatusOr<std::unique_ptr<GraphLibrary>> Make(const tensorflow::MetaGraphDef& model);

  const tensorflow::MetaGraphDef& model() const { return model_; }
  const NodeGraph& graph() const { return graph_; }
  // Returns the function, or null.
  const tensorflow::FunctionDef* Lookup(const std::string& name) const;
  // NOT_FOUND if there is no such function.
  StatusOr<const NodeGraph*> FindBody(const std::string& name);

 private:
  explicit GraphLibrary(const tensorflow::MetaGraphDef& model) : model_(model) {}

  const tensorflow::MetaGraphDef& model_;
  FunctionsByName functions_;
  NodeGraph graph_;
  absl::flat_hash_map<std::string, std::unique_ptr<NodeGraph>> bodies_;
};

// Returns the attribute of a node, or null.
const tensorflow::AttrValue* LookupAttribute(const tensorflow::NodeDef& node,
                                             const std::string& name);
// Returns the text of an attribute, or "".
std::string TextAttribute(const tensorflow::NodeDef& node, const std::string& name);
int64_t IntAttributeOr(const tensorflow::NodeDef& node, const std::string& name, int64_t otherwise);
// Returns the name of the function that the node calls: its operator, or the attribute `f` of a
// PartitionedCall. Empty if the node is not a call.
std::string CalledFunction(const GraphLibrary& library, const tensorflow::NodeDef& node);

// Returns true if the name of an operator is one of `ops`.
inline bool IsOneOf(std::string_view op, std::initializer_list<std::string_view> ops) {
  return std::find(ops.begin(), ops.end(), op) != ops.end();
}

}  // namespace signet
