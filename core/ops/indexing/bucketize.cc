// bucketize: finds the range between boundaries that contains each number.
//
//   bucketize([-1, 0, 5, 99], [0, 10])  =>  [0, 1, 1, 2]

#include "core/ops/build/flat_values.h"
#include "core/ops/def/inference.h"
#include "core/ops/indexing/indexing_ops.h"

namespace signet {
namespace {

bool IsRead(DType dtype) {
  return IsInteger(dtype) || dtype == DType::kFloat32 || dtype == DType::kFloat64;
}

StatusOr<std::vector<TypeSpec>> InferBucketize(const OpCall& call) {
  // C1: the input is a tensor of integers, float32, or float64.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorInput(call, 0));
  if (!IsRead(x->dtype())) {
    return WithConstraint(
        "C1", InvalidArgument("input 0: expected integers, float32, or float64, found `",
                              call.inputs[0], "`"));
  }
  // C2: the boundaries are a vector of integers, float32, or float64. C3: the boundaries never
  // decrease, and none is NaN. The kernel checks C3.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* boundaries, TensorInput(call, 1));
  if (!IsRead(boundaries->dtype()) ||
      !boundaries->shape().IsCompatibleWith(PartialShape::OfRank(1))) {
    return WithConstraint(
        "C2",
        InvalidArgument("input 1: expected a vector of integers, float32, or float64, found `",
                        call.inputs[1], "`"));
  }
  return OneOutput(TensorType(DType::kInt64, x->shape()));
}

// Expands calls with ragged numbers. The boundaries are a tensor.
StatusOr<std::vector<GraphValue>> ExpandBucketize(OpBuilder& build, const OpCall& call,
                                                  std::span<const GraphValue> inputs) {
  SIGNET_RETURN_IF_ERROR(TensorInput(call, 1).status());
  return ExpandOnFlatValues(build, call, inputs);
}

}  // namespace

OpDef Bucketize() {
  return {
      .name = "bucketize",
      .summary = "Finds the range between boundaries that contains each number",
      .description =
          "Returns, for each element, the number of boundaries that are not greater than it. The "
          "result is 0 below the first boundary, and the number of boundaries from the last "
          "boundary on and for NaN.",
      .inputs = {"x", "boundaries"},
      .result = "A value of int64 with the shape of x.",
      .constraints = {"x has an integer dtype, float32, or float64.",
                      "The boundaries are a vector of such a dtype.",
                      "The boundaries do not decrease, and none is NaN."},
      .composites = "On a ragged value, the op computes the flat values. The rows stay the same.",
      .infer = InferBucketize,
      .expand = ExpandBucketize,
      .own_dtypes = {"boundaries"},
  };
}

}  // namespace signet
