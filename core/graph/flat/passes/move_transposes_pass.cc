#include "core/graph/flat/passes/move_transposes_pass.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/base/hash.h"
#include "core/graph/flat/control_nodes.h"
#include "core/graph/flat/passes/transposed_graph.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

// Larger weights of a product are not permuted, because the graph would hold a second copy of them.
constexpr size_t kMaxPermutedWeightBytes = size_t{16} << 20;

bool IsElementwise(const OpDef& op) {
  static const auto* const others =
      new std::set<std::string_view>{"clip", "select", "identity", "cast"};
  if (others->contains(op.name)) return true;
  if (op.family == OpFamily::kBinaryElementwise) return true;
  // A bitcast changes the number of dimensions.
  return op.family == OpFamily::kUnaryElementwise && op.inputs.size() == 1 && op.name != "bitcast";
}

size_t NumTransposes(const FlatGraph& graph) {
  return static_cast<size_t>(std::count_if(
      graph.nodes.begin(), graph.nodes.end(),
      [](const FlatNode& node) { return node.op->name == "transpose" && !HasBodies(node); }));
}

// Moves the transposes of one graph.
class TransposeMover {
 public:
  TransposeMover(const FlatGraph& before, const OpRegistry& ops)
      : before_(before), out_(before, ops) {}

  // Returns the rewritten graph, or nothing if it has as many transposes as before.
  std::optional<FlatGraph> Run() {
    for (FlatNode node : before_.nodes) {
      for (int& edge : node.inputs) {
        const View* view = out_.ViewOf(edge);
        if (view != nullptr && IsIdentity(view->perm)) edge = view->source;
      }
      if (!Move(node)) out_.Keep(std::move(node));
    }
    FlatGraph& made = out_.graph();
    for (int& edge : made.results) edge = out_.Materialize(edge);
    PruneDead(made);
    if (NumTransposes(made) >= NumTransposes(before_)) return std::nullopt;
    return std::move(made);
  }

  // Sums up the reductions that add their elements in another order.
  uint64_t rounding() const { return rounding_; }

 private:
  using View = TransposedGraph::View;
  using Edges = TransposedGraph::Edges;

  // Adds what `node` computes in another layout. Returns false if the node stays as it is.
  bool Move(const FlatNode& node) {
    if (HasBodies(node)) return false;
    const std::string& op = node.op->name;
    if (op == "transpose") return AddView(node);
    if (op == "matmul" || op == "linear") return PermuteWeights(node);
    const bool reads_view = std::any_of(node.inputs.begin(), node.inputs.end(),
                                        [&](int edge) { return out_.ViewOf(edge) != nullptr; });
    if (!reads_view || node.inputs.empty()) return false;
    if (IsElementwise(*node.op)) return MoveElementwise(node);
    if (op == "concat") return MoveConcat(node);
    const View* view = out_.ViewOf(node.inputs[0]);
    if (view == nullptr) return false;
    if (node.op->family == OpFamily::kReduction) return MoveReduction(node, *view);
    if (op == "pad") return MovePad(node, *view);
    if (op == "slice") return MoveSlice(node, *view);
    if (op == "split") return MoveSplit(node, *view);
    if (op == "squeeze") return MoveSqueeze(node, *view);
    if (op == "expand_dims") return MoveExpandDims(node, *view);
    if (op == "reshape" || op == "flatten") return MoveReshape(node, *view);
    if (op == "dynamic_size") return MoveSize(node, *view);
    if (op == "dynamic_shape") return PermuteSizes(node, *view);
    return false;
  }

  // transpose(x): a view
  bool AddView(const FlatNode& node) {
    auto perm = PermutationOf(out_.graph(), node);
    if (!perm) return false;
    if (const View* view = out_.ViewOf(node.inputs[0])) {
      return out_.AddView(node.outputs[0], {view->source, Compose(view->perm, *perm)});
    }
    return out_.AddView(node.outputs[0], {out_.Materialize(node.inputs[0]), *perm});
  }

  bool MoveElementwise(const FlatNode& node) {
    if (node.outputs.size() != 1) return false;
    const PartialShape& shape = out_.ShapeOf(node.outputs[0]);
    if (!shape.has_rank()) return false;
    for (int first : node.inputs) {
      const View* view = first == kNoEdge ? nullptr : out_.ViewOf(first);
      // A result that is larger than what is transposed would be transposed at a higher cost.
      if (view == nullptr || out_.ShapeOf(first) != shape) continue;
      const Permutation perm = view->perm;
      Edges inputs;
      bool fits = true;
      for (int edge : node.inputs) {
        inputs.push_back(edge == kNoEdge ? kNoEdge : out_.InLayout(edge, perm));
        fits = fits && (edge == kNoEdge || inputs.back() != kNoEdge);
        if (!fits) break;
      }
      if (fits && out_.Replace(node, std::move(inputs), node.attributes, perm)) return true;
    }
    return false;
  }

  bool MoveConcat(const FlatNode& node) {
    auto given = node.attributes.Int("axis");
    // Only the layout of the first view is tried, because there may be thousands of inputs.
    auto first = std::find_if(node.inputs.begin(), node.inputs.end(),
                              [&](int edge) { return out_.ViewOf(edge) != nullptr; });
    if (!given.ok() || first == node.inputs.end()) return false;
    const Permutation perm = out_.ViewOf(*first)->perm;
    const auto rank = static_cast<int64_t>(perm.size());
    const auto axis = static_cast<size_t>(*given < 0 ? *given + rank : *given);
    if (axis >= perm.size()) return false;
    Edges inputs;
    for (int edge : node.inputs) {
      const PartialShape& shape = out_.ShapeOf(edge);
      const int moved =
          shape.has_rank() && shape.rank() == rank ? out_.InLayout(edge, perm) : kNoEdge;
      if (moved == kNoEdge) return false;
      inputs.push_back(moved);
    }
    return out_.Replace(node, std::move(inputs),
                        node.attributes.With("axis", AttributeOf(perm[axis])), perm);
  }

  // Returns the axes of an attribute, counted from 0.
  static std::optional<std::vector<int64_t>> AxesOf(const FlatNode& node, std::string_view name,
                                                    size_t rank) {
    auto axes = OptionalInts(node.attributes, name);
    if (!axes.ok() || !*axes) return std::nullopt;
    for (int64_t& axis : **axes) {
      axis += axis < 0 ? static_cast<int64_t>(rank) : 0;
      if (axis < 0 || axis >= static_cast<int64_t>(rank)) return std::nullopt;
    }
    return **axes;
  }

  static bool AreLast(const std::vector<int64_t>& axes, size_t rank) {
    return std::all_of(axes.begin(), axes.end(), [&](int64_t axis) {
      return axis >= static_cast<int64_t>(rank - axes.size());
    });
  }

  bool MoveReduction(const FlatNode& node, const View& view) {
    const size_t rank = view.perm.size();
    for (size_t i = 1; i < node.inputs.size(); ++i) {
      if (node.inputs[i] != kNoEdge) return false;
    }
    auto axes = AxesOf(node, "axes", rank);
    auto keepdims = node.attributes.Bool("keepdims");
    if (!axes || axes->empty() || !keepdims.ok()) return false;
    std::vector<int64_t> moved;
    for (int64_t axis : *axes) moved.push_back(view.perm[static_cast<size_t>(axis)]);
    std::sort(moved.begin(), moved.end());
    if (AreLast(*axes, rank) && !AreLast(moved, rank)) return false;
    Permutation perm;
    for (size_t i = 0; i < rank; ++i) {
      const bool is_reduced = std::find(axes->begin(), axes->end(), i) != axes->end();
      if (*keepdims || !is_reduced) perm.push_back(view.perm[i]);
    }
    const Attributes attributes = node.attributes.With("axes", ListOf(moved));
    if (!out_.Replace(node, {view.source}, attributes, Compress(perm))) return false;
    rounding_ += MixHash(HashBytes(node.op->name), HashBytes("MoveReduction"));
    return true;
  }

  // Returns a list with one entry per dimension of the result, in the order of the source.
  static std::vector<int64_t> InSourceOrder(const std::vector<int64_t>& list,
                                            const Permutation& perm) {
    std::vector<int64_t> moved(list.size());
    for (size_t i = 0; i < list.size(); ++i) moved[static_cast<size_t>(perm[i])] = list[i];
    return moved;
  }

  bool MovePad(const FlatNode& node, const View& view) {
    Edges inputs = {view.source};
    Attributes attributes = node.attributes;
    if (node.inputs.size() > 1) inputs.push_back(out_.Materialize(node.inputs[1]));
    for (size_t i : {size_t{2}, size_t{3}}) {
      const char* name = i == 2 ? "before" : "after";
      const int edge = i < node.inputs.size() ? node.inputs[i] : kNoEdge;
      auto list = OptionalInts(attributes, name);
      if (!list.ok() || (*list && edge != kNoEdge)) return false;
      if (edge != kNoEdge) {
        const FlatEdge& known = out_.graph().edges[static_cast<size_t>(edge)];
        if (!known.constant.has_value() || !IsIndexDType(known.constant.dtype())) return false;
        if (!known.capture.empty()) out_.graph().folded_captures.insert(known.capture);
        *list = IntsOf(known.constant);
      }
      if (!*list) continue;
      if ((*list)->size() != view.perm.size()) return false;
      attributes = attributes.With(name, ListOf(InSourceOrder(**list, view.perm)));
    }
    return out_.Replace(node, std::move(inputs), attributes, view.perm);
  }

  bool MoveSlice(const FlatNode& node, const View& view) {
    for (size_t i = 1; i < node.inputs.size(); ++i) {
      if (node.inputs[i] != kNoEdge) return false;
    }
    std::vector<int64_t> axes;
    if (IsNone(node.attributes, "axes")) {
      size_t length = 0;
      for (const char* name : {"starts", "limits", "sizes", "steps"}) {
        auto list = OptionalInts(node.attributes, name);
        if (!list.ok()) return false;
        if (*list) length = (*list)->size();
      }
      if (length > view.perm.size()) return false;
      axes = IdentityOf(static_cast<int>(length));
    } else {
      auto given = AxesOf(node, "axes", view.perm.size());
      if (!given) return false;
      axes = *std::move(given);
    }
    for (int64_t& axis : axes) axis = view.perm[static_cast<size_t>(axis)];
    return out_.Replace(node, {view.source}, node.attributes.With("axes", ListOf(axes)), view.perm);
  }

  bool MoveSplit(const FlatNode& node, const View& view) {
    auto axes = AxesOf(node, "axis", view.perm.size());
    if (!axes || axes->size() != 1) return false;
    const int64_t axis = view.perm[static_cast<size_t>((*axes)[0])];
    return out_.Replace(node, {view.source}, node.attributes.With("axis", AttributeOf(axis)),
                        view.perm);
  }

  bool MoveSqueeze(const FlatNode& node, const View& view) {
    auto axes = AxesOf(node, "axes", view.perm.size());
    if (!axes) return false;
    Permutation rest;
    for (size_t i = 0; i < view.perm.size(); ++i) {
      if (std::find(axes->begin(), axes->end(), i) == axes->end()) rest.push_back(view.perm[i]);
    }
    for (int64_t& axis : *axes) axis = view.perm[static_cast<size_t>(axis)];
    return out_.Replace(node, {view.source}, node.attributes.With("axes", ListOf(*axes)),
                        Compress(rest));
  }

  bool MoveExpandDims(const FlatNode& node, const View& view) {
    auto axes = AxesOf(node, "axis", view.perm.size() + 1);
    if (!axes || axes->size() != 1) return false;
    const int64_t axis = (*axes)[0];
    Permutation perm;
    for (int64_t entry : view.perm) perm.push_back(entry + (entry >= axis ? 1 : 0));
    perm.insert(perm.begin() + axis, axis);
    return out_.Replace(node, {view.source}, node.attributes.With("axis", AttributeOf(axis)), perm);
  }

  bool MoveReshape(const FlatNode& node, const View& view) {
    const int output = node.outputs[0];
    if (KeepsElementOrder(out_.ShapeOf(view.source), view.perm)) {
      if (node.op->name == "reshape") {
        Edges inputs = {view.source};
        if (node.inputs.size() > 1) inputs.push_back(out_.Materialize(node.inputs[1]));
        return out_.Write("reshape", std::move(inputs), node.attributes, output);
      }
      const auto dims = out_.ShapeOf(output).dims();
      const std::vector<int64_t> sizes(dims.begin(), dims.end());
      return std::count(sizes.begin(), sizes.end(), kUnknownDim) <= 1 &&
             std::count(sizes.begin(), sizes.end(), 0) == 0 &&
             out_.Write("reshape", {view.source}, Attributes({{"shape", ListOf(sizes)}}), output);
    }
    if (!IsFlattened(node, view)) return false;
    out_.Delay(node);
    return true;
  }

  // Returns true if `node` merges all dimensions of a view except for the first one.
  bool IsFlattened(const FlatNode& node, const View& view) const {
    const PartialShape& from = out_.ShapeOf(node.inputs[0]);
    const PartialShape& to = out_.ShapeOf(node.outputs[0]);
    if (!to.has_rank() || to.rank() != 2 || view.perm[0] != 0) return false;
    const int64_t row = KnownProduct(from, 1, from.rank());
    return row > 0 && to.dim(1) == row;
  }

  // matmul(flatten(transpose(x)), weights): the product of flatten(x) and permuted weights
  bool PermuteWeights(const FlatNode& node) {
    const FlatNode* delayed = out_.DelayedAt(node.inputs[0]);
    if (delayed == nullptr || node.attributes.Bool("transpose_a").value_or(true)) {
      return false;
    }
    const FlatNode& flat = *delayed;
    const View& view = *out_.ViewOf(flat.inputs[0]);
    const int weights = node.inputs[1];
    const Tensor& tensor = out_.ConstantAt(weights);
    if (!tensor.has_value() || tensor.rank() != 2) return false;
    if (tensor.num_bytes() > kMaxPermutedWeightBytes || tensor.num_elements() == 0) return false;
    const bool is_transposed = node.attributes.Bool("transpose_b").value_or(false);
    // The rows of the weights as a tensor with one dimension per flattened dimension.
    const auto seen = out_.ShapeOf(flat.inputs[0]).dims();
    std::vector<int64_t> dims(seen.begin() + 1, seen.end());
    const Permutation inverse = InverseOf(view.perm);
    Permutation perm;
    for (size_t i = 1; i < inverse.size(); ++i) perm.push_back(inverse[i] - 1);
    if (is_transposed) {
      dims.insert(dims.begin(), tensor.shape().dim(0));
      for (int64_t& axis : perm) ++axis;
      perm.insert(perm.begin(), 0);
    } else {
      dims.push_back(tensor.shape().dim(1));
      perm.push_back(static_cast<int64_t>(perm.size()));
    }
    const Shape shape = tensor.shape();
    const int permuted = out_.TransposedConstant(weights, dims, perm);
    if (permuted == kNoEdge) return false;
    const int constant = out_.AddConstant(out_.ConstantAt(permuted).Reshaped(shape));
    const auto to = out_.ShapeOf(flat.outputs[0]).dims();  // an unknown number of rows is -1
    const int rows = out_.Reshape(view.source, std::vector<int64_t>(to.begin(), to.end()));
    if (rows == kNoEdge) return false;
    FlatNode product = node;
    product.inputs[0] = rows;
    product.inputs[1] = constant;
    out_.Keep(std::move(product));
    rounding_ += MixHash(HashBytes(node.op->name), HashBytes("PermuteWeights"));
    return true;
  }

  bool MoveSize(const FlatNode& node, const View& view) {
    auto axes = AxesOf(node, "axis", view.perm.size());
    if (!axes || axes->size() != 1) return false;
    const int64_t axis = view.perm[static_cast<size_t>((*axes)[0])];
    return out_.Write("dynamic_size", {view.source}, Attributes({{"axis", AttributeOf(axis)}}),
                      node.outputs[0]);
  }

  bool PermuteSizes(const FlatNode& node, const View& view) {
    const int sizes = out_.Call("dynamic_shape", {view.source}, {});
    if (sizes == kNoEdge) return false;
    const auto rank = static_cast<int64_t>(view.perm.size());
    const int order = out_.AddConstant(Tensor::Of<int64_t>({rank}, view.perm));
    return out_.Write("gather", {sizes, order}, Attributes({{"axis", AttributeOf(0)}}),
                      node.outputs[0]);
  }

  const FlatGraph& before_;
  TransposedGraph out_;
  uint64_t rounding_ = 0;
};

PassResult MoveTransposes(Rewriter& rewriter) {
  // Most graphs have no transpose, and are not copied.
  if (NumTransposes(rewriter.graph()) == 0) return {};
  FlatGraph before = rewriter.graph();
  PruneDead(before);
  TransposeMover mover(before, rewriter.ops());
  auto moved = mover.Run();
  if (!moved) return {};
  rewriter.ReplaceGraph(*std::move(moved));
  return {.changed = true, .rounding = mover.rounding()};
}

}  // namespace

const Pass kMoveTransposesPass = {"MoveTransposes", /*may_change_rounding=*/true, MoveTransposes};

}  // namespace signet
