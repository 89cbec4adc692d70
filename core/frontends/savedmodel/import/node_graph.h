// NodeGraph: the nodes of a graph, or of the body of a function, with references resolved.
//
//   graph      `node`, `node:2`, `^node`
//   function   `parameter`, `node:output_name:2`, `^node`
//
// References are resolved when they are followed, because most nodes of a model are not used.
// Immutable; borrows the messages.

#pragma once

#include <compare>
#include <string>
#include <string_view>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "signet/status.h"
#include "tensorflow/graph.pb.h"

namespace signet {

using FunctionsByName = absl::flat_hash_map<std::string, const tensorflow::FunctionDef*>;

struct NodeReference {
  enum class Kind : uint8_t { kNode, kArgument, kControl };
  Kind kind = Kind::kNode;
  int index = 0;   // of the node or the argument
  int output = 0;  // of the node, counted without names

  auto operator<=>(const NodeReference&) const = default;
};

class NodeGraph {
 public:
  using Nodes = google::protobuf::RepeatedPtrField<tensorflow::NodeDef>;

  // Returns the nodes of a graph. Rejects duplicate names.
  static StatusOr<NodeGraph> OfGraph(const tensorflow::GraphDef& graph,
                                     const FunctionsByName& functions);
  static StatusOr<NodeGraph> OfFunction(const tensorflow::FunctionDef& function,
                                        const FunctionsByName& functions);

  int num_nodes() const { return nodes_->size(); }
  const tensorflow::NodeDef& node(int i) const { return nodes_->Get(i); }
  // Returns the index of a node, or -1.
  int Lookup(std::string_view name) const;
  StatusOr<NodeReference> Resolve(std::string_view reference) const;
  // Returns the data inputs of a node.
  StatusOr<std::vector<NodeReference>> InputsOf(int node) const;
  StatusOr<std::vector<NodeReference>> ControlInputsOf(int node) const;
  // Null for a graph.
  const tensorflow::FunctionDef* function() const { return function_; }
  // "node `n` (MatMul)", with the function if there is one.
  std::string PlaceOf(int node) const;

 private:
  Status AddNames();
  StatusOr<int> FlatOutput(const tensorflow::NodeDef& node, std::string_view name,
                           int64_t index) const;

  const Nodes* nodes_ = nullptr;
  const tensorflow::FunctionDef* function_ = nullptr;
  const FunctionsByName* functions_ = nullptr;
  absl::flat_hash_map<std::string, int> names_;
  absl::flat_hash_map<std::string, int> arguments_;
};

}  // namespace signet
