// FlatGraph: a specialized function, with ops on tensors only and a type for each edge.
//
//   inputs: %0 float32[4, 16], %1 float32[16]
//   %2 = constant float32[]
//   %3 = matmul(%0, %1)  float32[4]
//   results: %3
//
// Nodes are in topological order: an edge is written before it is read. Edges 0 to num_inputs - 1
// are the component tensors of the arguments, in order. One thread.

#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/ops/def/op_def.h"
#include "signet/tensor.h"

namespace signet {

struct FlatEdge {
  TypeSpec spec;    // a tensor type
  Tensor constant;  // has_value() when the edge is known now
  // The capture that `constant` is a component of, and its index; empty for other constants.
  std::string capture = {};
  size_t component = 0;
};

inline constexpr int kNoEdge = -1;  // an optional input left out

struct FlatGraph;

struct FlatNode {
  const OpDef* op = nullptr;
  std::vector<int> inputs;  // edges, or kNoEdge
  Attributes attributes;
  std::vector<int> outputs;                                   // edges
  std::vector<std::shared_ptr<const FlatGraph>> bodies = {};  // of control_nodes.h only
};

struct FlatGraph {
  int num_inputs = 0;
  std::vector<FlatEdge> edges;
  std::vector<FlatNode> nodes;
  std::vector<int> results;  // edges: the component tensors of the result
  // The captures whose values decided what the graph contains, for example because a call on them
  // was folded; see capture_edges.h. Without those of the bodies.
  std::set<std::string> folded_captures = {};

  std::string ToString() const;
};

// Types and known values of a node's inputs, as inference and kernels want them.
struct NodeInputs {
  std::vector<TypeSpec> specs;
  std::vector<const Tensor*> constants;
};
NodeInputs InputsOf(const FlatGraph& graph, std::span<const int> inputs);

// Drops nodes that no result needs, except nodes with effects. Keeps unused inputs, because
// they are arguments of the caller.
void PruneDead(FlatGraph& graph);

}  // namespace signet
