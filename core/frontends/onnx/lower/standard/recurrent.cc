// LSTM, GRU, and RNN: converts layouts and half-width floats, and calls the ops lstm, gru, and rnn.

#include "core/ops/nn/recurrent.h"

#include <algorithm>

#include "core/frontends/onnx/lower/build/inputs.h"
#include "core/frontends/onnx/lower/build/tensor_expressions.h"
#include "core/frontends/onnx/lower/standard/standard_ops.h"
#include "core/ops/build/op_builder.h"
#include "core/ops/def/inference.h"
#include "signet/sequence_spec.h"

namespace signet {
namespace {

using Values = std::vector<GraphValue>;

StatusOr<GraphValue> Transposed(OpBuilder& build, const GraphValue& x,
                                std::initializer_list<int64_t> perm) {
  std::span<const int64_t> list(perm.begin(), perm.size());
  return build.Transpose(x, {.perm = list});
}

StatusOr<Attributes> AttributesOfOp(const OpCall& call, std::string_view op) {
  Attributes out;
  for (const char* name :
       {"direction", "activations", "activation_alpha", "activation_beta", "clip"}) {
    out = out.With(name, call.attributes.Lookup(name));
  }
  const char* flag = op == "gru" ? "linear_before_reset" : op == "lstm" ? "input_forget" : nullptr;
  if (flag == nullptr) return out;
  SIGNET_ASSIGN_OR_RETURN(int64_t value, call.attributes.Int(flag));
  return out.With(flag, AttributeOf(value != 0));
}

// Checks hidden_size, which the weights state too.
Status CheckHiddenSize(const OpCall& call, std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(auto hidden, call.attributes.OptionalInt("hidden_size"));
  if (!hidden) return absl::OkStatus();
  if (*hidden < 1) return InvalidArgument("hidden_size: expected at least 1, found ", *hidden);
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* r, TensorAt(inputs, RecurrentInput::kR));
  const PartialShape& shape = r->shape();
  if (!shape.has_rank() || shape.rank() != 3 || shape.dim(2) == kUnknownDim ||
      shape.dim(2) == *hidden) {
    return absl::OkStatus();
  }
  return InvalidArgument("hidden_size: expected ", shape.dim(2), ", the last dimension of R `",
                         inputs[RecurrentInput::kR].spec, "`, found ", *hidden);
}

StatusOr<Values> Expand(OpBuilder& build, const OpCall& call, std::span<const GraphValue> given,
                        std::string_view op) {
  using In = RecurrentInput;
  SIGNET_RETURN_IF_ERROR(CheckHiddenSize(call, given));
  SIGNET_ASSIGN_OR_RETURN(int64_t layout, call.attributes.Int("layout"));
  SIGNET_ASSIGN_OR_RETURN(Attributes attributes, AttributesOfOp(call, op));
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorAt(given, In::kX));
  DType dtype = x->dtype();
  bool is_half = dtype == DType::kFloat16 || dtype == DType::kBFloat16;
  Values inputs(given.begin(), given.end());
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!IsGiven(inputs, i)) {
      inputs[i] = {};
      continue;
    }
    SIGNET_RETURN_IF_ERROR(TensorAt(inputs, i).status());
    if (i == In::kLengths) {
      SIGNET_ASSIGN_OR_RETURN(inputs[i], CastTo(build, inputs[i], DType::kInt32));
      continue;
    }
    if (is_half) {
      SIGNET_ASSIGN_OR_RETURN(inputs[i], CastTo(build, inputs[i], DType::kFloat32));
    }
    // With the batch as the first dimension: x and the states.
    if (layout != 0 && (i == In::kX || i == In::kInitialH || i == In::kInitialC)) {
      SIGNET_ASSIGN_OR_RETURN(inputs[i], Transposed(build, inputs[i], {1, 0, 2}));
    }
  }
  SIGNET_ASSIGN_OR_RETURN(Values outputs, build.Call(op, inputs, attributes));
  for (size_t i = 0; i < outputs.size(); ++i) {
    GraphValue& output = outputs[i];
    if (layout != 0 && i == 0) {
      SIGNET_ASSIGN_OR_RETURN(output, Transposed(build, output, {2, 0, 1, 3}));
    } else if (layout != 0) {
      SIGNET_ASSIGN_OR_RETURN(output, Transposed(build, output, {1, 0, 2}));
    }
    SIGNET_ASSIGN_OR_RETURN(output, CastTo(build, output, dtype));
  }
  return outputs;
}

StatusOr<Values> ExpandGru(OpBuilder& build, const OpCall& call,
                           std::span<const GraphValue> inputs) {
  return Expand(build, call, inputs, "gru");
}
StatusOr<Values> ExpandLstm(OpBuilder& build, const OpCall& call,
                            std::span<const GraphValue> inputs) {
  return Expand(build, call, inputs, "lstm");
}
StatusOr<Values> ExpandRnn(OpBuilder& build, const OpCall& call,
                           std::span<const GraphValue> inputs) {
  return Expand(build, call, inputs, "rnn");
}

OpDef Make(std::string name, std::string summary, std::vector<std::string> more_inputs,
           std::vector<AttributeDef> more_attributes, ExpandFn expand) {
  std::vector<std::string> inputs = {"X", "W", "R", "B?", "sequence_lens?", "initial_h?"};
  inputs.insert(inputs.end(), more_inputs.begin(), more_inputs.end());
  std::vector<AttributeDef> attributes = {
      {"direction", AttributeOf("forward")},
      {"activations", ListType({})},
      {"activation_alpha", ListType({})},
      {"activation_beta", ListType({})},
      {"clip", NoneAttribute()},
      {"layout", AttributeOf(0)},
      {"hidden_size", NoneAttribute()},
      {"output_sequence", NoneAttribute()},  // a hint up to version 6
  };
  attributes.insert(attributes.end(), more_attributes.begin(), more_attributes.end());
  return OnnxOp(std::move(name), std::move(summary), std::move(inputs), std::move(attributes),
                expand);
}

}  // namespace

std::vector<OpDef> OnnxRecurrentOps() {
  return {
      Make("onnx.GRU", "Does what `gru` does", {}, {{"linear_before_reset", AttributeOf(0)}},
           ExpandGru),
      Make("onnx.LSTM", "Does what `lstm` does", {"initial_c?", "P?"},
           {{"input_forget", AttributeOf(0)}}, ExpandLstm),
      Make("onnx.RNN", "Does what `rnn` does", {}, {}, ExpandRnn),
  };
}

}  // namespace signet
