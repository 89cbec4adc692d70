// reshape: changes the shape of a tensor without changing its elements.

#include "core/base/checked_math.h"
#include "core/ops/build/literal_inputs.h"
#include "core/ops/build/sparse/sparse_structure.h"
#include "core/ops/def/inference.h"
#include "core/ops/def/int_list.h"
#include "core/ops/shape/shape_ops.h"

namespace signet {
namespace {

// Returns `dims` with its -1, if any, replaced by the size with which the shape has `count`
// elements.
StatusOr<PartialShape> ResolveUnknownSize(std::vector<int64_t> dims, int64_t count) {
  int free = -1;
  std::vector<int64_t> others;
  for (size_t i = 0; i < dims.size(); ++i) {
    // C2: each dimension is at least 0, except for one that may be -1.
    if (dims[i] < -1 || (dims[i] == -1 && free >= 0)) {
      return WithConstraint(
          "C2", InvalidArgument("dimension ", i,
                                " of `shape`: expected at least 0, or -1 once, found ", dims[i]));
    }
    if (dims[i] == -1) {
      free = static_cast<int>(i);
    } else {
      others.push_back(dims[i]);
    }
  }
  SIGNET_RETURN_IF_ERROR(CheckOutputSize(others));
  int64_t product = *CheckedProduct(others);
  PartialShape shape{std::span<const int64_t>(dims)};  // -1 is kUnknownDim
  if (count == kUnknownDim) return shape;
  // C3: the number of elements stays the same.
  bool fits = free < 0 ? product == count : product == 0 ? false : count % product == 0;
  if (!fits) {
    return WithConstraint(
        "C3", InvalidArgument("expected a shape with ", count, " elements, found `", shape, "`"));
  }
  return free < 0 ? shape : shape.WithDim(free, count / product);
}

StatusOr<std::vector<TypeSpec>> InferReshape(const OpCall& call) {
  // C1: input 0 is a tensor. The shape is given once: as an attribute or as a vector of integers.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorInput(call, 0));
  SIGNET_ASSIGN_OR_RETURN(IntList list, WithConstraint("C1", RequiredIntList(call, "shape", 1)));
  if (!list.known) return OneOutput(TensorType(x->dtype(), ShapeOfLength(list.length)));
  int64_t count = kUnknownDim;
  if (x->shape().has_rank()) count = KnownProduct(x->shape(), 0, x->shape().rank());
  SIGNET_ASSIGN_OR_RETURN(PartialShape shape, ResolveUnknownSize(*list.known, count));
  return OneOutput(TensorType(x->dtype(), std::move(shape)));
}

}  // namespace

OpDef Reshape() {
  return {
      .name = "reshape",
      .summary = "Changes the shape without changing the elements",
      .description =
          "Returns the same elements, in row-major order, under another shape. One size may be -1; "
          "it is computed from the others. Nothing is copied. The shape is an attribute, or a "
          "vector of integers.",
      .inputs = {"x", "shape?"},
      .attributes = {{"shape", NoneAttribute()}},
      .result = "A tensor of the dtype of x.",
      .constraints = {"The input is a tensor or a sparse value. The shape is given once: as an "
                      "attribute or as a vector of integers.",
                      "Each size is at least 0, except for one that is -1.",
                      "The number of elements stays the same."},
      .composites = "On a sparse value, the entries move to the positions in the new dense shape.",
      .infer = InferReshape,
      .expand = ExpandWithInt64Lists,
      .expand_sparse = ExpandSparseReshape,
      .literals_as_tensors = false,
      .aliasing = Aliasing::kView,
  };
}

}  // namespace signet
