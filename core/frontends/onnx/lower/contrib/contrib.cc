// Operators of com.microsoft, with which ONNX Runtime's optimizer replaces several operators.

#include <cmath>

#include "core/frontends/onnx/lower/build/inputs.h"
#include "core/frontends/onnx/lower/build/tensor_expressions.h"
#include "core/frontends/onnx/lower/contrib/contrib_ops.h"
#include "core/ops/build/op_builder.h"
#include "core/ops/def/inference.h"
#include "signet/tensor_spec.h"

namespace signet {
namespace {

using Values = std::vector<GraphValue>;

// Returns a number with the dtype of the tensor `like`.
Expr NumberLike(OpBuilder& build, double value, const Operand& like) {
  SIGNET_RETURN_IF_ERROR(like.value().status());
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* tensor, TensorAt({&*like.value(), 1}, 0));
  GraphValue number = build.Constant(Tensor::Scalar(static_cast<float>(value)));
  return CastTo(build, number, tensor->dtype());
}

// Returns x + y, or `x` if `y` is missing.
Expr Plus(OpBuilder& build, const Operand& x, const GraphValue& y) {
  return y.spec ? build.Add(x, y) : build.AsExpr(x);
}

// --- activations --------------------------------------------------------------------------------

StatusOr<Values> ExpandGelu(OpBuilder& build, const OpCall& call,
                            std::span<const GraphValue> inputs) {
  bool fast = call.op.name == "onnx.com.microsoft.FastGelu";
  return build.CallOne("onnx.Gelu", {Plus(build, inputs[0], InputOr(inputs, 1))},
                       Attributes({{"approximate", AttributeOf(fast ? "tanh" : "none")}}));
}

StatusOr<Values> ExpandQuickGelu(OpBuilder& build, const OpCall& call,
                                 std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(double alpha, call.attributes.Float("alpha"));
  Expr scaled = inputs[0] * NumberLike(build, alpha, inputs[0]);
  return inputs[0] * build.Sigmoid(scaled);
}

// Applies the activation `name`, with its numbers.
StatusOr<GraphValue> Activated(OpBuilder& build, const std::string& name,
                               std::span<const double> numbers, const Operand& x) {
  Attributes attributes;
  auto set = [&](std::string_view attribute, size_t i) {
    if (i < numbers.size()) attributes = attributes.With(attribute, AttributeOf(numbers[i]));
  };
  if (name.empty()) return x;
  if (name == "Clip") {
    Operand low = GraphValue{};
    Operand high = GraphValue{};
    if (!numbers.empty()) low = NumberLike(build, numbers[0], x);
    if (numbers.size() > 1) high = NumberLike(build, numbers[1], x);
    return build.Clip(x, low, high);
  }
  if (name == "LeakyRelu" || name == "Elu" || name == "HardSigmoid") set("alpha", 0);
  if (name == "HardSigmoid") set("beta", 1);
  return build.CallOne(Cat("onnx.", name), {x}, attributes);
}

// --- products -----------------------------------------------------------------------------------

StatusOr<Values> ExpandMatMul(OpBuilder& build, const OpCall& call,
                              std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(double alpha, call.attributes.Float("alpha"));
  Operand sides[] = {inputs[0], inputs[1]};
  bool transposed[2];
  for (size_t i = 0; i < 2; ++i) {
    SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(inputs, i));
    std::string side = i == 0 ? "A" : "B";
    SIGNET_ASSIGN_OR_RETURN(int64_t last_two, call.attributes.Int("trans" + side));
    SIGNET_ASSIGN_OR_RETURN(int64_t batch, call.attributes.Int("transBatch" + side));
    transposed[i] = last_two != 0 && rank > 1;
    if (batch == 0 || rank < 3) continue;
    // Dimension 0 moves after the other batch dimensions.
    std::vector<int64_t> order;
    for (int axis = 1; axis < rank - 1; ++axis) order.push_back(axis);
    order.push_back(0);
    order.push_back(rank - 1);
    sides[i] = build.Transpose(sides[i], {.perm = order});
  }
  Expr product = build.Matmul(sides[0], sides[1],
                              {.transpose_a = transposed[0], .transpose_b = transposed[1]});
  return alpha == 1 ? product : product * NumberLike(build, alpha, product);
}

StatusOr<Values> ExpandGemm(OpBuilder& build, const OpCall& call,
                            std::span<const GraphValue> inputs) {
  Attributes attributes;
  for (std::string_view name : {"alpha", "beta", "transA", "transB"}) {
    attributes = attributes.With(name, call.attributes.Lookup(name));
  }
  SIGNET_ASSIGN_OR_RETURN(
      GraphValue y,
      build.CallOne("onnx.Gemm", {inputs[0], inputs[1], InputOr(inputs, 2)}, attributes));
  SIGNET_ASSIGN_OR_RETURN(std::string activation, call.attributes.String("activation"));
  std::vector<double> numbers;
  for (std::string_view name : {"activation_alpha", "activation_beta"}) {
    if (IsNone(call.attributes, name)) break;
    SIGNET_ASSIGN_OR_RETURN(double number, call.attributes.Float(name));
    numbers.push_back(number);
  }
  return OneOutput(Activated(build, activation, numbers, y));
}

StatusOr<Values> ExpandConv(OpBuilder& build, const OpCall& call,
                            std::span<const GraphValue> inputs) {
  Attributes attributes;
  for (std::string_view name :
       {"auto_pad", "dilations", "group", "kernel_shape", "pads", "strides"}) {
    attributes = attributes.With(name, call.attributes.Lookup(name));
  }
  Expr y = build.CallOne("onnx.Conv", {inputs[0], inputs[1], InputOr(inputs, 2)}, attributes);
  y = Plus(build, y, InputOr(inputs, 3));
  SIGNET_RETURN_IF_ERROR(y.status());
  SIGNET_ASSIGN_OR_RETURN(std::string activation, call.attributes.String("activation"));
  std::vector<double> numbers;
  TypeSpec given = call.attributes.Lookup("activation_params");
  for (const TypeSpec& child : given.children()) {
    SIGNET_ASSIGN_OR_RETURN(double number, Attributes({{"number", child}}).Float("number"));
    numbers.push_back(number);
  }
  return OneOutput(Activated(build, activation, numbers, y));
}

// --- normalization ------------------------------------------------------------------------------

// Returns the output, the mean, one over the deviation, and the sum that is normalized.
StatusOr<Values> ExpandSkip(OpBuilder& build, const OpCall& call,
                            std::span<const GraphValue> inputs) {
  bool simple = call.op.name == "onnx.com.microsoft.SkipSimplifiedLayerNormalization";
  SIGNET_ASSIGN_OR_RETURN(int64_t outputs, call.attributes.Int("outputs"));
  Expr sum = Plus(build, build.Add(inputs[0], inputs[1]), InputOr(inputs, simple ? 3 : 4));
  Attributes rows({{"axis", AttributeOf(-1)}, {"epsilon", call.attributes.Lookup("epsilon")}});
  if (simple) {
    Expr y = build.CallOne("onnx.RMSNormalization", {sum, inputs[2]}, rows);
    return AllOf({y, y, y, sum});
  }
  if (outputs > 1) rows = rows.With("outputs", AttributeOf(3));
  SIGNET_ASSIGN_OR_RETURN(GraphValue total, sum);
  SIGNET_ASSIGN_OR_RETURN(
      Values normal,
      build.CallAll("onnx.LayerNormalization", {total, inputs[2], InputOr(inputs, 3)}, rows));
  if (outputs > 1) normal.push_back(total);
  return normal;
}

StatusOr<Values> ExpandSimplified(OpBuilder& build, const OpCall& call,
                                  std::span<const GraphValue> inputs) {
  Attributes rows(
      {{"axis", call.attributes.Lookup("axis")}, {"epsilon", call.attributes.Lookup("epsilon")}});
  return build.Call("onnx.RMSNormalization", inputs, rows);
}

// Looks up words, positions, and segments, and adds them. Returns the normalized sum, the number of
// words that are not padding, and the sum.
StatusOr<Values> ExpandEmbed(OpBuilder& build, const OpCall& call,
                             std::span<const GraphValue> inputs) {
  const GraphValue& ids = inputs[0];
  Expr sum = build.Gather(inputs[2], ids);
  Operand positions = InputOr(inputs, 8);
  if (!IsGiven(positions)) positions = build.Range({0, DimSize(build, ids, 1), 1});
  sum = sum + build.Gather(inputs[3], positions);
  if (IsGiven(inputs, 1)) sum = sum + build.Gather(inputs[4], inputs[1]);
  Attributes rows({{"axis", AttributeOf(-1)}, {"epsilon", call.attributes.Lookup("epsilon")}});
  Expr y = build.CallOne("onnx.LayerNormalization", {sum, inputs[5], inputs[6]}, rows);
  Operand counted = InputOr(inputs, 7);
  if (!IsGiven(counted)) counted = build.ZerosLike(ids);
  Expr mask = build.ReduceSum(CastTo(build, counted, DType::kInt32), {.axes = {1}});
  return AllOf({y, mask, sum});
}

}  // namespace

std::vector<OpDef> OnnxContribOps() {
  const AttributeDef epsilon = {"epsilon", AttributeOf(1e-12)};
  const AttributeDef outputs = {"outputs", AttributeOf(1)};
  return {
      OnnxOp(ContribName("Gelu"), "Applies the Gaussian error linear unit", {"X"}, {}, ExpandGelu),
      OnnxOp(ContribName("BiasGelu"), "Applies it to a sum", {"A", "B"}, {}, ExpandGelu),
      OnnxOp(ContribName("FastGelu"), "Applies it, by tanh", {"X", "bias?"}, {}, ExpandGelu),
      OnnxOp(ContribName("QuickGelu"), "Multiplies by the sigmoid of a multiple", {"X"},
             {{"alpha", AttributeOf(1.702)}}, ExpandQuickGelu),
      OnnxOp(ContribName("FusedMatMul"), "Multiplies matrices, transposed and scaled", {"A", "B"},
             {{"alpha", AttributeOf(1.0)},
              {"transA", AttributeOf(0)},
              {"transB", AttributeOf(0)},
              {"transBatchA", AttributeOf(0)},
              {"transBatchB", AttributeOf(0)}},
             ExpandMatMul),
      OnnxOp(ContribName("FusedGemm"),
             "Multiplies matrices, adds a third and applies an activation", {"A", "B", "C?"},
             {{"alpha", AttributeOf(1.0)},
              {"beta", AttributeOf(1.0)},
              {"transA", AttributeOf(0)},
              {"transB", AttributeOf(0)},
              {"activation", AttributeOf("")},
              {"activation_alpha", NoneAttribute()},
              {"activation_beta", NoneAttribute()},
              {"activation_gamma", NoneAttribute()}},
             ExpandGemm),
      OnnxOp(ContribName("FusedConv"), "Convolves, adds and applies an activation",
             {"X", "W", "B?", "Z?"},
             {{"auto_pad", AttributeOf("NOTSET")},
              {"dilations", NoneAttribute()},
              {"group", AttributeOf(1)},
              {"kernel_shape", NoneAttribute()},
              {"pads", NoneAttribute()},
              {"strides", NoneAttribute()},
              {"activation", AttributeOf("")},
              {"activation_params", NoneAttribute()}},
             ExpandConv),
      OnnxOp(ContribName("SkipLayerNormalization"), "Normalizes the rows of a sum",
             {"input", "skip", "gamma", "beta?", "bias?"}, {epsilon, outputs}, ExpandSkip),
      OnnxOp(ContribName("SkipSimplifiedLayerNormalization"),
             "Scales the rows of a sum by their norm", {"input", "skip", "gamma", "bias?"},
             {epsilon, outputs}, ExpandSkip),
      OnnxOp("onnx.SimplifiedLayerNormalization", "Scales rows by their norm", {"X", "scale"},
             {{"axis", AttributeOf(-1)},
              {"epsilon", AttributeOf(1e-5)},
              {"stash_type", AttributeOf(1)}},
             ExpandSimplified),
      OnnxOp(ContribName("EmbedLayerNormalization"),
             "Looks words up, adds positions and normalizes",
             {"input_ids", "segment_ids", "word_embedding", "position_embedding",
              "segment_embedding", "gamma", "beta", "mask?", "position_ids?"},
             {epsilon, {"mask_index_type", AttributeOf(0)}}, ExpandEmbed),
  };
}

}  // namespace signet
