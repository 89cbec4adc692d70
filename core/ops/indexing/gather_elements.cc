// gather_elements: selects one element per index along an axis.
//
//   gather_elements([[1, 2], [3, 4]], [[1, 0]], axis=0)  =>  [[3, 2]]

#include "core/ops/def/inference.h"
#include "core/ops/indexing/indexed.h"
#include "core/ops/indexing/indexing_ops.h"

namespace signet {

StatusOr<int> CheckIndexed(const OpCall& call, const TensorSpec& x, const TensorSpec& indices) {
  if (!IsIndexDType(indices.dtype())) {
    return WithConstraint(
        "C1", InvalidArgument("input 1: expected int32 or int64, found `", call.inputs[1], "`"));
  }
  if (!x.shape().has_rank()) return 0;
  // C2: `axis` is a dimension.
  SIGNET_ASSIGN_OR_RETURN(int axis, AxisAttribute(call, "axis", x.shape().rank(), "C2"));
  // C3: the indices have the rank of `x`, and no other dimension is larger than in `x`.
  bool fits = !indices.shape().has_rank() || indices.shape().rank() == x.shape().rank();
  for (int k = 0; fits && indices.shape().has_rank() && k < x.shape().rank(); ++k) {
    int64_t size = x.shape().dim(k);
    fits = k == axis || size == kUnknownDim || indices.shape().dim(k) <= size;
  }
  if (fits) return axis;
  return WithConstraint("C3", InvalidArgument("input 1: expected the rank of `", call.inputs[0],
                                              "` and no larger dimension, except axis ", axis,
                                              ", found `", call.inputs[1], "`"));
}

namespace {

StatusOr<std::vector<TypeSpec>> InferGatherElements(const OpCall& call) {
  // C1: the inputs are tensors, and the indices are int32 or int64.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorInput(call, 0));
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* indices, TensorInput(call, 1));
  SIGNET_RETURN_IF_ERROR(CheckIndexed(call, *x, *indices).status());
  return OneOutput(TensorType(x->dtype(), indices->shape()));
}

}  // namespace

OpDef GatherElements() {
  return {
      .name = "gather_elements",
      .summary = "Selects one element per index along an axis",
      .description =
          "Returns one element per index: the element at the position of the index, but along "
          "`axis` at the position that the index states.",
      .inputs = {"x", "indices"},
      .attributes = {{"axis", AttributeOf(0)}},
      .result = "A value with the dtype of x and the shape of the indices.",
      .constraints = {"The inputs are tensors, and the indices are int32 or int64.",
                      "`axis` is a dimension of x.",
                      "The indices have the rank of x, and no other dimension of them is longer "
                      "than that of x.",
                      "Each index is in range (OUT_OF_RANGE)."},
      .infer = InferGatherElements,
      .own_dtypes = {"indices"},
  };
}

}  // namespace signet
