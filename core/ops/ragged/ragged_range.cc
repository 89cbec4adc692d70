// ragged_range: counts from a start to a limit in each row.
//
//   ragged_range([2, 0], [5, 2])  =>  [[2, 3, 4], [0, 1]]

#include <algorithm>

#include "core/ops/build/literal_inputs.h"
#include "core/ops/build/op_builder.h"
#include "core/ops/build/parts.h"
#include "core/ops/build/row_splits.h"
#include "core/ops/def/inference.h"
#include "core/ops/ragged/ragged_ops.h"

namespace signet {
namespace {

// C1: the bounds are scalars and vectors of one dtype, which is int32, int64, float32, or float64.
Status CheckBounds(const OpCall& call) {
  for (size_t i = 0; i < call.inputs.size(); ++i) {
    SIGNET_ASSIGN_OR_RETURN(const TensorSpec* first, TensorInput(call, 0));
    SIGNET_ASSIGN_OR_RETURN(const TensorSpec* bound, TensorInput(call, i));
    DType dtype = first->dtype();
    bool counts = IsIndexDType(dtype) || dtype == DType::kFloat32 || dtype == DType::kFloat64;
    bool fits = counts && bound->dtype() == dtype &&
                (!bound->shape().has_rank() || bound->shape().rank() <= 1);
    if (fits) continue;
    return WithConstraint(
        "C1", InvalidArgument("input ", i,
                              ": expected scalars and vectors of one dtype, which is int32, int64, "
                              "float32, or float64, found `",
                              call.inputs[i], "`"));
  }
  return absl::OkStatus();
}

StatusOr<std::vector<TypeSpec>> InferRowRanges(const OpCall& call) {
  SIGNET_RETURN_IF_ERROR(CheckBounds(call));
  // C2: the vectors have the same length.
  int64_t rows = 1;
  bool some = false;  // some bounds are known to be vectors
  bool open = false;  // a bound has an unknown rank or size
  for (const TypeSpec& input : call.inputs) {
    const PartialShape& shape = *input.shape();
    open |= !shape.has_rank() || (shape.rank() == 1 && shape.dim(0) == kUnknownDim);
    if (!shape.has_rank() || shape.rank() == 0 || shape.dim(0) == kUnknownDim) continue;
    if (some && shape.dim(0) != rows) {
      return WithConstraint(
          "C2", InvalidArgument("expected vectors of the same length, found lengths ", rows,
                                " and ", shape.dim(0)));
    }
    rows = shape.dim(0);
    some = true;
  }
  if (!some && open) rows = kUnknownDim;
  return std::vector<TypeSpec>{TensorType(DType::kInt64, {SplitsFor(rows)}),
                               TensorType(call.inputs[0].As<TensorSpec>()->dtype(), {kUnknownDim})};
}

StatusOr<std::vector<GraphValue>> ExpandRaggedRange(OpBuilder& build, const OpCall& call,
                                                    std::span<const GraphValue> inputs) {
  if (inputs.empty() || inputs.size() > 3) {
    return WithConstraint("C1", InvalidArgument("expected 1 to 3 inputs, found ", inputs.size()));
  }
  SIGNET_RETURN_IF_ERROR(CheckBounds(call));
  DType dtype = inputs[0].spec.As<TensorSpec>()->dtype();
  auto constant = [&](int64_t number) {
    return TensorFor(build, {LiteralType(Literal::Int(number)), {}}, dtype);
  };
  Operand start = inputs.size() == 1 ? Operand(constant(0)) : Operand(inputs[0]);
  Operand step = inputs.size() == 3 ? Operand(inputs[2]) : Operand(constant(1));
  const GraphValue& limit = inputs.size() == 1 ? inputs[0] : inputs[1];
  SIGNET_ASSIGN_OR_RETURN(auto made, build.RowRanges(start, limit, step));
  return OneOutput(MakeRaggedValue({made[1], {made[0]}}));
}

}  // namespace

std::vector<OpDef> RaggedRangeOps() {
  return {
      {.name = "ragged_range",
       .summary = "Creates ranges of numbers, one per row",
       .description =
           "Creates, in each row, the numbers from its start to before its limit, by its step. "
           "With one input, it is the limits; with two, the starts and the limits; with three, the "
           "starts, the limits, and the steps. A scalar applies to all rows.",
       .inputs = {"bounds..."},
       .result = "A ragged value of rank 2 with the dtype of the inputs.",
       .constraints = {"The inputs are scalars or vectors of the same dtype: int32, int64, "
                       "float32, or float64.",
                       "All vectors have the same length.",
                       "No step is 0, the inputs are finite, and there are at most 2^31 numbers."},
       .composites = "The inputs are tensors or literals.",
       .expand = ExpandRaggedRange},
      {
          .name = "row_ranges",
          .summary = "Returns the row splits and the numbers of ragged_range",
          .inputs = {"starts", "limits", "steps"},
          .outputs = {"row_splits", "values"},
          .constraints =
              {"The inputs are scalars or vectors of the same dtype: int32, int64, float32, or "
               "float64.",
               "All vectors have the same length.",
               "No step is 0, the inputs are finite, and there are at most 2^31 numbers."},
          .infer = InferRowRanges,
          .internal = true,
      },
  };
}

}  // namespace signet
