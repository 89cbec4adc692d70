// split: cuts a value into parts along an axis.

#include "core/ops/build/rows/cuts.h"
#include "core/ops/build/sparse/sparse_structure.h"
#include "core/ops/def/inference.h"
#include "core/ops/shape/shape_ops.h"

namespace signet {
namespace {

// Returns the sizes of the parts of a dimension of size `size`. A size is kUnknownDim if it depends
// on an unknown `size`. Checks C3 and C4.
StatusOr<std::vector<int64_t>> PartSizes(const OpCall& call, int64_t size) {
  SIGNET_ASSIGN_OR_RETURN(WantedParts wanted, WantedPartsOf(call));
  // C4: the parts make up the dimension.
  if (wanted.sizes) {
    if (size == kUnknownDim || wanted.total == size) return *wanted.sizes;
    return WithConstraint("C4",
                          InvalidArgument("expected parts with a total size of ", size,
                                          ", the size of the dimension, found ", wanted.total));
  }
  if (size != kUnknownDim && size % wanted.count != 0) {
    return WithConstraint(
        "C4", InvalidArgument("a dimension of size ", size, " cannot be cut into ", wanted.count,
                              " equal parts"));
  }
  return std::vector<int64_t>(static_cast<size_t>(wanted.count),
                              size == kUnknownDim ? kUnknownDim : size / wanted.count);
}

StatusOr<std::vector<TypeSpec>> InferSplit(const OpCall& call) {
  // C1: the input is a tensor of rank at least 1.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorInput(call, 0));
  const PartialShape& shape = x->shape();
  if (!shape.has_rank()) {
    SIGNET_ASSIGN_OR_RETURN(auto parts, PartSizes(call, kUnknownDim));
    return std::vector<TypeSpec>(parts.size(), TensorType(x->dtype(), {}));
  }
  if (shape.rank() == 0) {
    return WithConstraint("C1", InvalidArgument("input 0: expected a rank of at least 1, found `",
                                                call.inputs[0], "`"));
  }
  // C2: `axis` is a dimension.
  SIGNET_ASSIGN_OR_RETURN(int axis, AxisAttribute(call, "axis", shape.rank(), "C2"));
  SIGNET_ASSIGN_OR_RETURN(auto parts, PartSizes(call, shape.dim(axis)));
  std::vector<TypeSpec> out;
  for (int64_t part : parts) out.push_back(TensorType(x->dtype(), shape.WithDim(axis, part)));
  return out;
}

StatusOr<std::vector<GraphValue>> ExpandSplit(OpBuilder& build, const OpCall& call,
                                              std::span<const GraphValue> inputs) {
  const GraphValue& x = inputs[0];
  SIGNET_ASSIGN_OR_RETURN(int axis, CuttableAxis(call, x.spec));
  SIGNET_ASSIGN_OR_RETURN(auto sizes, PartSizes(call, x.spec.shape()->dim(axis)));
  // A ragged value can be returned as a single part along any axis.
  bool whole = x.spec.is(TypeKind::kRagged) && sizes.size() == 1 && sizes[0] == kUnknownDim;
  if (whole) return std::vector<GraphValue>{x};
  return CutAlong(build, x, axis, sizes, /*drop=*/false);
}

}  // namespace

OpDef Split() {
  return {
      .name = "split",
      .summary = "Cuts a value into parts along an axis",
      .description =
          "Cuts x along `axis` into `num` parts of equal size, or into parts of the given `sizes`. "
          "Parts along axis 0 of ragged values and structures share their elements with x.",
      .inputs = {"x"},
      .attributes = {{"axis", AttributeOf(0)},
                     {"num", NoneAttribute()},
                     {"sizes", NoneAttribute()}},
      .outputs = {"parts..."},
      .result = "One output per part, each of the dtype and rank of x.",
      .constraints = {"The input has a rank of at least 1.",
                      "`axis` is a dimension that is not ragged. A ragged value is one part of "
                      "itself along any axis.",
                      "`num` is at least 1, or `sizes` is given; if both are given, they agree. "
                      "There are at most 65536 parts.",
                      "The parts make up the dimension."},
      .composites =
          "Ragged values and structures are cut along their own dimensions. On a sparse value, "
          "`num` parts may differ: the first parts are larger by one; C4: there is at most one "
          "part per element.",
      .infer = InferSplit,
      .expand = ExpandSplit,
      .expand_sparse = ExpandSparseSplit,
      .by_leaf = ByLeaf::kAllInputs,
  };
}

}  // namespace signet
