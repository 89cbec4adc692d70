// where_indices: returns the coordinates of the elements that are True.
//
//   where_indices([[True, False], [True, True]])  =>  [[0, 0], [1, 0], [1, 1]]

#include "core/ops/def/inference.h"
#include "core/ops/indexing/indexing_ops.h"

namespace signet {
namespace {

StatusOr<std::vector<TypeSpec>> InferWhereIndices(const OpCall& call) {
  // C1: the input is a bool tensor.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorInput(call, 0));
  if (x->dtype() != DType::kBool) {
    return WithConstraint("C1",
                          InvalidArgument("input 0: expected bool, found `", call.inputs[0], "`"));
  }
  int64_t rank = x->shape().has_rank() ? x->shape().rank() : kUnknownDim;
  return OneOutput(TensorType(DType::kInt64, {kUnknownDim, rank}));
}

}  // namespace

OpDef WhereIndices() {
  return {
      .name = "where_indices",
      .summary = "Returns the coordinates at which a tensor is True",
      .description = "Returns the coordinates of the elements that are True, in row-major order.",
      .inputs = {"x"},
      .result = "`int64[n, rank]`.",
      .constraints = {"The input is a tensor of bool."},
      .infer = InferWhereIndices,
  };
}

}  // namespace signet
