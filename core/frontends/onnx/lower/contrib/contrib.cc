// Operators of com.microsoft, which ONNX Runtime's optimiser writes in place of several.

#include <cmath>

#include "core/frontends/onnx/lower/build/formula.h"
#include "core/frontends/onnx/lower/build/inputs.h"
#include "core/frontends/onnx/lower/contrib/contrib_ops.h"
#include "core/ops/build/op_builder.h"
#include "core/ops/def/inference.h"
#include "core/types/tensor_spec.h"

namespace signet {
namespace {

using Values = std::vector<GraphValue>;

std::string Named(std::string_view name) { return Cat("onnx.com.microsoft.", name); }

Attributes Ints(std::string_view name, std::initializer_list<int64_t> values) {
  return Attributes({{std::string(name), AttributeOf(std::span(values.begin(), values.size()))}});
}

// A number of the dtype of `like`, a tensor.
GraphValue NumberLike(Formula& f, OpBuilder& build, double value, const GraphValue& like) {
  GraphValue number = build.Constant(Tensor::Scalar(static_cast<float>(value)));
  const TensorSpec* tensor = f.ok() ? f.Take(TensorAt({&like, 1}, 0)) : nullptr;
  return tensor != nullptr ? f.Cast(number, tensor->dtype()) : number;
}

// `x` with `y`, where there is one, added.
GraphValue Plus(Formula& f, const GraphValue& x, const GraphValue& y) {
  return y.spec ? f("add", {x, y}) : x;
}

// --- activations --------------------------------------------------------------------------------

StatusOr<Values> ExpandGelu(OpBuilder& build, const OpCall& call,
                            std::span<const GraphValue> inputs) {
  bool fast = call.op.name == "onnx.com.microsoft.FastGelu";
  Formula f(build);
  GraphValue x = Plus(f, inputs[0], InputOr(inputs, 1));
  return f.Give(
      {f("onnx.Gelu", {x}, Attributes({{"approximate", AttributeOf(fast ? "tanh" : "none")}}))});
}

StatusOr<Values> ExpandQuickGelu(OpBuilder& build, const OpCall& call,
                                 std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(double alpha, call.attributes.Float("alpha"));
  Formula f(build);
  GraphValue scaled = f("mul", {inputs[0], NumberLike(f, build, alpha, inputs[0])});
  return f.Give({f("mul", {inputs[0], f("sigmoid", {scaled})})});
}

// The activation that attribute `activation` names, with its numbers.
StatusOr<GraphValue> Activated(OpBuilder& build, const std::string& name,
                               std::span<const double> numbers, const GraphValue& x) {
  Attributes attributes;
  auto set = [&](std::string_view attribute, size_t i) {
    if (i < numbers.size()) attributes = attributes.With(attribute, AttributeOf(numbers[i]));
  };
  if (name.empty()) return x;
  if (name == "Clip") {
    Formula f(build);
    GraphValue low = numbers.empty() ? GraphValue{} : NumberLike(f, build, numbers[0], x);
    GraphValue high = numbers.size() < 2 ? GraphValue{} : NumberLike(f, build, numbers[1], x);
    SIGNET_ASSIGN_OR_RETURN(Values out, f.Give({f("clip", {x, low, high})}));
    return out[0];
  }
  if (name == "LeakyRelu" || name == "Elu" || name == "HardSigmoid") set("alpha", 0);
  if (name == "HardSigmoid") set("beta", 1);
  return build.CallOne(Cat("onnx.", name), {x}, attributes);
}

// --- products -----------------------------------------------------------------------------------

StatusOr<Values> ExpandMatMul(OpBuilder& build, const OpCall& call,
                              std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(double alpha, call.attributes.Float("alpha"));
  Formula f(build);
  GraphValue sides[] = {inputs[0], inputs[1]};
  bool transposed[2];
  for (size_t i = 0; i < 2; ++i) {
    SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(inputs, i));
    std::string side = i == 0 ? "A" : "B";
    SIGNET_ASSIGN_OR_RETURN(int64_t last_two, call.attributes.Int("trans" + side));
    SIGNET_ASSIGN_OR_RETURN(int64_t batch, call.attributes.Int("transBatch" + side));
    transposed[i] = last_two != 0 && rank > 1;
    if (batch == 0 || rank < 3) continue;
    // Dimension 0 goes behind the other batch dimensions.
    std::vector<int64_t> order;
    for (int axis = 1; axis < rank - 1; ++axis) order.push_back(axis);
    order.push_back(0);
    order.push_back(rank - 1);
    sides[i] = f("transpose", {sides[i]},
                 Attributes({{"perm", AttributeOf(std::span<const int64_t>(order))}}));
  }
  GraphValue product = f("matmul", {sides[0], sides[1]},
                         Attributes({{"transpose_a", AttributeOf(transposed[0])},
                                     {"transpose_b", AttributeOf(transposed[1])}}));
  if (f.ok() && alpha != 1) {
    product = f("mul", {product, NumberLike(f, build, alpha, product)});
  }
  return f.Give({product});
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
  return One(Activated(build, activation, numbers, y));
}

StatusOr<Values> ExpandConv(OpBuilder& build, const OpCall& call,
                            std::span<const GraphValue> inputs) {
  Attributes attributes;
  for (std::string_view name :
       {"auto_pad", "dilations", "group", "kernel_shape", "pads", "strides"}) {
    attributes = attributes.With(name, call.attributes.Lookup(name));
  }
  Formula f(build);
  GraphValue y = f("onnx.Conv", {inputs[0], inputs[1], InputOr(inputs, 2)}, attributes);
  y = Plus(f, y, InputOr(inputs, 3));
  SIGNET_RETURN_IF_ERROR(f.Give(Values()).status());
  SIGNET_ASSIGN_OR_RETURN(std::string activation, call.attributes.String("activation"));
  std::vector<double> numbers;
  TypeSpec given = call.attributes.Lookup("activation_params");
  for (const TypeSpec& child : given.children()) {
    SIGNET_ASSIGN_OR_RETURN(double number, Attributes({{"number", child}}).Float("number"));
    numbers.push_back(number);
  }
  return One(Activated(build, activation, numbers, y));
}

// --- normalization ------------------------------------------------------------------------------

// Output, mean, one over the deviation, and the sum that is normalized.
StatusOr<Values> ExpandSkip(OpBuilder& build, const OpCall& call,
                            std::span<const GraphValue> inputs) {
  bool simple = call.op.name == "onnx.com.microsoft.SkipSimplifiedLayerNormalization";
  SIGNET_ASSIGN_OR_RETURN(int64_t outputs, call.attributes.Int("outputs"));
  Formula f(build);
  GraphValue sum = Plus(f, f("add", {inputs[0], inputs[1]}), InputOr(inputs, simple ? 3 : 4));
  Attributes rows({{"axis", AttributeOf(-1)}, {"epsilon", call.attributes.Lookup("epsilon")}});
  SIGNET_RETURN_IF_ERROR(f.Give(Values()).status());
  if (simple) {
    GraphValue y = f("onnx.RMSNormalization", {sum, inputs[2]}, rows);
    return f.Give({y, y, y, sum});
  }
  const GraphValue operands[] = {sum, inputs[2], InputOr(inputs, 3)};
  if (outputs > 1) rows = rows.With("outputs", AttributeOf(3));
  SIGNET_ASSIGN_OR_RETURN(Values normal, build.Call("onnx.LayerNormalization", operands, rows));
  if (outputs > 1) normal.push_back(sum);
  return normal;
}

StatusOr<Values> ExpandSimplified(OpBuilder& build, const OpCall& call,
                                  std::span<const GraphValue> inputs) {
  Attributes rows(
      {{"axis", call.attributes.Lookup("axis")}, {"epsilon", call.attributes.Lookup("epsilon")}});
  return build.Call("onnx.RMSNormalization", inputs, rows);
}

// Words, positions and segments looked up and summed up; the result, how many words are no
// padding, and the sum.
StatusOr<Values> ExpandEmbed(OpBuilder& build, const OpCall& call,
                             std::span<const GraphValue> inputs) {
  Formula f(build);
  const GraphValue& ids = inputs[0];
  GraphValue sum = f("gather", {inputs[2], ids});
  if (IsGiven(inputs, 8)) {
    sum = f("add", {sum, f("gather", {inputs[3], inputs[8]})});
  } else {
    GraphValue positions = f("range", {f.Int(0), f.Size(ids, 1), f.Int(1)});
    sum = f("add", {sum, f("gather", {inputs[3], positions})});
  }
  if (IsGiven(inputs, 1)) sum = f("add", {sum, f("gather", {inputs[4], inputs[1]})});
  Attributes rows({{"axis", AttributeOf(-1)}, {"epsilon", call.attributes.Lookup("epsilon")}});
  GraphValue y = f("onnx.LayerNormalization", {sum, inputs[5], inputs[6]}, rows);
  GraphValue counted = IsGiven(inputs, 7) ? inputs[7] : f("zeros_like", {ids});
  GraphValue mask = f("reduce_sum", {f.Cast(counted, DType::kInt32)}, Ints("axes", {1}));
  return f.Give({y, mask, sum});
}

}  // namespace

std::vector<OpDef> OnnxContribOps() {
  const AttributeDef epsilon = {"epsilon", AttributeOf(1e-12)};
  const AttributeDef outputs = {"outputs", AttributeOf(1)};
  return {
      OnnxOp(Named("Gelu"), "Applies the Gaussian error linear unit", {"X"}, {}, ExpandGelu),
      OnnxOp(Named("BiasGelu"), "Applies it to a sum", {"A", "B"}, {}, ExpandGelu),
      OnnxOp(Named("FastGelu"), "Applies it, by tanh", {"X", "bias?"}, {}, ExpandGelu),
      OnnxOp(Named("QuickGelu"), "Multiplies by the sigmoid of a multiple", {"X"},
             {{"alpha", AttributeOf(1.702)}}, ExpandQuickGelu),
      OnnxOp(Named("FusedMatMul"), "Multiplies matrices, transposed and scaled", {"A", "B"},
             {{"alpha", AttributeOf(1.0)},
              {"transA", AttributeOf(0)},
              {"transB", AttributeOf(0)},
              {"transBatchA", AttributeOf(0)},
              {"transBatchB", AttributeOf(0)}},
             ExpandMatMul),
      OnnxOp(Named("FusedGemm"), "Multiplies matrices, adds a third and applies an activation",
             {"A", "B", "C?"},
             {{"alpha", AttributeOf(1.0)},
              {"beta", AttributeOf(1.0)},
              {"transA", AttributeOf(0)},
              {"transB", AttributeOf(0)},
              {"activation", AttributeOf("")},
              {"activation_alpha", NoneAttribute()},
              {"activation_beta", NoneAttribute()},
              {"activation_gamma", NoneAttribute()}},
             ExpandGemm),
      OnnxOp(Named("FusedConv"), "Convolves, adds and applies an activation",
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
      OnnxOp(Named("SkipLayerNormalization"), "Normalizes the rows of a sum",
             {"input", "skip", "gamma", "beta?", "bias?"}, {epsilon, outputs}, ExpandSkip),
      OnnxOp(Named("SkipSimplifiedLayerNormalization"), "Scales the rows of a sum by their norm",
             {"input", "skip", "gamma", "bias?"}, {epsilon, outputs}, ExpandSkip),
      OnnxOp("onnx.SimplifiedLayerNormalization", "Scales rows by their norm", {"X", "scale"},
             {{"axis", AttributeOf(-1)},
              {"epsilon", AttributeOf(1e-5)},
              {"stash_type", AttributeOf(1)}},
             ExpandSimplified),
      OnnxOp(Named("EmbedLayerNormalization"), "Looks words up, adds positions and normalizes",
             {"input_ids", "segment_ids", "word_embedding", "position_embedding",
              "segment_embedding", "gamma", "beta", "mask?", "position_ids?"},
             {epsilon, {"mask_index_type", AttributeOf(0)}}, ExpandEmbed),
  };
}

}  // namespace signet
