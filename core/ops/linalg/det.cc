// det: computes the determinants of matrices.

#include "core/ops/def/inference.h"
#include "core/ops/linalg/linalg_ops.h"

namespace signet {
namespace {

StatusOr<std::vector<TypeSpec>> InferDet(const OpCall& call) {
  // C1: the input is a tensor. C2: it has dtype float32 or float64.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorInput(call, 0));
  if (x->dtype() != DType::kFloat32 && x->dtype() != DType::kFloat64) {
    return WithConstraint("C2", InvalidArgument("input 0: expected float32 or float64, found `",
                                                call.inputs[0], "`"));
  }
  if (!x->shape().has_rank()) return OneOutput(TensorType(x->dtype(), {}));
  // C3: the matrices are square.
  int rank = x->shape().rank();
  int64_t rows = rank < 2 ? 0 : x->shape().dim(rank - 2);
  int64_t columns = rank < 2 ? 0 : x->shape().dim(rank - 1);
  bool differ = rows != columns && rows != kUnknownDim && columns != kUnknownDim;
  if (rank < 2 || differ) {
    return WithConstraint(
        "C3", InvalidArgument("input 0: expected square matrices, found `", call.inputs[0], "`"));
  }
  return OneOutput(TensorType(x->dtype(), x->shape().Slice(0, rank - 2)));
}

}  // namespace

OpDef Det() {
  return {.name = "det",
          .summary = "Computes determinants",
          .description =
              "Computes the determinants of the matrices in the last two dimensions, in float64.",
          .inputs = {"x"},
          .result = "A tensor of the dtype of x, without the last two dimensions.",
          .constraints = {"The input is a tensor.", "The dtype is float32 or float64.",
                          "The matrices are square."},
          .infer = InferDet};
}

}  // namespace signet
