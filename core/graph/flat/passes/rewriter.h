// Rewriter: what rules see of a flat graph, and how they change it.
//
// A rule looks at the node whose output it wants to make another way, and up from there. It changes
// that node in place, so that the order of nodes holds: what the new inputs need was written
// before. Nodes that nobody reads any more are dropped at the end. One thread.

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
  // Both must outlive the rewriter, which makes nodes of `ops`.
  Rewriter(FlatGraph& graph, const OpRegistry& ops);

  const FlatGraph& graph() const { return graph_; }
  const FlatNode& node(size_t i) const { return graph_.nodes[i]; }
  size_t num_nodes() const { return graph_.nodes.size(); }

  // The node that writes `edge`, if it is one of `ops`; else null. `sole`: and nobody else than one
  // node reads it.
  const FlatNode* Producer(int edge, std::initializer_list<std::string_view> ops,
                           bool sole = true) const;
  int UsesOf(int edge) const { return uses_[static_cast<size_t>(edge)]; }
  std::optional<Tensor> Constant(int edge) const;  // empty when unknown
  const TypeSpec& TypeOf(int edge) const { return graph_.edges[static_cast<size_t>(edge)].spec; }
  // The sizes of `edge`, when all are known.
  std::optional<Shape> KnownShape(int edge) const;
  DType DTypeOf(int edge) const;

  int AddConstant(Tensor tensor);
  // Makes node `i` a call of `op`; false, and nothing changed, when that does not infer the type of
  // its output. `attributes` need not be complete.
  bool Become(size_t i, std::string_view op, std::vector<int> inputs,
              const Attributes& attributes = {});
  // Lets all read `edge` in the place of node `i`'s output; false when its type is a wider one.
  bool Forward(size_t i, int edge);

  // Drops what nobody reads.
  void Finish();

 private:
  void Read(int edge);
  void Drop(int edge);

  FlatGraph& graph_;
  const OpRegistry& ops_;
  std::vector<int> producers_;  // by edge: node, or -1
  std::vector<int> uses_;       // by edge
  std::vector<bool> dead_;      // by node: nobody reads it any more
};

}  // namespace signet
