// TransposedGraph: a flat graph that is built node by node, in which transposes are made as late as
// possible.
//
// An edge may be a view: transpose(source, perm), which no node writes yet. Nodes that can compute
// in the layout of the source read the source, and their outputs are views. Materialize adds the
// transpose for the other nodes. Not thread-safe.

#pragma once

#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "core/graph/flat/flat_graph.h"
#include "core/graph/flat/passes/permutation.h"
#include "core/ops/def/op_registry.h"

namespace signet {

// Returns the value of an attribute that is a list.
TypeSpec ListOf(const std::vector<int64_t>& values);

class TransposedGraph {
 public:
  using Edges = std::vector<int>;

  // The value of an edge as transpose(source, perm).
  struct View {
    int source = kNoEdge;
    Permutation perm = {};
  };

  // Starts with the edges of `graph`, and without nodes. New nodes use ops of `ops`.
  TransposedGraph(const FlatGraph& graph, const OpRegistry& ops);

  FlatGraph& graph() { return made_; }
  const TypeSpec& TypeOf(int edge) const { return made_.edges[static_cast<size_t>(edge)].spec; }
  const PartialShape& ShapeOf(int edge) const { return *TypeOf(edge).shape(); }
  const Tensor& ConstantAt(int edge) const {
    return made_.edges[static_cast<size_t>(edge)].constant;
  }

  // Returns null if `edge` is not a view.
  const View* ViewOf(int edge) const;
  // Makes `edge` a view. Returns false if its type does not fit.
  bool AddView(int edge, View view);

  // Returns an edge with the value of `edge`, and adds the node that writes it if it is missing.
  int Materialize(int edge);
  // Adds `node` unchanged, apart from where its inputs are.
  void Keep(FlatNode node);
  // Adds `node`, which reads a view, only when Materialize needs its output.
  void Delay(const FlatNode& node) { delayed_[node.outputs[0]] = node; }
  // Returns the delayed node that writes `edge`, or null.
  const FlatNode* DelayedAt(int edge) const;

  // Adds a node that writes `output`. Returns false if its type does not fit the edge.
  bool Write(std::string_view op, Edges inputs, const Attributes& attributes, int output);
  // Adds a node with one output, and returns the output. kNoEdge if the call is not possible.
  int Call(std::string_view op, Edges inputs, const Attributes& attributes);
  int Reshape(int edge, const std::vector<int64_t>& sizes);
  int AddConstant(Tensor tensor);
  // Adds a call of the op of `node` whose outputs have another layout: transpose(output i, perm) is
  // output i of `node`. Returns false if the types do not fit.
  bool Replace(const FlatNode& node, Edges inputs, const Attributes& attributes,
               const Permutation& perm);

  // Returns an edge whose transpose by `perm` broadcasts as `edge` does to tensors of perm.size()
  // dimensions, if that costs nothing at run time, and otherwise kNoEdge.
  int InLayout(int edge, const Permutation& perm);
  // Adds the constant `edge` as a tensor of `dims`, transposed by `perm`.
  int TransposedConstant(int edge, const std::vector<int64_t>& dims, const Permutation& perm);

 private:
  struct InferredCall {
    const OpDef* op = nullptr;
    Attributes attributes = {};
    std::vector<TypeSpec> types = {};
  };
  std::optional<InferredCall> Infer(std::string_view name, const Edges& inputs,
                                    const Attributes& attributes);
  int AddEdge(TypeSpec spec);
  void WriteTransposed(const View& view, int output);
  std::optional<Tensor> Transposed(const Tensor& tensor, const Permutation& perm) const;

  const OpRegistry& ops_;
  FlatGraph made_;
  std::map<int, View> views_;
  std::set<int> written_;                                  // views that a node writes
  std::map<int, FlatNode> delayed_;                        // by output
  std::map<std::pair<int, Permutation>, int> transposed_;  // by source and permutation
  std::map<std::pair<int, Permutation>, int> in_layout_;   // results of InLayout
};

}  // namespace signet
