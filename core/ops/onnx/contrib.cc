// Operators of com.microsoft, which ONNX Runtime's optimiser writes in place of several.

#include <cmath>

#include "core/ops/inference.h"
#include "core/ops/onnx/formula.h"
#include "core/ops/onnx/inputs.h"
#include "core/ops/onnx/onnx_ops.h"
#include "core/types/tensor_spec.h"

namespace signet {
namespace {

using Values = std::vector<GraphValue>;

std::string Named(std::string_view name) { return Cat("onnx.com.microsoft.", name); }

Attributes Ints(std::string_view name, std::initializer_list<int64_t> values) {
  return Attributes({{std::string(name), AttributeOf(std::span(values.begin(), values.size()))}});
}
Attributes Along(int64_t axis) { return Attributes({{"axis", AttributeOf(axis)}}); }

// A number of the dtype of `like`, a tensor.
GraphValue NumberLike(Formula& f, Expander& expander, double value, const GraphValue& like) {
  GraphValue number = expander.Constant(Tensor::Scalar(static_cast<float>(value)));
  const TensorSpec* tensor = f.ok() ? f.Take(TensorAt({&like, 1}, 0)) : nullptr;
  return tensor != nullptr ? f.Cast(number, tensor->dtype()) : number;
}

// `x` with `y`, where there is one, added.
GraphValue Plus(Formula& f, const GraphValue& x, const GraphValue& y) {
  return y.spec ? f("add", {x, y}) : x;
}

// --- activations --------------------------------------------------------------------------------

StatusOr<Values> ExpandGelu(Expander& expander, const OpCall& call,
                            std::span<const GraphValue> inputs) {
  bool fast = call.op.name == "onnx.com.microsoft.FastGelu";
  Formula f(expander);
  GraphValue x = Plus(f, inputs[0], InputOr(inputs, 1));
  return f.Give(
      {f("onnx.Gelu", {x}, Attributes({{"approximate", AttributeOf(fast ? "tanh" : "none")}}))});
}

StatusOr<Values> ExpandQuickGelu(Expander& expander, const OpCall& call,
                                 std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(double alpha, call.attributes.Float("alpha"));
  Formula f(expander);
  GraphValue scaled = f("mul", {inputs[0], NumberLike(f, expander, alpha, inputs[0])});
  return f.Give({f("mul", {inputs[0], f("sigmoid", {scaled})})});
}

// The activation that attribute `activation` names, with its numbers.
StatusOr<GraphValue> Activated(Expander& expander, const std::string& name,
                               std::span<const double> numbers, const GraphValue& x) {
  Attributes attributes;
  auto set = [&](std::string_view attribute, size_t i) {
    if (i < numbers.size()) attributes = attributes.With(attribute, AttributeOf(numbers[i]));
  };
  if (name.empty()) return x;
  if (name == "Clip") {
    Formula f(expander);
    GraphValue low = numbers.empty() ? GraphValue{} : NumberLike(f, expander, numbers[0], x);
    GraphValue high = numbers.size() < 2 ? GraphValue{} : NumberLike(f, expander, numbers[1], x);
    SIGNET_ASSIGN_OR_RETURN(Values out, f.Give({f("clip", {x, low, high})}));
    return out[0];
  }
  if (name == "LeakyRelu" || name == "Elu" || name == "HardSigmoid") set("alpha", 0);
  if (name == "HardSigmoid") set("beta", 1);
  return expander.Call1(Cat("onnx.", name), {x}, attributes);
}

// --- products -----------------------------------------------------------------------------------

StatusOr<Values> ExpandMatMul(Expander& expander, const OpCall& call,
                              std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(double alpha, call.attributes.Float("alpha"));
  Formula f(expander);
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
    product = f("mul", {product, NumberLike(f, expander, alpha, product)});
  }
  return f.Give({product});
}

StatusOr<Values> ExpandGemm(Expander& expander, const OpCall& call,
                            std::span<const GraphValue> inputs) {
  Attributes attributes;
  for (std::string_view name : {"alpha", "beta", "transA", "transB"}) {
    attributes = attributes.With(name, call.attributes.Lookup(name));
  }
  SIGNET_ASSIGN_OR_RETURN(
      GraphValue y,
      expander.Call1("onnx.Gemm", {inputs[0], inputs[1], InputOr(inputs, 2)}, attributes));
  SIGNET_ASSIGN_OR_RETURN(std::string activation, call.attributes.String("activation"));
  std::vector<double> numbers;
  for (std::string_view name : {"activation_alpha", "activation_beta"}) {
    if (IsNone(call.attributes, name)) break;
    SIGNET_ASSIGN_OR_RETURN(double number, call.attributes.Float(name));
    numbers.push_back(number);
  }
  return One(Activated(expander, activation, numbers, y));
}

StatusOr<Values> ExpandConv(Expander& expander, const OpCall& call,
                            std::span<const GraphValue> inputs) {
  Attributes attributes;
  for (std::string_view name :
       {"auto_pad", "dilations", "group", "kernel_shape", "pads", "strides"}) {
    attributes = attributes.With(name, call.attributes.Lookup(name));
  }
  Formula f(expander);
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
  return One(Activated(expander, activation, numbers, y));
}

// --- normalization ------------------------------------------------------------------------------

// Output, mean, one over the deviation, and the sum that is normalized.
StatusOr<Values> ExpandSkip(Expander& expander, const OpCall& call,
                            std::span<const GraphValue> inputs) {
  bool simple = call.op.name == "onnx.com.microsoft.SkipSimplifiedLayerNormalization";
  SIGNET_ASSIGN_OR_RETURN(int64_t outputs, call.attributes.Int("outputs"));
  Formula f(expander);
  GraphValue sum = Plus(f, f("add", {inputs[0], inputs[1]}), InputOr(inputs, simple ? 3 : 4));
  Attributes rows({{"axis", AttributeOf(-1)}, {"epsilon", call.attributes.Lookup("epsilon")}});
  SIGNET_RETURN_IF_ERROR(f.Give(Values()).status());
  if (simple) {
    GraphValue y = f("onnx.RMSNormalization", {sum, inputs[2]}, rows);
    return f.Give({y, y, y, sum});
  }
  const GraphValue operands[] = {sum, inputs[2], InputOr(inputs, 3)};
  if (outputs > 1) rows = rows.With("outputs", AttributeOf(3));
  SIGNET_ASSIGN_OR_RETURN(Values normal, expander.Call("onnx.LayerNormalization", operands, rows));
  if (outputs > 1) normal.push_back(sum);
  return normal;
}

StatusOr<Values> ExpandSimplified(Expander& expander, const OpCall& call,
                                  std::span<const GraphValue> inputs) {
  Attributes rows(
      {{"axis", call.attributes.Lookup("axis")}, {"epsilon", call.attributes.Lookup("epsilon")}});
  return expander.Call("onnx.RMSNormalization", inputs, rows);
}

// Words, positions and segments looked up and summed up; the result, how many words are no
// padding, and the sum.
StatusOr<Values> ExpandEmbed(Expander& expander, const OpCall& call,
                             std::span<const GraphValue> inputs) {
  Formula f(expander);
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

// --- attention ----------------------------------------------------------------------------------

class Attention {
 public:
  Attention(Expander& expander, const OpCall& call, std::span<const GraphValue> inputs)
      : expander_(expander), call_(call), inputs_(inputs), f_(expander) {}

  StatusOr<Values> Run() {
    SIGNET_RETURN_IF_ERROR(TakeSizes());
    SIGNET_ASSIGN_OR_RETURN(double filter, call_.attributes.Float("mask_filter_value"));
    SIGNET_ASSIGN_OR_RETURN(int64_t causal, call_.attributes.Int("unidirectional"));
    GraphValue all = Plus(f_, f_("matmul", {inputs_[0], inputs_[1]}), InputOr(inputs_, 2));
    GraphValue q = Heads(all, 0, hidden_);
    GraphValue k = Heads(all, hidden_, hidden_);
    GraphValue v = Heads(all, 2 * hidden_, value_hidden_);
    if (IsGiven(inputs_, 4)) {
      auto past = [&](int64_t i) { return f_("gather", {inputs_[4], f_.Int(i)}); };
      k = f_("concat", {past(0), k}, signet::Attributes({{"axis", AttributeOf(2)}}));
      v = f_("concat", {past(1), v}, signet::Attributes({{"axis", AttributeOf(2)}}));
    }
    GraphValue scores = f_("matmul", {q, k}, Attributes({{"transpose_b", AttributeOf(true)}}));
    SIGNET_RETURN_IF_ERROR(f_.Give(Values()).status());
    scores = f_("mul", {scores, NumberLike(f_, expander_, scale_, scores)});
    if (IsGiven(inputs_, 3)) {
      SIGNET_ASSIGN_OR_RETURN(GraphValue there, Mask(scores));
      GraphValue low = NumberLike(f_, expander_, filter, scores);
      GraphValue zero = NumberLike(f_, expander_, 0, scores);
      scores = f_("add", {scores, f_("select", {there, zero, low})});
    }
    if (causal != 0) {
      // Position i may look at those up to it, where those of the past come first.
      GraphValue total = f_.Size(scores, 3);
      GraphValue count = f_.Size(scores, 2);
      GraphValue last = f_("add", {Count(count), f_("sub", {total, count})});
      GraphValue seen = f_("less_equal", {Count(total), f_("expand_dims", {last}, Along(1))});
      scores = f_("select", {seen, scores, NumberLike(f_, expander_, -3e38, scores)});
    }
    scores = Plus(f_, scores, InputOr(inputs_, 5));
    GraphValue weights = f_("softmax", {scores}, Along(-1));
    GraphValue y = f_("transpose", {f_("matmul", {weights, v})}, Ints("perm", {0, 2, 1, 3}));
    y = f_("onnx.Reshape", {y, List({0, 0, value_hidden_})});
    GraphValue present = f_("stack", {k, v});
    return f_.Give({y, present});
  }

 private:
  Status TakeSizes() {
    SIGNET_ASSIGN_OR_RETURN(heads_, call_.attributes.Int("num_heads"));
    SIGNET_ASSIGN_OR_RETURN(auto sizes, OptionalInts(call_.attributes, "qkv_hidden_sizes"));
    SIGNET_ASSIGN_OR_RETURN(const TensorSpec* weights, TensorAt(inputs_, 1));
    bool known = weights->shape().has_rank() && weights->shape().rank() == 2 &&
                 weights->shape().dim(1) != kUnknownDim;
    if (sizes && sizes->size() == 3) {
      hidden_ = (*sizes)[0];
      value_hidden_ = (*sizes)[2];
    } else if (known) {
      hidden_ = value_hidden_ = weights->shape().dim(1) / 3;
    }
    if (heads_ < 1 || hidden_ < 1 || value_hidden_ < 1 || hidden_ % heads_ != 0 ||
        value_hidden_ % heads_ != 0) {
      return InvalidArgument(heads_, " heads of weights `", inputs_[1].spec,
                             "`; takes [input, 3 * hidden], of which the heads divide the latter");
    }
    SIGNET_ASSIGN_OR_RETURN(scale_, call_.attributes.Float("scale"));
    if (scale_ == 0) scale_ = 1 / std::sqrt(static_cast<double>(hidden_ / heads_));
    return absl::OkStatus();
  }

  GraphValue List(std::initializer_list<int64_t> values) {
    return expander_.Constant(Tensor::Of<int64_t>({static_cast<int64_t>(values.size())}, values));
  }
  GraphValue Count(const GraphValue& size) { return f_("range", {f_.Int(0), size, f_.Int(1)}); }

  // Columns [first, first + size) as [batch, heads, sequence, size / heads].
  GraphValue Heads(const GraphValue& all, int64_t first, int64_t size) {
    GraphValue part = f_("slice", {all, List({first}), List({first + size})}, Ints("axes", {2}));
    part = f_("onnx.Reshape", {part, List({0, 0, heads_, size / heads_})});
    return f_("transpose", {part}, Ints("perm", {0, 2, 1, 3}));
  }

  // Which positions there are to look at, so that it broadcasts with the scores.
  StatusOr<GraphValue> Mask(const GraphValue& scores) {
    SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(inputs_, 3));
    const GraphValue& mask = inputs_[3];
    int64_t rows = mask.spec.shape()->dim(0);
    int64_t batch = scores.spec.shape()->dim(0);
    if (rank == 1 && (rows == kUnknownDim || batch == kUnknownDim || rows == batch)) {
      // The length of each row.
      GraphValue lengths = f_("onnx.Reshape", {f_.Cast(mask, DType::kInt64), List({-1, 1, 1, 1})});
      return f_("less", {Count(f_.Size(scores, 3)), lengths});
    }
    GraphValue there = f_("not_equal", {mask, f_("zeros_like", {mask})});
    if (rank == 2) return f_("onnx.Unsqueeze", {there, List({1, 2})});
    if (rank == 3) return f_("onnx.Unsqueeze", {there, List({1})});
    return Unimplemented("mask `", mask.spec,
                         "`; takes a length for each row, or [batch, total], or [batch, sequence, "
                         "total]");
  }

  Expander& expander_;
  const OpCall& call_;
  const std::span<const GraphValue> inputs_;
  Formula f_;
  int64_t heads_ = 1;
  int64_t hidden_ = 0;
  int64_t value_hidden_ = 0;
  double scale_ = 0;
};

StatusOr<Values> ExpandAttention(Expander& expander, const OpCall& call,
                                 std::span<const GraphValue> inputs) {
  return Attention(expander, call, inputs).Run();
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
      OnnxOp(Named("Attention"), "Looks at other positions, by several heads",
             {"input", "weights", "bias?", "mask_index?", "past?", "attention_bias?",
              "past_sequence_length?"},
             {{"num_heads"},
              {"unidirectional", AttributeOf(0)},
              {"qkv_hidden_sizes", NoneAttribute()},
              {"mask_filter_value", AttributeOf(-10000.0)},
              {"scale", AttributeOf(0.0)},
              {"do_rotary", AttributeOf(0)},
              {"past_present_share_buffer", AttributeOf(0)},
              {"rotary_embedding_dim", AttributeOf(0)}},
             ExpandAttention),
  };
}

}  // namespace signet
