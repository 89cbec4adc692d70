// Rewriter: how passes read and change a flat graph.
//
// A rule starts at the node whose output it computes in another way, and follows its inputs. It
// changes that node in place. The order of nodes stays valid, because earlier nodes produce all new
// inputs. Nodes that nothing reads anymore are dead; they stay in the graph until PruneDead removes
// them. Not thread-safe.

#pragma once

#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

#include "core/graph/flat/flat_graph.h"
#include "core/ops/def/op_registry.h"

namespace signet {

class Rewriter {
 public:
  // `graph` and `ops` must outlive the rewriter. New nodes use ops of `ops`.
  Rewriter(FlatGraph& graph, const OpRegistry& ops);

  const FlatGraph& graph() const { return graph_; }
  const FlatNode& node(size_t i) const { return graph_.nodes[i]; }
  size_t num_nodes() const { return graph_.nodes.size(); }
  // Returns whether node `i` lost its last reader. Rules do not match dead nodes.
  bool IsDead(size_t i) const { return dead_[i]; }

  // Returns the node that writes `edge` if its op is one of `ops`, and otherwise null. With `sole`,
  // also returns null if the edge has several readers.
  const FlatNode* Producer(int edge, std::initializer_list<std::string_view> ops,
                           bool sole = true) const;
  int UsesOf(int edge) const { return uses_[static_cast<size_t>(edge)]; }
  // Returns the constant `edge`, or nothing if it is not a constant. A rule may make a constant
  // from its elements. A rule that decides by the elements calls NoteRead.
  std::optional<Tensor> Constant(int edge) const;
  // Records that the graph depends on the value of `edge`, which matters if it is a capture.
  void NoteRead(int edge) const;
  const TypeSpec& TypeOf(int edge) const { return graph_.edges[static_cast<size_t>(edge)].spec; }
  // Returns the shape of `edge` if all its sizes are known.
  std::optional<Shape> KnownShape(int edge) const;
  DType DTypeOf(int edge) const;

  // Called before each rule. Forgets the constants that earlier rules read.
  void StartRule() { constants_read_.clear(); }
  // Adds a constant that was made from the constants that the rule read.
  int AddConstant(Tensor tensor);
  // Replaces node `i` by a call of `op` with these inputs. Defaults complete `attributes`. Returns
  // false and changes nothing if `op` does not infer the types of the node's outputs or subtypes.
  bool ReplaceOp(size_t i, std::string_view op, std::vector<int> inputs,
                 const Attributes& attributes = {});
  // Lets all readers of node `i`'s only output read `edge`. Returns false and changes nothing if
  // the type of `edge` is not a subtype of the output's.
  bool ReplaceUses(size_t i, int edge);

  const OpRegistry& ops() const { return ops_; }
  // Replaces the whole graph. The inputs, and the number and the types of the results, stay.
  void ReplaceGraph(FlatGraph graph);

 private:
  void IndexEdges();
  void AddUse(int edge);
  void RemoveUse(int edge);

  FlatGraph& graph_;
  const OpRegistry& ops_;
  std::vector<int> producers_;  // by edge: the node that writes it, or -1
  std::vector<int> uses_;       // by edge: the number of inputs and results that are this edge
  std::vector<bool> dead_;      // by node
  mutable std::vector<int> constants_read_;  // edges, by the current rule
};

}  // namespace signet
