// matmul_integer: multiplies matrices of 8-bit integers minus their zero points.

#include "core/ops/def/inference.h"
#include "core/ops/linalg/linalg_ops.h"
#include "core/ops/linalg/matmul.h"

namespace signet {
namespace {

Status CheckMatrix(const OpCall& call, size_t i) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* input, TensorInput(call, i));
  if (input->dtype() != DType::kInt8 && input->dtype() != DType::kUInt8) {
    return WithConstraint("C1", InvalidArgument("input ", i, ": expected int8 or uint8, found `",
                                                call.inputs[i], "`"));
  }
  // C2: the input has rank 1 or more.
  if (!input->shape().has_rank() || input->shape().rank() > 0) return absl::OkStatus();
  return WithConstraint("C2", InvalidArgument("input ", i, ": expected rank 1 or more, found `",
                                              call.inputs[i], "`"));
}

// C3: a zero point has the dtype of its matrix. It is one number, or a vector of `count` numbers,
// one for each `each`.
Status CheckZeroPoint(const OpCall& call, size_t i, size_t matrix, int64_t count,
                      std::string_view each) {
  if (!HasInput(call, i)) return absl::OkStatus();
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* zero, TensorInput(call, i));
  const PartialShape& shape = zero->shape();
  bool fits = zero->dtype() == call.inputs[matrix].As<TensorSpec>()->dtype() &&
              (shape.IsCompatibleWith(Shape{}) || shape.IsCompatibleWith({1}) ||
               shape.IsCompatibleWith({count}));
  if (fits) return absl::OkStatus();
  return WithConstraint(
      "C3", InvalidArgument("input ", i, ": expected one number, or a vector with one number per ",
                            each, ", of the dtype of `", call.inputs[matrix], "`, found `",
                            call.inputs[i], "`"));
}

StatusOr<std::vector<TypeSpec>> InferMatmulInteger(const OpCall& call) {
  // C1: the matrices are int8 or uint8.
  SIGNET_RETURN_IF_ERROR(CheckMatrix(call, 0));
  SIGNET_RETURN_IF_ERROR(CheckMatrix(call, 1));
  SIGNET_ASSIGN_OR_RETURN(PartialShape shape, MatmulShape(call, false, false));
  const PartialShape& a = *call.inputs[0].shape();
  const PartialShape& b = *call.inputs[1].shape();
  int64_t rows = !a.has_rank() ? kUnknownDim : a.rank() > 1 ? a.dim(a.rank() - 2) : 1;
  int64_t columns = !b.has_rank() ? kUnknownDim : b.rank() > 1 ? b.dim(b.rank() - 1) : 1;
  SIGNET_RETURN_IF_ERROR(CheckZeroPoint(call, 2, 0, rows, "row"));
  SIGNET_RETURN_IF_ERROR(CheckZeroPoint(call, 3, 1, columns, "column"));
  return OneOutput(TensorType(DType::kInt32, std::move(shape)));
}

}  // namespace

OpDef MatmulInteger() {
  return {
      .name = "matmul_integer",
      .summary = "Multiplies matrices of 8-bit integers",
      .description =
          "Computes the product of `a - a_zero_point` and `b - b_zero_point` as `matmul` does, in "
          "int32. Sums that exceed int32 wrap around. A missing zero point is 0.",
      .inputs = {"a", "b", "a_zero_point?", "b_zero_point?"},
      .result = "A tensor of int32.",
      .constraints = {"The matrices are int8 or uint8.", "The matrices have a rank of at least 1.",
                      "A zero point has the dtype of its matrix. It is one number, or one number "
                      "per row of a or per column of b.",
                      "", "The dimensions that are summed over are equal.",
                      "The batch dimensions broadcast, and the result has at most 2^31 elements."},
      .infer = InferMatmulInteger,
  };
}

}  // namespace signet
