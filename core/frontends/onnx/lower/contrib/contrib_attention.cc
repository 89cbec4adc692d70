// Attention operators of com.microsoft: with weights (Attention, QAttention), without weights
// (MultiHeadAttention), and with a cache that is updated in place (GroupQueryAttention).

#include <limits>
#include <string>

#include "core/frontends/onnx/lower/build/inputs.h"
#include "core/frontends/onnx/lower/contrib/contrib_ops.h"
#include "core/frontends/onnx/lower/standard/attention.h"
#include "core/frontends/onnx/lower/standard/rotary.h"
#include "core/ops/build/op_builder.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

using Values = std::vector<GraphValue>;

std::optional<double> ScaleOf(double scale) {
  return scale == 0 ? std::nullopt : std::optional(scale);
}

// --- one formula with masks as ONNX Runtime has them --------------------------------------------

struct Asked {
  Operand q = {};
  Operand k = {};
  Operand v = {};
  Operand mask = {};   // lengths, or which keys are valid; optional
  Operand added = {};  // added to the scores; optional
  std::optional<double> scale = std::nullopt;
  double filter = -10000;  // instead of -inf
  bool causal = false;
};

struct Answered {
  Operand y;  // [batch, sequence, heads * size]
  Operand scores;
};

// Returns which keys are valid, as a bool tensor that broadcasts with the scores.
Expr ValidKeys(OpBuilder& build, const Operand& mask, const Operand& scores) {
  SIGNET_RETURN_IF_ERROR(scores.value().status());
  SIGNET_ASSIGN_OR_RETURN(int rank, TensorRank(mask));
  int64_t rows = KnownSize(mask, 0);
  int64_t batch = KnownSize(scores, 0);
  if (rank == 1 && (rows == kUnknownDim || batch == kUnknownDim || rows == batch)) {
    // The length of each row.
    Expr lengths = build.Reshape(CastTo(build, mask, DType::kInt64), {.shape = {-1, 1, 1, 1}});
    return build.Less(build.Range({DimSize(build, scores, 3)}), lengths);
  }
  Expr there = build.NotEqual(mask, build.ZerosLike(mask));
  const int64_t axes[] = {1, 2};
  if (rank == 2) return build.CallOne("onnx.Unsqueeze", {there, Ints(build, axes)});
  if (rank == 3) return build.ExpandDims(there, {.axis = 1});
  return Unimplemented("mask `", mask.value()->spec,
                       "`: expected one length per row, [batch, total], or [batch, sequence, "
                       "total]");
}

StatusOr<Answered> Attend(OpBuilder& build, const Asked& asked) {
  Expr scores = AttentionScores(build, asked.q, asked.k, asked.scale);
  Expr masked = scores;
  if (IsGiven(asked.mask)) {
    Expr valid = ValidKeys(build, asked.mask, scores);
    Expr low = Number(build, asked.filter, scores);
    masked = masked + build.Select(valid, Number(build, 0, scores), low);
  }
  if (asked.causal) {
    // Each position sees the positions up to itself. Past positions come first.
    Expr total = DimSize(build, asked.k, 2);
    Expr count = DimSize(build, asked.q, 2);
    Expr seen = SeenKeys(build, count, total, {.first = total - count});
    bool half = TensorDType(scores) == DType::kFloat16;
    Expr low = Number(build, half ? -65504 : std::numeric_limits<float>::lowest(), scores);
    masked = build.Select(seen, masked, low);
  }
  if (IsGiven(asked.added)) masked = masked + asked.added;
  Expr y = JoinHeads(build, AttentionSums(build, build.Softmax(masked, {.axis = -1}), asked.v));
  SIGNET_RETURN_IF_ERROR(y.status());
  return Answered{y, scores};
}

// --- Attention, QAttention ----------------------------------------------------------------------

// Returns the sizes of queries, keys, and values in a row of products with `weights`.
StatusOr<std::vector<int64_t>> HiddenSizes(const OpCall& call, const TensorSpec& weights) {
  if (!IsNone(call.attributes, "qkv_hidden_sizes")) {
    SIGNET_ASSIGN_OR_RETURN(auto sizes, OptionalInts(call.attributes, "qkv_hidden_sizes"));
    if (sizes->size() == 3) return *sizes;
  }
  bool known = weights.shape().has_rank() && weights.shape().rank() == 2 &&
               weights.shape().dim(1) != kUnknownDim;
  return std::vector<int64_t>(3, known ? weights.shape().dim(1) / 3 : 0);
}

struct AttentionInputs {
  Operand products;  // the input times the weights
  size_t weights;
  size_t mask;
  size_t past;
  size_t added;
};

StatusOr<Values> ExpandProducts(OpBuilder& build, const OpCall& call,
                                std::span<const GraphValue> inputs, const AttentionInputs& own) {
  SIGNET_ASSIGN_OR_RETURN(int64_t heads, call.attributes.Int("num_heads"));
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* weights, TensorAt(inputs, own.weights));
  SIGNET_ASSIGN_OR_RETURN(std::vector<int64_t> sizes, HiddenSizes(call, *weights));
  for (int64_t size : sizes) {
    if (heads < 1 || size < 1 || size % heads != 0) {
      return InvalidArgument("weights: expected [input, 3 * hidden] with `hidden` divisible by ",
                             heads, " heads, found `", inputs[own.weights].spec, "`");
    }
  }
  SIGNET_ASSIGN_OR_RETURN(double scale, call.attributes.Float("scale"));
  SIGNET_ASSIGN_OR_RETURN(int64_t causal, call.attributes.Int("unidirectional"));
  Asked asked = {.mask = InputOr(inputs, own.mask),
                 .added = InputOr(inputs, own.added),
                 .scale = ScaleOf(scale),
                 .causal = causal != 0};
  SIGNET_ASSIGN_OR_RETURN(asked.filter, call.attributes.Float("mask_filter_value"));
  int64_t begin = 0;
  Operand* parts[] = {&asked.q, &asked.k, &asked.v};
  for (size_t i = 0; i < 3; ++i) {
    Operand part = SliceAxis(build, own.products, -1, Int64Constant(build, begin),
                             Int64Constant(build, begin + sizes[i]));
    *parts[i] = SplitHeads(build, part, heads);
    SIGNET_RETURN_IF_ERROR(parts[i]->value().status());
    begin += sizes[i];
  }
  if (IsGiven(inputs, own.past)) {
    const GraphValue& past = inputs[own.past];
    asked.k = build.Concat({build.Gather(past, Int64Constant(build, 0), {.axis = 0}), asked.k},
                           {.axis = 2});
    asked.v = build.Concat({build.Gather(past, Int64Constant(build, 1), {.axis = 0}), asked.v},
                           {.axis = 2});
  }
  SIGNET_ASSIGN_OR_RETURN(Answered answered, Attend(build, asked));
  return AllOf({answered.y, build.Stack({asked.k, asked.v})});
}

StatusOr<Values> ExpandAttention(OpBuilder& build, const OpCall& call,
                                 std::span<const GraphValue> inputs) {
  Expr products = build.Matmul(inputs[0], inputs[1]);
  if (IsGiven(inputs, 2)) products = products + inputs[2];
  return ExpandProducts(build, call, inputs,
                        {.products = products, .weights = 1, .mask = 3, .past = 4, .added = 5});
}

StatusOr<Values> ExpandQAttention(OpBuilder& build, const OpCall& call,
                                  std::span<const GraphValue> inputs) {
  Operand products = build.CallOne(ContribName("MatMulIntegerToFloat"),
                                   {inputs[0], inputs[1], inputs[3], inputs[4], InputOr(inputs, 6),
                                    InputOr(inputs, 7), inputs[2]});
  return ExpandProducts(
      build, call, inputs,
      {.products = products, .weights = 1, .mask = 5, .past = 8, .added = inputs.size()});
}

// --- MultiHeadAttention -------------------------------------------------------------------------

StatusOr<Values> ExpandMultiHead(OpBuilder& build, const OpCall& call,
                                 std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(int64_t heads, call.attributes.Int("num_heads"));
  SIGNET_ASSIGN_OR_RETURN(double scale, call.attributes.Float("scale"));
  SIGNET_ASSIGN_OR_RETURN(int64_t causal, call.attributes.Int("unidirectional"));
  if (IsGiven(inputs, 8) || IsGiven(inputs, 9)) {
    return Unimplemented("expected a cache that grows, found one of a fixed size");
  }
  Asked asked = {.mask = InputOr(inputs, 4),
                 .added = InputOr(inputs, 5),
                 .scale = ScaleOf(scale),
                 .causal = causal != 0};
  SIGNET_ASSIGN_OR_RETURN(asked.filter, call.attributes.Float("mask_filter_value"));
  Operand* parts[] = {&asked.q, &asked.k, &asked.v};
  size_t filled = 0;
  // Packed inputs are [batch, sequence, heads, 2 or 3, size].
  for (size_t i = 0; i < 3 && filled < 3 && IsGiven(inputs, i); ++i) {
    SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(inputs, i));
    if (rank == 5) {
      for (int64_t kind = 0; filled < 3; ++kind) {
        *parts[filled++] =
            build.Transpose(build.Gather(inputs[i], Int64Constant(build, kind), {.axis = 3}),
                            {.perm = {0, 2, 1, 3}});
      }
    } else {
      *parts[filled++] = inputs[i];
    }
  }
  if (filled < 3)
    return InvalidArgument("expected a key and a value, or a packed input that contains them");
  Operand begin = Int64Constant(build, 0);  // begin of the part of the bias
  for (Operand* part : parts) {
    SIGNET_ASSIGN_OR_RETURN(int rank, TensorRank(*part));
    if (IsGiven(inputs, 3)) {
      Expr end = DimSize(build, *part, rank - 1);
      if (rank == 4) end = end * Int64Constant(build, heads);
      end = begin + end;
      Operand bias = SliceAxis(build, inputs[3], 0, begin, end);
      begin = end;
      if (rank == 4) bias = build.Reshape(bias, {.shape = {heads, 1, -1}});
      *part = build.Add(*part, bias);
    }
    if (rank != 4) *part = SplitHeads(build, *part, heads);
    SIGNET_RETURN_IF_ERROR(part->value().status());
  }
  if (IsGiven(inputs, 6) && IsGiven(inputs, 7)) {
    asked.k = build.Concat({inputs[6], asked.k}, {.axis = 2});
    asked.v = build.Concat({inputs[7], asked.v}, {.axis = 2});
  }
  SIGNET_ASSIGN_OR_RETURN(Answered answered, Attend(build, asked));
  return AllOf({answered.y, asked.k, asked.v, answered.scores});
}

// --- GroupQueryAttention ------------------------------------------------------------------------

class GroupQueryAttention {
 public:
  GroupQueryAttention(OpBuilder& build, const OpCall& call, std::span<const GraphValue> inputs)
      : call_(call), inputs_(inputs), build_(build) {}

  StatusOr<Values> Run() {
    SIGNET_ASSIGN_OR_RETURN(heads_, call_.attributes.Int("num_heads"));
    SIGNET_ASSIGN_OR_RETURN(kv_heads_, call_.attributes.Int("kv_num_heads"));
    SIGNET_ASSIGN_OR_RETURN(double scale, call_.attributes.Float("scale"));
    SIGNET_ASSIGN_OR_RETURN(double cap, call_.attributes.Float("softcap"));
    SIGNET_ASSIGN_OR_RETURN(int64_t before, call_.attributes.Int("local_window_size"));
    SIGNET_RETURN_IF_ERROR(TensorAt(inputs_, 5).status());
    SIGNET_RETURN_IF_ERROR(TensorAt(inputs_, 6).status());
    Operand q, k, v;
    SIGNET_RETURN_IF_ERROR(Parts(q, k, v));
    // The position of the first query of each row, which follows the past. A prompt has no past.
    Expr count = DimSize(build_, q, 2);
    Expr lengths = CastTo(build_, inputs_[5], DType::kInt64) + Int64Constant(build_, 1);
    lengths = build_.Reshape(lengths, {.shape = {-1}});
    Expr total = AsScalar(build_, CastTo(build_, inputs_[6], DType::kInt64));
    Expr first =
        build_.Select(build_.Equal(count, total), build_.ZerosLike(lengths), lengths - count);
    SIGNET_RETURN_IF_ERROR(Rotate(q, k, first, count));
    if (IsGiven(inputs_, 3) && IsGiven(inputs_, 4)) {
      k = Written(inputs_[3], k, first, total);
      v = Written(inputs_[4], v, first, total);
    }
    Expr scores = CapScores(build_, AttentionScores(build_, q, k, ScaleOf(scale)), cap);
    AttentionWindow window = {.first = build_.Reshape(first, {.shape = {-1, 1, 1, 1}}),
                              .before = before > 0 ? before : 0};
    Expr keys = DimSize(build_, k, 2);
    Operand seen = SeenKeys(build_, count, keys, window);
    Operand added;
    if (IsGiven(inputs_, 10)) added = PadMask(build_, inputs_[10], keys);
    Operand bias = AttentionBias(build_, seen, added, TensorDType(scores));
    SIGNET_ASSIGN_OR_RETURN(GraphValue shares, Shares(scores + bias));
    Expr y = JoinHeads(build_, ZeroUnlessSeeing(build_, bias, AttentionSums(build_, shares, v)));
    return AllOf({y, k, v, scores});
  }

 private:
  // Sets queries, keys, and values, split into heads. Without keys, the first input contains all.
  Status Parts(Operand& q, Operand& k, Operand& v) {
    Operand parts[] = {inputs_[0], InputOr(inputs_, 1), InputOr(inputs_, 2)};
    if (!IsGiven(parts[1])) {
      int64_t all = KnownSize(inputs_[0], 2);
      constexpr int64_t kMost = int64_t{1} << 31;
      bool fits = heads_ > 0 && heads_ < kMost && kv_heads_ > 0 && kv_heads_ < kMost;
      if (!fits || (all != kUnknownDim && all % (heads_ + 2 * kv_heads_) != 0)) {
        return InvalidArgument(
            "input 0: expected [batch, sequence, (heads + 2 * kv_heads) * size] for ", heads_,
            " heads and ", kv_heads_, " kv_heads, found `", inputs_[0].spec, "`");
      }
      Expr end = DimSize(build_, inputs_[0], 2);
      Expr size = build_.Floordiv(end, Int64Constant(build_, heads_ + 2 * kv_heads_));
      Expr end_of_q = size * Int64Constant(build_, heads_);
      Expr end_of_k = end_of_q + size * Int64Constant(build_, kv_heads_);
      parts[1] = SliceAxis(build_, inputs_[0], 2, end_of_q, end_of_k);
      parts[2] = SliceAxis(build_, inputs_[0], 2, end_of_k, end);
      parts[0] = SliceAxis(build_, inputs_[0], 2, Int64Constant(build_, 0), end_of_q);
    }
    q = SplitHeads(build_, parts[0], heads_);
    k = SplitHeads(build_, parts[1], kv_heads_);
    v = SplitHeads(build_, parts[2], kv_heads_);
    return AllOf({q, k, v}).status();
  }

  Status Rotate(Operand& q, Operand& k, const Operand& first, const Operand& count) {
    SIGNET_ASSIGN_OR_RETURN(int64_t rotates, call_.attributes.Int("do_rotary"));
    if (rotates == 0) return absl::OkStatus();
    SIGNET_ASSIGN_OR_RETURN(const TensorSpec* cache, TensorAt(inputs_, 7));
    SIGNET_RETURN_IF_ERROR(TensorAt(inputs_, 8).status());
    SIGNET_ASSIGN_OR_RETURN(int64_t interleaved, call_.attributes.Int("rotary_interleaved"));
    RotaryForm form = {.interleaved = interleaved != 0};
    bool known = cache->shape().has_rank() && cache->shape().rank() == 2;
    if (known && cache->shape().dim(1) != kUnknownDim) form.size = 2 * cache->shape().dim(1);
    Expr positions = IsGiven(inputs_, 9)
                         ? CastTo(build_, inputs_[9], DType::kInt64)
                         : build_.Reshape(first, {.shape = {-1, 1}}) + build_.Range({count});
    Expr cos = build_.Gather(inputs_[7], positions, {.axis = 0});
    Expr sin = build_.Gather(inputs_[8], positions, {.axis = 0});
    q = Rotated(build_, q, cos, sin, form);
    k = Rotated(build_, k, cos, sin, form);
    return AllOf({q, k}).status();
  }

  // Returns the past, padded with zeros if necessary, with `more` written to each row from `first`
  // on.
  Expr Written(const Operand& past, const Operand& more, const Operand& first,
               const Operand& total) {
    Expr missing = build_.Maximum(total - DimSize(build_, past, 2), Int64Constant(build_, 0));
    const Operands pads = {Int64Constant(build_, 0), missing};
    const int64_t axes[] = {2};
    Expr room =
        build_.CallOne("onnx.Pad", {past, StackScalars(build_, pads), {}, Ints(build_, axes)});
    return build_.CallOne("onnx.TensorScatter", {room, more, first}, IntAttribute("axis", 2));
  }

  // Returns the softmax of the scores. With a sink per head, or a smooth softmax, the sum is
  // below 1.
  StatusOr<GraphValue> Shares(const Operand& scores) {
    SIGNET_ASSIGN_OR_RETURN(int64_t smooth, call_.attributes.Int("smooth_softmax"));
    if (smooth <= 0 && !IsGiven(inputs_, 11)) return build_.Softmax(scores, {.axis = -1});
    Expr sink = IsGiven(inputs_, 11)
                    ? CastTo(build_, build_.Reshape(inputs_[11], {.shape = {1, -1, 1, 1}}),
                             TensorDType(scores))
                    : Number(build_, 0, scores);
    const Operands sizes = {DimSize(build_, scores, 0), DimSize(build_, scores, 1),
                            DimSize(build_, scores, 2), Int64Constant(build_, 1)};
    Expr column = build_.BroadcastTo(sink, StackScalars(build_, sizes));
    Expr all = build_.Softmax(build_.Concat({column, scores}, {.axis = 3}), {.axis = -1});
    return SliceAxis(build_, all, 3, Int64Constant(build_, 1),
                     DimSize(build_, scores, 3) + Int64Constant(build_, 1));
  }

  const OpCall& call_;
  const std::span<const GraphValue> inputs_;
  OpBuilder& build_;
  int64_t heads_ = 0;
  int64_t kv_heads_ = 0;
};

StatusOr<Values> ExpandGroupQuery(OpBuilder& build, const OpCall& call,
                                  std::span<const GraphValue> inputs) {
  return GroupQueryAttention(build, call, inputs).Run();
}

}  // namespace

std::vector<OpDef> OnnxContribAttentionOps() {
  const AttributeDef heads = {"num_heads"};
  const AttributeDef filter = {"mask_filter_value", AttributeOf(-10000.0)};
  const AttributeDef scale = {"scale", AttributeOf(0.0)};
  const AttributeDef causal = {"unidirectional", AttributeOf(0)};
  const AttributeDef sizes = {"qkv_hidden_sizes", NoneAttribute()};
  const std::vector<AttributeDef> by_weights = {heads,
                                                filter,
                                                scale,
                                                causal,
                                                sizes,
                                                {"do_rotary", AttributeOf(0)},
                                                {"past_present_share_buffer", AttributeOf(0)},
                                                {"rotary_embedding_dim", AttributeOf(0)}};
  return {
      OnnxOp(ContribName("Attention"), "Looks at other positions, by several heads",
             {"input", "weights", "bias?", "mask_index?", "past?", "attention_bias?",
              "past_sequence_length?"},
             by_weights, ExpandAttention),
      OnnxOp(ContribName("QAttention"), "Looks at other positions, by weights of 8 bits",
             {"input", "weight", "bias", "input_scale", "weight_scale", "mask_index?",
              "input_zero_point?", "weight_zero_point?", "past?"},
             by_weights, ExpandQAttention),
      OnnxOp(ContribName("MultiHeadAttention"), "Sums up values by how queries match their keys",
             {"query", "key?", "value?", "bias?", "key_padding_mask?", "attention_bias?",
              "past_key?", "past_value?", "past_sequence_length?", "cache_indirection?"},
             {heads, filter, scale, causal}, ExpandMultiHead),
      OnnxOp(
          ContribName("GroupQueryAttention"), "Looks at what came before, kept in a cache",
          {"query", "key", "value", "past_key", "past_value", "seqlens_k", "total_sequence_length",
           "cos_cache?", "sin_cache?", "position_ids?", "attention_bias?", "head_sink?"},
          {heads,
           {"kv_num_heads"},
           scale,
           {"do_rotary", AttributeOf(0)},
           {"local_window_size", AttributeOf(-1)},
           {"rotary_interleaved", AttributeOf(0)},
           {"smooth_softmax", AttributeOf(0)},
           {"softcap", AttributeOf(0.0)}},
          ExpandGroupQuery),
  };
}

}  // namespace signet
