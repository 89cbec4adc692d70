// lstm_steps: runs an LSTM and returns the gates and states of all steps.

#include <utility>

#include "core/base/checked_math.h"
#include "core/ops/def/inference.h"
#include "core/ops/nn/nn_ops.h"

namespace signet {
namespace {

StatusOr<std::vector<TypeSpec>> InferLstmSteps(const OpCall& call) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorInput(call, 0));
  const DType dtype = x->dtype();
  // C1: the dtype is float32 or float64.
  if (dtype != DType::kFloat32 && dtype != DType::kFloat64) {
    return WithConstraint("C1", InvalidArgument("input 0: expected float32 or float64, found `",
                                                call.inputs[0], "`"));
  }
  int64_t steps = kUnknownDim;
  int64_t batch = kUnknownDim;
  int64_t hidden = kUnknownDim;
  // C2: the inputs have the dtype of x, and shapes that fit together.
  auto check = [&](size_t i, DType own, const PartialShape& wanted) -> Status {
    SIGNET_ASSIGN_OR_RETURN(const TensorSpec* input, TensorInput(call, i));
    if (input->dtype() == own && input->shape().IsCompatibleWith(wanted)) return absl::OkStatus();
    return WithConstraint(
        "C2", InvalidArgument("input ", i, ": expected `", TensorType(own, wanted), "`, found `",
                              call.inputs[i], "`"));
  };
  auto dim = [&](size_t i, int axis) {
    const PartialShape* shape = call.inputs[i] ? call.inputs[i].shape() : nullptr;
    return shape != nullptr && shape->has_rank() && axis < shape->rank() ? shape->dim(axis)
                                                                         : kUnknownDim;
  };
  for (auto [input, axis] : {std::pair<size_t, int>{1, 0}, {2, 1}, {3, 1}}) {
    if (hidden == kUnknownDim) hidden = dim(input, axis);
  }
  for (auto [input, axis] : {std::pair<size_t, int>{0, 1}, {2, 0}, {3, 0}}) {
    if (batch == kUnknownDim) batch = dim(input, axis);
  }
  steps = dim(0, 0);
  const int64_t columns =
      hidden == kUnknownDim ? hidden : CheckedMultiply(4, hidden).value_or(kUnknownDim);
  SIGNET_RETURN_IF_ERROR(check(0, dtype, PartialShape{steps, batch, columns}));
  SIGNET_RETURN_IF_ERROR(check(1, dtype, PartialShape{hidden, columns}));
  SIGNET_RETURN_IF_ERROR(check(2, dtype, PartialShape{batch, hidden}));
  SIGNET_RETURN_IF_ERROR(check(3, dtype, PartialShape{batch, hidden}));
  if (HasInput(call, 4)) SIGNET_RETURN_IF_ERROR(check(4, dtype, PartialShape{3, hidden}));
  if (HasInput(call, 5)) SIGNET_RETURN_IF_ERROR(check(5, DType::kInt64, PartialShape(Shape{})));
  // C3: `cell_clip` is a number.
  SIGNET_RETURN_IF_ERROR(WithConstraint("C3", call.attributes.Float("cell_clip").status()));
  const PartialShape out{steps, batch, hidden};
  return std::vector<TypeSpec>(7, TensorType(dtype, out));
}

}  // namespace

OpDef LstmSteps() {
  return {
      .name = "lstm_steps",
      .summary = "Runs an LSTM and returns the gates and states of all steps",
      .description =
          "Computes, for each step, g = x + h r, in which h is the hidden state of the previous "
          "step. The columns of g belong to the gates i, c, f, and o, in this order. Then i = "
          "sigmoid(g_i + "
          "p_i c), f = sigmoid(g_f + p_f c), ci = tanh(g_c), the new cell state cs = ci i + c f, o "
          "= sigmoid(g_o + p_o cs), co = tanh(cs), and the new hidden state h = co o. The "
          "peepholes p are 0 if they are missing. A `cell_clip` greater than 0 limits the size of "
          "cs. After `length` steps, which are all steps if it is missing, the outputs are 0. x is "
          "the product of the inputs of all steps and the weights of the gates, with the bias.",
      .inputs = {"x", "r", "initial_h", "initial_c", "peepholes?", "length?"},
      .attributes = {{"cell_clip", AttributeOf(0.0)}},
      .outputs = {"i", "cs", "f", "o", "ci", "co", "h"},
      .result = "Seven outputs, `[steps, batch, hidden]`, with the dtype of x.",
      .constraints =
          {"The dtype is float32 or float64.",
           "x is `[steps, batch, 4 * hidden]`, r is `[hidden, 4 * hidden]`, the initial "
           "states are `[batch, hidden]`, the peepholes are `[3, hidden]` (i, f, o), all "
           "of one dtype, and `length` is `int64[]`.",
           "`cell_clip` is a number.", "`length` is 0 to the number of steps."},
      .infer = InferLstmSteps,
      .own_dtypes = {"length"},
  };
}

}  // namespace signet
