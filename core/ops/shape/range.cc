// range: creates the numbers from start to before limit, by step.
//
//   range(limit=3)  =>  [0, 1, 2]          range(n)   n: int64[]   =>  int64[?]

#include "core/ops/def/inference.h"
#include "core/ops/def/range_count.h"
#include "core/ops/shape/shape_ops.h"

namespace signet {
namespace {

StatusOr<std::vector<TypeSpec>> InferRange(const OpCall& call) {
  if (call.inputs.empty()) {
    // C1: without inputs, `limit` is an integer, and `dtype` an integer or float dtype.
    SIGNET_ASSIGN_OR_RETURN(int64_t start, WithConstraint("C1", call.attributes.Int("start")));
    SIGNET_ASSIGN_OR_RETURN(int64_t limit, WithConstraint("C1", call.attributes.Int("limit")));
    SIGNET_ASSIGN_OR_RETURN(int64_t step, WithConstraint("C1", call.attributes.Int("step")));
    SIGNET_ASSIGN_OR_RETURN(DType dtype, WithConstraint("C1", call.attributes.DTypeNamed("dtype")));
    if (dtype != DType::kInt32 && dtype != DType::kInt64 && dtype != DType::kFloat32 &&
        dtype != DType::kFloat64) {
      return WithConstraint(
          "C1", InvalidArgument("dtype: expected int32, int64, float32, or float64, found ",
                                NameOf(dtype)));
    }
    // C3: the step is not 0; there are at most 2^31 numbers.
    SIGNET_ASSIGN_OR_RETURN(int64_t count, WithConstraint("C3", RangeCount(start, limit, step)));
    return OneOutput(TensorType(dtype, {count}));
  }
  // C2: the inputs are (limit), (start, limit), or (start, limit, step), scalars of one dtype.
  if (call.inputs.size() > 3) {
    return WithConstraint("C2",
                          InvalidArgument("expected at most 3 inputs, found ", call.inputs.size()));
  }
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* first, TensorInput(call, 0));
  for (size_t i = 0; i < call.inputs.size(); ++i) {
    SIGNET_ASSIGN_OR_RETURN(const TensorSpec* bound, TensorInput(call, i));
    bool fits = IsIndexDType(first->dtype()) || first->dtype() == DType::kFloat32 ||
                first->dtype() == DType::kFloat64;
    if (!fits || bound->dtype() != first->dtype() || !bound->shape().IsCompatibleWith(Shape{})) {
      return WithConstraint("C2", InvalidArgument("input ", i,
                                                  ": expected scalars of one dtype, which is "
                                                  "int32, int64, float32, or float64, found `",
                                                  call.inputs[i], "`"));
    }
  }
  return OneOutput(TensorType(first->dtype(), {kUnknownDim}));
}

}  // namespace

OpDef Range() {
  return {
      .name = "range",
      .summary = "Creates evenly spaced numbers",
      .description =
          "Creates the numbers from `start` to before `limit`, by `step`. The bounds are "
          "attributes, or scalar inputs if they are computed: with one input, it is the limit; "
          "with two, start and limit; with three, start, limit, and step.",
      .inputs = {"bounds..."},
      .attributes = {{"start", AttributeOf(0)},
                     {"limit", NoneAttribute()},
                     {"step", AttributeOf(1)},
                     {"dtype", AttributeOf(DType::kInt64)}},
      .result = "A vector of `dtype`, or of the dtype of the inputs.",
      .constraints =
          {"Without inputs, `limit` is an integer, and `dtype` is int32, int64, float32, or "
           "float64.",
           "The inputs are scalars of the same dtype, one of these four.",
           "The step is not 0, the bounds are finite, and there are at most 2^31 numbers."},
      .infer = InferRange,
  };
}

}  // namespace signet
