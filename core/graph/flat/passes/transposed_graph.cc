#include "core/graph/flat/passes/transposed_graph.h"

#include <algorithm>

#include "core/graph/flat/capture_edges.h"
#include "core/graph/flat/run_kernel.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

bool SwapsLastTwo(const Permutation& perm) {
  Permutation swapped = IdentityOf(static_cast<int>(perm.size()));
  if (perm.size() >= 2) std::swap(swapped[perm.size() - 1], swapped[perm.size() - 2]);
  return perm == swapped;
}

// Returns the argument of a reshape to `shape`. Empty if a reshape cannot state the shape.
std::optional<std::vector<int64_t>> SizesOf(const PartialShape& shape) {
  std::vector<int64_t> sizes(shape.dims().begin(), shape.dims().end());
  const auto unknown = std::count(sizes.begin(), sizes.end(), kUnknownDim);
  // Next to a size of 0, an unknown size cannot be computed.
  if (unknown > 1 || (unknown == 1 && std::count(sizes.begin(), sizes.end(), 0) > 0)) {
    return std::nullopt;
  }
  return sizes;
}

}  // namespace

TypeSpec ListOf(const std::vector<int64_t>& values) {
  return AttributeOf(std::span<const int64_t>(values));
}

TransposedGraph::TransposedGraph(const FlatGraph& graph, const OpRegistry& ops)
    : ops_(ops), made_(graph) {
  made_.nodes.clear();
}

const TransposedGraph::View* TransposedGraph::ViewOf(int edge) const {
  auto found = views_.find(edge);
  return found == views_.end() ? nullptr : &found->second;
}

const FlatNode* TransposedGraph::DelayedAt(int edge) const {
  auto found = delayed_.find(edge);
  return found == delayed_.end() ? nullptr : &found->second;
}

bool TransposedGraph::AddView(int edge, View view) {
  const PartialShape& shape = ShapeOf(view.source);
  if (!shape.has_rank() || shape.rank() != static_cast<int>(view.perm.size())) return false;
  const DType dtype = TypeOf(view.source).As<TensorSpec>()->dtype();
  if (!IsSubtype(TensorType(dtype, Permute(shape, view.perm)), TypeOf(edge))) return false;
  views_[edge] = std::move(view);
  return true;
}

std::optional<TransposedGraph::InferredCall> TransposedGraph::Infer(std::string_view name,
                                                                    const Edges& inputs,
                                                                    const Attributes& attributes) {
  InferredCall call{.op = ops_.Lookup(name)};
  if (call.op == nullptr) return std::nullopt;
  auto complete = CompleteAttributes(*call.op, attributes);
  if (!complete.ok()) return std::nullopt;
  call.attributes = *std::move(complete);
  auto types = InferWithCaptures(made_, *call.op, inputs, call.attributes, made_.folded_captures);
  if (!types.ok()) return std::nullopt;
  call.types = *std::move(types);
  return call;
}

int TransposedGraph::AddEdge(TypeSpec spec) {
  made_.edges.push_back({std::move(spec), {}});
  return static_cast<int>(made_.edges.size()) - 1;
}

int TransposedGraph::AddConstant(Tensor tensor) {
  const int edge = AddEdge(tensor.spec());
  made_.edges.back().constant = std::move(tensor);
  return edge;
}

int TransposedGraph::Call(std::string_view op, Edges inputs, const Attributes& attributes) {
  auto call = Infer(op, inputs, attributes);
  if (!call || call->types.size() != 1) return kNoEdge;
  const int output = AddEdge(call->types[0]);
  made_.nodes.push_back({call->op, std::move(inputs), std::move(call->attributes), {output}});
  return output;
}

int TransposedGraph::Reshape(int edge, const std::vector<int64_t>& sizes) {
  return Call("reshape", {edge}, Attributes({{"shape", ListOf(sizes)}}));
}

bool TransposedGraph::Write(std::string_view op, Edges inputs, const Attributes& attributes,
                            int output) {
  auto call = Infer(op, inputs, attributes);
  if (!call || call->types.size() != 1 || !IsSubtype(call->types[0], TypeOf(output))) return false;
  made_.nodes.push_back({call->op, std::move(inputs), std::move(call->attributes), {output}});
  return true;
}

bool TransposedGraph::Replace(const FlatNode& node, Edges inputs, const Attributes& attributes,
                              const Permutation& perm) {
  auto call = Infer(node.op->name, inputs, attributes);
  if (!call || call->types.size() != node.outputs.size()) return false;
  FlatNode made{call->op, std::move(inputs), std::move(call->attributes), {}};
  bool fits = true;
  for (size_t i = 0; i < call->types.size() && fits; ++i) {
    made.outputs.push_back(AddEdge(call->types[i]));
    fits = AddView(node.outputs[i], {made.outputs.back(), perm});
  }
  if (!fits) {
    for (int output : node.outputs) views_.erase(output);
    return false;
  }
  made_.nodes.push_back(std::move(made));
  return true;
}

int TransposedGraph::Materialize(int edge) {
  if (edge == kNoEdge) return edge;
  if (auto delayed = delayed_.find(edge); delayed != delayed_.end()) {
    FlatNode node = std::move(delayed->second);
    delayed_.erase(delayed);
    Keep(std::move(node));
    return edge;
  }
  const View* view = ViewOf(edge);
  if (view == nullptr || written_.contains(edge)) return edge;
  if (IsIdentity(view->perm)) return view->source;
  // Matrix products absorb such a transpose only if they are its only reader.
  if (!SwapsLastTwo(view->perm)) {
    auto same = transposed_.find({view->source, view->perm});
    if (same != transposed_.end() && IsSubtype(TypeOf(same->second), TypeOf(edge))) {
      return same->second;
    }
  }
  WriteTransposed(*view, edge);
  written_.insert(edge);
  transposed_.insert({{view->source, view->perm}, edge});
  return edge;
}

void TransposedGraph::WriteTransposed(const View& view, int output) {
  const PartialShape& shape = ShapeOf(view.source);
  if (KeepsElementOrder(shape, view.perm)) {
    auto sizes = SizesOf(Permute(shape, view.perm));
    if (sizes && Write("reshape", {view.source}, Attributes({{"shape", ListOf(*sizes)}}), output)) {
      return;
    }
  }
  SIGNET_CHECK(
      Write("transpose", {view.source}, Attributes({{"perm", ListOf(view.perm)}}), output));
}

void TransposedGraph::Keep(FlatNode node) {
  for (int& edge : node.inputs) edge = Materialize(edge);
  made_.nodes.push_back(std::move(node));
}

int TransposedGraph::InLayout(int edge, const Permutation& perm) {
  const Permutation inverse = InverseOf(perm);
  if (const View* view = ViewOf(edge); view != nullptr && view->perm.size() == perm.size()) {
    if (view->perm == perm) return view->source;
    auto made = transposed_.find({view->source, Compose(view->perm, inverse)});
    if (made != transposed_.end()) return made->second;
  }
  const PartialShape& shape = ShapeOf(edge);
  if (!shape.has_rank() || shape.rank() > static_cast<int>(perm.size())) return kNoEdge;
  if (shape.rank() == 0) return Materialize(edge);
  if (auto made = in_layout_.find({edge, perm}); made != in_layout_.end()) return made->second;
  if (auto made = transposed_.find({edge, inverse}); made != transposed_.end()) {
    return made->second;
  }
  std::vector<int64_t> dims(perm.size() - static_cast<size_t>(shape.rank()), 1);
  dims.insert(dims.end(), shape.dims().begin(), shape.dims().end());
  int made = kNoEdge;
  if (ConstantAt(edge).has_value()) {
    made = TransposedConstant(edge, dims, inverse);
  } else {
    const PartialShape wide{std::span<const int64_t>(dims)};
    auto sizes = SizesOf(Permute(wide, inverse));
    if (sizes && KeepsElementOrder(wide, inverse)) made = Reshape(Materialize(edge), *sizes);
  }
  if (made != kNoEdge) in_layout_[{edge, perm}] = made;
  return made;
}

int TransposedGraph::TransposedConstant(int edge, const std::vector<int64_t>& dims,
                                        const Permutation& perm) {
  const Tensor shaped = ConstantAt(edge).Reshaped(Shape(std::span<const int64_t>(dims)));
  auto moved = Transposed(shaped, perm);
  if (!moved) return kNoEdge;
  const std::string& capture = made_.edges[static_cast<size_t>(edge)].capture;
  if (!capture.empty()) made_.folded_captures.insert(capture);
  return AddConstant(*std::move(moved));
}

std::optional<Tensor> TransposedGraph::Transposed(const Tensor& tensor,
                                                  const Permutation& perm) const {
  const PartialShape shape(tensor.shape());
  if (KeepsElementOrder(shape, perm)) return tensor.Reshaped(Shape(Permute(shape, perm).dims()));
  const OpDef* op = ops_.Lookup("transpose");
  if (op == nullptr) return std::nullopt;
  const Attributes attributes({{"perm", ListOf(perm)}});
  const TypeSpec input = tensor.spec();
  const Tensor* constant = &tensor;
  const OpCall call{*op, std::span(&input, 1), attributes, std::span(&constant, 1)};
  auto types = op->infer(call);
  if (!types.ok()) return std::nullopt;
  auto made = RunKernelOnce(call, *types);
  if (!made.ok()) return std::nullopt;
  return std::move((*made)[0]);
}

}  // namespace signet
