#include "core/graph/flat/passes/rewriter.h"

#include <algorithm>
#include <utility>

#include "core/graph/flat/capture_edges.h"
#include "core/graph/flat/control_nodes.h"
#include "signet/tensor_spec.h"

namespace signet {

Rewriter::Rewriter(FlatGraph& graph, const OpRegistry& ops) : graph_(graph), ops_(ops) {
  IndexEdges();
}

void Rewriter::IndexEdges() {
  producers_.assign(graph_.edges.size(), -1);
  uses_.assign(graph_.edges.size(), 0);
  dead_.assign(graph_.nodes.size(), false);
  for (size_t i = 0; i < graph_.nodes.size(); ++i) {
    for (int edge : graph_.nodes[i].outputs)
      producers_[static_cast<size_t>(edge)] = static_cast<int>(i);
    for (int edge : graph_.nodes[i].inputs) {
      if (edge != kNoEdge) AddUse(edge);
    }
  }
  for (int edge : graph_.results) AddUse(edge);
}

void Rewriter::ReplaceGraph(FlatGraph graph) {
  graph_ = std::move(graph);
  constants_read_.clear();
  IndexEdges();
}

void Rewriter::AddUse(int edge) { ++uses_[static_cast<size_t>(edge)]; }

void Rewriter::RemoveUse(int edge) {
  if (--uses_[static_cast<size_t>(edge)] > 0) return;
  int producer = producers_[static_cast<size_t>(edge)];
  if (producer < 0 || dead_[static_cast<size_t>(producer)]) return;
  const FlatNode& from = node(static_cast<size_t>(producer));
  bool read = std::any_of(from.outputs.begin(), from.outputs.end(),
                          [&](int output) { return UsesOf(output) > 0; });
  if (read || HasEffect(from)) return;
  dead_[static_cast<size_t>(producer)] = true;
  for (int input : from.inputs) {
    if (input != kNoEdge) RemoveUse(input);
  }
}

const FlatNode* Rewriter::Producer(int edge, std::initializer_list<std::string_view> ops,
                                   bool sole) const {
  if (edge == kNoEdge || (sole && UsesOf(edge) != 1)) return nullptr;
  int producer = producers_[static_cast<size_t>(edge)];
  if (producer < 0) return nullptr;
  const FlatNode& from = node(static_cast<size_t>(producer));
  bool found = std::find(ops.begin(), ops.end(), from.op->name) != ops.end();
  return found && !HasBodies(from) ? &from : nullptr;
}

std::optional<Tensor> Rewriter::Constant(int edge) const {
  if (edge == kNoEdge) return std::nullopt;
  const Tensor& tensor = graph_.edges[static_cast<size_t>(edge)].constant;
  if (!tensor.has_value()) return std::nullopt;
  constants_read_.push_back(edge);
  return tensor;
}

void Rewriter::NoteRead(int edge) const {
  const FlatEdge& read = graph_.edges[static_cast<size_t>(edge)];
  if (!read.capture.empty()) graph_.folded_captures.insert(read.capture);
}

std::optional<Shape> Rewriter::KnownShape(int edge) const {
  const PartialShape& shape = *TypeOf(edge).shape();
  if (!shape.num_elements()) return std::nullopt;
  return Shape(shape.dims());
}

DType Rewriter::DTypeOf(int edge) const { return TypeOf(edge).As<TensorSpec>()->dtype(); }

int Rewriter::AddConstant(Tensor tensor) {
  for (int edge : constants_read_) NoteRead(edge);
  TypeSpec spec = tensor.spec();
  graph_.edges.push_back({std::move(spec), std::move(tensor)});
  producers_.push_back(-1);
  uses_.push_back(0);
  return static_cast<int>(graph_.edges.size()) - 1;
}

bool Rewriter::ReplaceOp(size_t i, std::string_view name, std::vector<int> inputs,
                         const Attributes& attributes) {
  const OpDef* op = ops_.Lookup(name);
  if (op == nullptr) return false;
  auto complete = CompleteAttributes(*op, attributes);
  if (!complete.ok()) return false;
  FlatNode& changed = graph_.nodes[i];
  auto types = InferWithCaptures(graph_, *op, inputs, *complete, graph_.folded_captures);
  if (!types.ok() || types->size() != changed.outputs.size()) return false;
  for (size_t k = 0; k < types->size(); ++k) {
    if (!IsSubtype((*types)[k], TypeOf(changed.outputs[k]))) return false;
  }
  for (int edge : inputs) {
    if (edge != kNoEdge) AddUse(edge);
  }
  std::vector<int> before = std::exchange(changed.inputs, std::move(inputs));
  changed.op = op;
  changed.attributes = *std::move(complete);
  for (int edge : before) {
    if (edge != kNoEdge) RemoveUse(edge);
  }
  return true;
}

bool Rewriter::ReplaceUses(size_t i, int edge) {
  const int output = node(i).outputs[0];
  if (node(i).outputs.size() != 1 || !IsSubtype(TypeOf(edge), TypeOf(output))) return false;
  auto replace = [&](std::vector<int>& edges) {
    for (int& read : edges) {
      if (read != output) continue;
      read = edge;
      AddUse(edge);
      --uses_[static_cast<size_t>(output)];
    }
  };
  for (size_t k = i + 1; k < num_nodes(); ++k) replace(graph_.nodes[k].inputs);
  replace(graph_.results);
  AddUse(edge);  // keeps its producer alive until node `i` is dead
  AddUse(output);
  RemoveUse(output);
  RemoveUse(edge);
  return true;
}

}  // namespace signet
