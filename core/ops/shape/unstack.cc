// unstack: returns the elements along an axis as separate values.

#include "core/ops/build/rows/cuts.h"
#include "core/ops/build/sparse/sparse_structure.h"
#include "core/ops/def/inference.h"
#include "core/ops/shape/shape_ops.h"

namespace signet {
namespace {

// Returns the number of parts along dimension `axis`. C2: `num` is the size of the dimension, and
// may be omitted if the size is known.
StatusOr<int64_t> CountParts(const OpCall& call, std::optional<int64_t> num, const TypeSpec& x,
                             int axis) {
  int64_t size = x.shape()->dim(axis);
  if (size == kUnknownDim && num) size = *num;
  if (size != kUnknownDim && size <= kMaxParts && (!num || *num == size)) return size;
  return WithConstraint(
      "C2", InvalidArgument("dimension ", axis, ": expected ",
                            num ? Cat("size ", *num) : Cat("a known size of at most ", kMaxParts),
                            ", found `", call.inputs[0], "`"));
}

StatusOr<std::optional<int64_t>> NumAttribute(const OpCall& call) {
  SIGNET_ASSIGN_OR_RETURN(auto num, WithConstraint("C2", call.attributes.OptionalInt("num")));
  if (num && (*num < 0 || *num > kMaxParts)) {
    return WithConstraint("C2",
                          InvalidArgument("num: expected 0 to ", kMaxParts, ", found ", *num));
  }
  return num;
}

StatusOr<std::vector<TypeSpec>> InferUnstack(const OpCall& call) {
  // C1: the input is a tensor of rank at least 1.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorInput(call, 0));
  SIGNET_ASSIGN_OR_RETURN(auto num, NumAttribute(call));
  const PartialShape& shape = x->shape();
  if (!shape.has_rank() && num) {
    return std::vector<TypeSpec>(static_cast<size_t>(*num), TensorType(x->dtype(), {}));
  }
  if (!shape.has_rank() || shape.rank() == 0) {
    return WithConstraint("C1", InvalidArgument("input 0: expected a rank of at least 1, found `",
                                                call.inputs[0], "`"));
  }
  SIGNET_ASSIGN_OR_RETURN(int axis, AxisAttribute(call, "axis", shape.rank(), "C2"));
  SIGNET_ASSIGN_OR_RETURN(int64_t size, CountParts(call, num, call.inputs[0], axis));
  PartialShape part = shape.Slice(0, axis).Concatenate(shape.Slice(axis + 1, shape.rank()));
  return std::vector<TypeSpec>(static_cast<size_t>(size), TensorType(x->dtype(), part));
}

StatusOr<std::vector<GraphValue>> ExpandUnstack(OpBuilder& build, const OpCall& call,
                                                std::span<const GraphValue> inputs) {
  const GraphValue& x = inputs[0];
  SIGNET_ASSIGN_OR_RETURN(auto num, NumAttribute(call));
  SIGNET_ASSIGN_OR_RETURN(int axis, CuttableAxis(call, x.spec));
  SIGNET_ASSIGN_OR_RETURN(int64_t size, CountParts(call, num, x.spec, axis));
  if (size == 0) return std::vector<GraphValue>();
  std::vector<int64_t> sizes(static_cast<size_t>(size), 1);
  return CutAlong(build, x, axis, sizes, /*drop=*/true);
}

}  // namespace

OpDef Unstack() {
  return {
      .name = "unstack",
      .summary = "Returns the elements along an axis as separate values",
      .description =
          "Returns one output per element along `axis`, with that dimension removed. `num`, the "
          "size of the dimension, may be omitted if the type of x states it.",
      .inputs = {"x"},
      .attributes = {{"axis", AttributeOf(0)}, {"num", NoneAttribute()}},
      .outputs = {"elements..."},
      .result = "One output per element, of the dtype of x.",
      .constraints =
          {"The input has a rank of at least 1.",
           "`axis` is a dimension that is not ragged, and `num` is its size, at most 65536."},
      .composites = "Accepts the same types as `split`.",
      .infer = InferUnstack,
      .expand = ExpandUnstack,
      .expand_sparse = ExpandSparseUnstack,
      .by_leaf = ByLeaf::kAllInputs,
  };
}

}  // namespace signet
