// lstm, gru, rnn: compute recurrent layers.

#include "core/ops/nn/recurrent.h"

#include <algorithm>
#include <limits>

#include <absl/strings/match.h>

#include "core/ops/def/inference.h"
#include "core/ops/nn/nn_ops.h"
#include "signet/sequence_spec.h"

namespace signet {
namespace {

struct KnownActivation {
  std::string_view name;
  int parameters;  // 0, 1 (alpha), or 2 (alpha and beta)
  double alpha;
  double beta;
};

// One row per ActivationKind, in the same order.
constexpr KnownActivation kActivations[] = {
    {"Affine", 2, 1, 0},
    {"Elu", 1, 1, 0},
    {"HardSigmoid", 2, 0.2, 0.5},
    {"LeakyRelu", 1, 0.01, 0},
    {"Relu", 0, 0, 0},
    {"ScaledTanh", 2, 1, 1},
    {"Sigmoid", 0, 0, 0},
    {"Softplus", 0, 0, 0},
    {"Softsign", 0, 0, 0},
    {"Tanh", 0, 0, 0},
    {"ThresholdedRelu", 1, 1, 0},
};

RecurrentCell CellOf(const OpDef& op) {
  return op.name == "rnn"   ? RecurrentCell::kRnn
         : op.name == "gru" ? RecurrentCell::kGru
                            : RecurrentCell::kLstm;
}

// Returns the names of the activations of one direction: for the gates, then for the output of the
// cell.
std::vector<std::string> DefaultActivations(RecurrentCell cell) {
  if (cell == RecurrentCell::kRnn) return {"Tanh"};
  if (cell == RecurrentCell::kGru) return {"Sigmoid", "Tanh"};
  return {"Sigmoid", "Tanh", "Tanh"};
}

StatusOr<std::vector<double>> Floats(const Attributes& attributes, std::string_view name) {
  std::vector<double> out;
  TypeSpec list = attributes.Lookup(name);
  if (!IsSequence(list)) {
    return WithConstraint(
        "C4",
        InvalidArgument("attribute `", name, "`: expected a list of numbers, found `", list, "`"));
  }
  for (const TypeSpec& child : list.children()) {
    SIGNET_ASSIGN_OR_RETURN(
        double value, WithConstraint("C4", Attributes({{std::string(name), child}}).Float(name)));
    out.push_back(value);
  }
  return out;
}

// C4: the activations are known, and there is the same number of activations for each direction.
Status ReadActivations(const OpCall& call, RecurrentForm& form) {
  auto defaults = DefaultActivations(form.cell);
  size_t wanted = defaults.size() * static_cast<size_t>(form.directions);
  SIGNET_ASSIGN_OR_RETURN(auto names, WithConstraint("C4", call.attributes.Strings("activations")));
  if (names.empty()) {
    for (int i = 0; i < form.directions; ++i) {
      names.insert(names.end(), defaults.begin(), defaults.end());
    }
  }
  if (names.size() != wanted) {
    return WithConstraint(
        "C4", InvalidArgument("expected ", wanted, " activations, found ", names.size()));
  }
  SIGNET_ASSIGN_OR_RETURN(auto alphas, Floats(call.attributes, "activation_alpha"));
  SIGNET_ASSIGN_OR_RETURN(auto betas, Floats(call.attributes, "activation_beta"));
  size_t next_alpha = 0;
  size_t next_beta = 0;
  for (const std::string& name : names) {
    auto known = std::find_if(
        std::begin(kActivations), std::end(kActivations), [&](const KnownActivation& row) {
          return absl::EqualsIgnoreCase(absl::string_view(row.name.data(), row.name.size()), name);
        });
    if (known == std::end(kActivations)) {
      std::vector<std::string_view> all;
      for (const KnownActivation& row : kActivations) all.push_back(row.name);
      return WithConstraint("C4", InvalidArgument("unsupported activation `", Printable(name),
                                                  "`; supported: ", Join(all, ", ")));
    }
    RecurrentActivation made = {static_cast<ActivationKind>(known - std::begin(kActivations)),
                                known->alpha, known->beta};
    // The lists have one entry for each activation with parameters, in order.
    if (known->parameters > 0 && next_alpha < alphas.size()) made.alpha = alphas[next_alpha++];
    if (known->parameters > 1 && next_beta < betas.size()) made.beta = betas[next_beta++];
    form.activations.push_back(made);
  }
  return absl::OkStatus();
}

// A size that the shapes of several inputs determine, and its factor in one dimension.
struct Size {
  int64_t* size;
  int64_t times;
};

// C3: checks that `shape` has these sizes, and sets sizes that are unknown.
Status MergeSizes(std::string_view input, const PartialShape* shape,
                  std::initializer_list<Size> sizes) {
  if (shape == nullptr || !shape->has_rank()) return absl::OkStatus();
  auto unexpected_shape = [&] {
    std::vector<std::string> wanted;
    for (const Size& size : sizes) {
      wanted.push_back(*size.size == kUnknownDim ? "?" : Cat(*size.size * size.times));
    }
    return WithConstraint("C3", InvalidArgument("`", input, "`: expected shape `[",
                                                Join(wanted, ", "), "]`, found `", *shape, "`"));
  };
  if (shape->rank() != static_cast<int>(sizes.size())) return unexpected_shape();
  int axis = 0;
  for (const Size& size : sizes) {
    int64_t dim = shape->dim(axis++);
    if (dim == kUnknownDim) continue;
    if (*size.size == kUnknownDim && dim % size.times == 0) *size.size = dim / size.times;
    if (dim % size.times != 0 || *size.size != dim / size.times) return unexpected_shape();
  }
  return absl::OkStatus();
}

StatusOr<std::vector<TypeSpec>> InferRecurrent(const OpCall& call) {
  SIGNET_ASSIGN_OR_RETURN(RecurrentForm form, RecurrentFormOf(call));
  // C1: x, w, and r are given. C2: all inputs have the same dtype, float32 or float64, except for
  // the lengths, which are int32.
  std::vector<const PartialShape*> shapes(kMaxRecurrentInputs, nullptr);
  DType dtype = DType::kFloat32;
  for (size_t i = 0; i < kMaxRecurrentInputs; ++i) {
    if (i > RecurrentInput::kR && !HasInput(call, i)) continue;
    SIGNET_ASSIGN_OR_RETURN(const TensorSpec* input, TensorInput(call, i));
    shapes[i] = &input->shape();
    if (i == 0) dtype = input->dtype();
    if (i == 0 && dtype != DType::kFloat32 && dtype != DType::kFloat64) {
      return WithConstraint("C2", InvalidArgument("input 0: expected float32 or float64, found `",
                                                  call.inputs[0], "`"));
    }
    DType wanted = i == RecurrentInput::kLengths ? DType::kInt32 : dtype;
    if (input->dtype() != wanted) {
      return WithConstraint("C2", InvalidArgument("input ", i, ": expected ", NameOf(wanted),
                                                  ", found `", call.inputs[i], "`"));
    }
  }
  SIGNET_ASSIGN_OR_RETURN(RecurrentSizes sizes, RecurrentSizesOf(form, shapes));
  int64_t directions = form.directions;
  TypeSpec state = TensorType(dtype, PartialShape({directions, sizes.batch, sizes.hidden}));
  PartialShape all({sizes.steps, directions, sizes.batch, sizes.hidden});
  SIGNET_RETURN_IF_ERROR(WithConstraint("C3", CheckOutputSize(all)));
  std::vector<TypeSpec> outputs = {TensorType(dtype, all), state};
  if (form.cell == RecurrentCell::kLstm) outputs.push_back(state);
  return outputs;
}

constexpr char kLayerDescription[] =
    "Computes a layer that carries a state from step to step, as ONNX defines it. `x` is `[steps, "
    "batch, inputs]`, `w` is `[directions, gates * hidden, inputs]`, and `r` is `[directions, "
    "gates * hidden, hidden]`. `b`, `[directions, 2 * gates * hidden]`, holds the biases of `w`, "
    "then those of `r`. `sequence_lens`, `int32[batch]`, is the number of steps of each sequence. "
    "`initial_h`, `[directions, batch, hidden]`, is the first state; without it, states start at "
    "0. A sequence without steps has the state 0. `direction` is `forward`, `reverse` (from the "
    "last step of each sequence on), or `bidirectional`, which is both. `activations` lists, for "
    "one direction after the other, names among Affine, Elu, HardSigmoid, LeakyRelu, Relu, "
    "ScaledTanh, Sigmoid, Softplus, Softsign, Tanh, and ThresholdedRelu. The parameters of an "
    "activation are the next entries of `activation_alpha` and `activation_beta`. The input of the "
    "activation of a gate is limited to the range from -`clip` to `clip`.";

// Adds what all layers share, before the inputs and attributes of `op`.
OpDef MakeLayer(OpDef op) {
  std::vector<std::string> inputs = {"x", "w", "r", "b?", "sequence_lens?", "initial_h?"};
  op.inputs.insert(op.inputs.begin(), inputs.begin(), inputs.end());
  std::vector<AttributeDef> attributes = {{"direction", AttributeOf("forward")},
                                          {"activations", ListType({})},
                                          {"activation_alpha", ListType({})},
                                          {"activation_beta", ListType({})},
                                          {"clip", NoneAttribute()}};
  op.attributes.insert(op.attributes.begin(), attributes.begin(), attributes.end());
  op.description = Cat(kLayerDescription, " ", op.description);
  op.constraints = {"`x`, `w`, and `r` are given, and all inputs are tensors.",
                    "All inputs have the same dtype, float32 or float64, except for the lengths, "
                    "which are int32.",
                    "Dimensions with the same name have the same size.",
                    "The attributes have one of the listed values, and `clip` is greater than 0.",
                    "The lengths are at least 0 and at most the number of steps."};
  op.infer = InferRecurrent;
  return op;
}

}  // namespace

StatusOr<RecurrentForm> RecurrentFormOf(const OpCall& call) {
  RecurrentForm form = {.cell = CellOf(call.op),
                        .directions = 1,
                        .starts_reverse = false,
                        .activations = {},
                        .clip = std::numeric_limits<double>::infinity(),
                        .input_forget = false,
                        .linear_before_reset = false};
  SIGNET_ASSIGN_OR_RETURN(std::string direction,
                          WithConstraint("C4", call.attributes.String("direction")));
  if (direction != "forward" && direction != "reverse" && direction != "bidirectional") {
    return WithConstraint("C4", InvalidArgument("unsupported direction `", Printable(direction),
                                                "`; supported: bidirectional, forward, reverse"));
  }
  form.directions = direction == "bidirectional" ? 2 : 1;
  form.starts_reverse = direction == "reverse";
  SIGNET_RETURN_IF_ERROR(ReadActivations(call, form));
  if (!IsNone(call.attributes, "clip")) {
    SIGNET_ASSIGN_OR_RETURN(form.clip, WithConstraint("C4", call.attributes.Float("clip")));
    if (!(form.clip > 0))
      return WithConstraint("C4", InvalidArgument("clip: expected more than 0, found ", form.clip));
  }
  if (form.cell == RecurrentCell::kLstm) {
    SIGNET_ASSIGN_OR_RETURN(form.input_forget,
                            WithConstraint("C4", call.attributes.Bool("input_forget")));
  }
  if (form.cell == RecurrentCell::kGru) {
    SIGNET_ASSIGN_OR_RETURN(form.linear_before_reset,
                            WithConstraint("C4", call.attributes.Bool("linear_before_reset")));
  }
  return form;
}

StatusOr<RecurrentSizes> RecurrentSizesOf(const RecurrentForm& form,
                                          std::span<const PartialShape* const> shapes) {
  using In = RecurrentInput;
  RecurrentSizes sizes;
  int64_t directions = form.directions;
  int64_t gates = form.gates();
  int64_t *d = &directions, *batch = &sizes.batch, *hidden = &sizes.hidden;
  SIGNET_RETURN_IF_ERROR(MergeSizes("r", shapes[In::kR], {{d, 1}, {hidden, gates}, {hidden, 1}}));
  SIGNET_RETURN_IF_ERROR(
      MergeSizes("w", shapes[In::kW], {{d, 1}, {hidden, gates}, {&sizes.inputs, 1}}));
  SIGNET_RETURN_IF_ERROR(
      MergeSizes("x", shapes[In::kX], {{&sizes.steps, 1}, {batch, 1}, {&sizes.inputs, 1}}));
  SIGNET_RETURN_IF_ERROR(MergeSizes("b", shapes[In::kB], {{d, 1}, {hidden, 2 * gates}}));
  SIGNET_RETURN_IF_ERROR(MergeSizes("sequence_lens", shapes[In::kLengths], {{batch, 1}}));
  SIGNET_RETURN_IF_ERROR(
      MergeSizes("initial_h", shapes[In::kInitialH], {{d, 1}, {batch, 1}, {hidden, 1}}));
  SIGNET_RETURN_IF_ERROR(
      MergeSizes("initial_c", shapes[In::kInitialC], {{d, 1}, {batch, 1}, {hidden, 1}}));
  SIGNET_RETURN_IF_ERROR(MergeSizes("p", shapes[In::kPeepholes], {{d, 1}, {hidden, 3}}));
  return sizes;
}

std::vector<OpDef> RecurrentOps() {
  return {
      MakeLayer({
          .name = "gru",
          .summary = "Runs a layer of gated recurrent units over sequences",
          .description = "The gates are update, reset, and hidden. The activations of a direction "
                         "are f, for the first two gates, and g. Without `linear_before_reset`, "
                         "the state is reset before it is multiplied by `r`; with it, the state is "
                         "reset after the multiplication.",
          .attributes = {{"linear_before_reset", AttributeOf(false)}},
          .outputs = {"states", "last_state"},
          .result = "Two outputs: the states of all steps, `[steps, directions, batch, hidden]`, "
                    "which are 0 after the end of a sequence, and the last state of each sequence, "
                    "`[directions, batch, hidden]`.",
      }),
      MakeLayer({
          .name = "lstm",
          .summary = "Runs a layer of long short-term memory over sequences",
          .description =
              "The gates are input, output, forget, and cell. The activations of a direction are "
              "f, for the first three gates, g, and h. `initial_c` is the first cell state. `p`, "
              "`[directions, 3 * hidden]`, holds the peepholes of the input, output, and forget "
              "gates. With `input_forget`, the forget gate is 1 minus the input gate.",
          .inputs = {"initial_c?", "p?"},
          .attributes = {{"input_forget", AttributeOf(false)}},
          .outputs = {"states", "last_state", "last_cell"},
          .result = "Three outputs: the states of all steps, `[steps, directions, batch, hidden]`, "
                    "which are 0 after the end of a sequence; the last state of each sequence, "
                    "`[directions, batch, hidden]`; and the last cell state of each sequence.",
      }),
      MakeLayer({
          .name = "rnn",
          .summary = "Runs a simple recurrent layer over sequences",
          .description = "The only gate is the state.",
          .outputs = {"states", "last_state"},
          .result = "Two outputs: the states of all steps, `[steps, directions, batch, hidden]`, "
                    "which are 0 after the end of a sequence, and the last state of each sequence, "
                    "`[directions, batch, hidden]`.",
      }),
  };
}

}  // namespace signet
