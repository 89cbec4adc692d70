// Attention operators of com.microsoft: by weights (Attention, QAttention), of products made
// before (MultiHeadAttention), and with a cache that is written in place (GroupQueryAttention).

#include <limits>
#include <string>

#include "core/frontends/onnx/lower/build/inputs.h"
#include "core/frontends/onnx/lower/contrib/contrib_ops.h"
#include "core/frontends/onnx/lower/standard/attention.h"
#include "core/frontends/onnx/lower/standard/rotary.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

using Values = std::vector<GraphValue>;

std::string Named(std::string_view name) { return Cat("onnx.com.microsoft.", name); }
Attributes Along(int64_t axis) { return IntAttribute("axis", axis); }

std::optional<double> ScaleOf(double scale) {
  return scale == 0 ? std::nullopt : std::optional(scale);
}

// --- one formula with masks as ONNX Runtime has them --------------------------------------------

struct Asked {
  GraphValue q = {};
  GraphValue k = {};
  GraphValue v = {};
  GraphValue mask = {};   // lengths, or what is there; or none
  GraphValue added = {};  // to the scores; or none
  std::optional<double> scale = std::nullopt;
  double filter = -10000;  // instead of -inf
  bool causal = false;
};

struct Answered {
  GraphValue y;  // [batch, sequence, heads * size]
  GraphValue scores;
};

// Which positions there are to look at, so that it broadcasts with the scores.
StatusOr<GraphValue> There(AttentionFormula& f, const GraphValue& mask, const GraphValue& scores) {
  SIGNET_RETURN_IF_ERROR(f.status());
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt({&mask, 1}, 0));
  int64_t rows = AttentionFormula::KnownSize(mask, 0);
  int64_t batch = AttentionFormula::KnownSize(scores, 0);
  if (rank == 1 && (rows == kUnknownDim || batch == kUnknownDim || rows == batch)) {
    // The length of each row.
    GraphValue lengths = f.Reshape(f.Cast(mask, DType::kInt64), {-1, 1, 1, 1});
    return f("less", {f.Range(f.Size(scores, 3)), lengths});
  }
  GraphValue there = f("not_equal", {mask, f("zeros_like", {mask})});
  const int64_t axes[] = {1, 2};
  if (rank == 2) return f("onnx.Unsqueeze", {there, f.Ints(axes)});
  if (rank == 3) return f("expand_dims", {there}, Along(1));
  return Unimplemented("mask `", mask.spec,
                       "`; takes a length for each row, or [batch, total], or [batch, sequence, "
                       "total]");
}

StatusOr<Answered> Attend(AttentionFormula& f, const Asked& asked) {
  GraphValue scores = f.Scores(asked.q, asked.k, asked.scale);
  GraphValue masked = scores;
  if (asked.mask.spec) {
    SIGNET_ASSIGN_OR_RETURN(GraphValue there, There(f, asked.mask, scores));
    SIGNET_RETURN_IF_ERROR(f.status());
    GraphValue low = f.Number(asked.filter, scores);
    masked = f("add", {masked, f("select", {there, f.Number(0, scores), low})});
  }
  if (asked.causal) {
    // Position i sees those up to it, where those of the past come first.
    GraphValue total = f.Size(asked.k, 2);
    GraphValue count = f.Size(asked.q, 2);
    GraphValue seen = f.Seen(count, total, {.first = f("sub", {total, count})});
    SIGNET_RETURN_IF_ERROR(f.status());
    bool half = f.DTypeOf(scores) == DType::kFloat16;
    GraphValue low = f.Number(half ? -65504 : std::numeric_limits<float>::lowest(), scores);
    masked = f("select", {seen, masked, low});
  }
  if (asked.added.spec) masked = f("add", {masked, asked.added});
  GraphValue y = f.JoinHeads(f.Sums(f("softmax", {masked}, Along(-1)), asked.v));
  SIGNET_RETURN_IF_ERROR(f.status());
  return Answered{y, scores};
}

// --- Attention, QAttention ----------------------------------------------------------------------

// Sizes of queries, of keys and of values in a row of products with `weights`.
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
  GraphValue products;  // of the input and the weights
  size_t weights;
  size_t mask;
  size_t past;
  size_t added;
};

StatusOr<Values> ExpandProducts(AttentionFormula& f, const OpCall& call,
                                std::span<const GraphValue> inputs, const AttentionInputs& own) {
  SIGNET_ASSIGN_OR_RETURN(int64_t heads, call.attributes.Int("num_heads"));
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* weights, TensorAt(inputs, own.weights));
  SIGNET_ASSIGN_OR_RETURN(std::vector<int64_t> sizes, HiddenSizes(call, *weights));
  for (int64_t size : sizes) {
    if (heads < 1 || size < 1 || size % heads != 0) {
      return InvalidArgument(heads, " heads of weights `", inputs[own.weights].spec,
                             "`; takes [input, 3 * hidden], of which the heads divide the latter");
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
  GraphValue* parts[] = {&asked.q, &asked.k, &asked.v};
  for (size_t i = 0; i < 3; ++i) {
    GraphValue part = f.Part(own.products, -1, f.Int(begin), f.Int(begin + sizes[i]));
    SIGNET_ASSIGN_OR_RETURN(*parts[i], f.SplitHeads(part, heads));
    begin += sizes[i];
  }
  if (IsGiven(inputs, own.past)) {
    const GraphValue& past = inputs[own.past];
    asked.k = f("concat", {f.Gather(past, f.Int(0), 0), asked.k}, Along(2));
    asked.v = f("concat", {f.Gather(past, f.Int(1), 0), asked.v}, Along(2));
  }
  SIGNET_ASSIGN_OR_RETURN(Answered answered, Attend(f, asked));
  return f.Give({answered.y, f("stack", {asked.k, asked.v})});
}

StatusOr<Values> ExpandAttention(OpBuilder& build, const OpCall& call,
                                 std::span<const GraphValue> inputs) {
  AttentionFormula f(build);
  GraphValue products = f("matmul", {inputs[0], inputs[1]});
  if (IsGiven(inputs, 2)) products = f("add", {products, inputs[2]});
  return ExpandProducts(f, call, inputs,
                        {.products = products, .weights = 1, .mask = 3, .past = 4, .added = 5});
}

StatusOr<Values> ExpandQAttention(OpBuilder& build, const OpCall& call,
                                  std::span<const GraphValue> inputs) {
  AttentionFormula f(build);
  GraphValue products =
      f(Named("MatMulIntegerToFloat"), {inputs[0], inputs[1], inputs[3], inputs[4],
                                        InputOr(inputs, 6), InputOr(inputs, 7), inputs[2]});
  return ExpandProducts(
      f, call, inputs,
      {.products = products, .weights = 1, .mask = 5, .past = 8, .added = inputs.size()});
}

// --- MultiHeadAttention -------------------------------------------------------------------------

StatusOr<Values> ExpandMultiHead(OpBuilder& build, const OpCall& call,
                                 std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(int64_t heads, call.attributes.Int("num_heads"));
  SIGNET_ASSIGN_OR_RETURN(double scale, call.attributes.Float("scale"));
  SIGNET_ASSIGN_OR_RETURN(int64_t causal, call.attributes.Int("unidirectional"));
  if (IsGiven(inputs, 8) || IsGiven(inputs, 9)) {
    return Unimplemented("a cache of a fixed size; takes one that grows");
  }
  AttentionFormula f(build);
  Asked asked = {.mask = InputOr(inputs, 4),
                 .added = InputOr(inputs, 5),
                 .scale = ScaleOf(scale),
                 .causal = causal != 0};
  SIGNET_ASSIGN_OR_RETURN(asked.filter, call.attributes.Float("mask_filter_value"));
  GraphValue* parts[] = {&asked.q, &asked.k, &asked.v};
  size_t filled = 0;
  // Packed inputs are [batch, sequence, heads, of 3 or 2 kinds, size].
  for (size_t i = 0; i < 3 && filled < 3 && IsGiven(inputs, i); ++i) {
    SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(inputs, i));
    if (rank == 5) {
      for (int64_t kind = 0; filled < 3; ++kind) {
        *parts[filled++] = f.Transpose(f.Gather(inputs[i], f.Int(kind), 3), {0, 2, 1, 3});
      }
    } else {
      *parts[filled++] = inputs[i];
    }
  }
  if (filled < 3) return InvalidArgument("no key or value; takes both, or one that has all");
  GraphValue begin = f.Int(0);  // of the bias
  for (GraphValue* part : parts) {
    SIGNET_RETURN_IF_ERROR(f.status());
    SIGNET_ASSIGN_OR_RETURN(int rank, RankAt({part, 1}, 0));
    if (IsGiven(inputs, 3)) {
      GraphValue end = f.Size(*part, rank - 1);
      if (rank == 4) end = f("mul", {end, f.Int(heads)});
      end = f("add", {begin, end});
      GraphValue bias = f.Part(inputs[3], 0, begin, end);
      begin = end;
      if (rank == 4) bias = f.Reshape(bias, {heads, 1, -1});
      *part = f("add", {*part, bias});
    }
    if (rank == 4) continue;
    SIGNET_ASSIGN_OR_RETURN(*part, f.SplitHeads(*part, heads));
  }
  if (IsGiven(inputs, 6) && IsGiven(inputs, 7)) {
    asked.k = f("concat", {inputs[6], asked.k}, Along(2));
    asked.v = f("concat", {inputs[7], asked.v}, Along(2));
  }
  SIGNET_ASSIGN_OR_RETURN(Answered answered, Attend(f, asked));
  return f.Give({answered.y, asked.k, asked.v, answered.scores});
}

// --- GroupQueryAttention ------------------------------------------------------------------------

class GroupQueryAttention {
 public:
  GroupQueryAttention(OpBuilder& build, const OpCall& call, std::span<const GraphValue> inputs)
      : call_(call), inputs_(inputs), f_(build) {}

  StatusOr<Values> Run() {
    SIGNET_ASSIGN_OR_RETURN(heads_, call_.attributes.Int("num_heads"));
    SIGNET_ASSIGN_OR_RETURN(kv_heads_, call_.attributes.Int("kv_num_heads"));
    SIGNET_ASSIGN_OR_RETURN(double scale, call_.attributes.Float("scale"));
    SIGNET_ASSIGN_OR_RETURN(double cap, call_.attributes.Float("softcap"));
    SIGNET_ASSIGN_OR_RETURN(int64_t before, call_.attributes.Int("local_window_size"));
    SIGNET_RETURN_IF_ERROR(TensorAt(inputs_, 5).status());
    SIGNET_RETURN_IF_ERROR(TensorAt(inputs_, 6).status());
    GraphValue q, k, v;
    SIGNET_RETURN_IF_ERROR(Parts(q, k, v));
    // Where the first query of each row stands: behind the past, of which a prompt has none.
    GraphValue count = f_.Size(q, 2);
    GraphValue lengths = f_("add", {f_.Cast(inputs_[5], DType::kInt64), f_.Int(1)});
    lengths = f_.Reshape(lengths, {-1});
    GraphValue total = f_.AsScalar(f_.Cast(inputs_[6], DType::kInt64));
    GraphValue first = f_("select", {f_("equal", {count, total}), f_("zeros_like", {lengths}),
                                     f_("sub", {lengths, count})});
    SIGNET_RETURN_IF_ERROR(Rotate(q, k, first, count));
    if (IsGiven(inputs_, 3) && IsGiven(inputs_, 4)) {
      k = Written(inputs_[3], k, first, total);
      v = Written(inputs_[4], v, first, total);
    }
    GraphValue scores = f_.Capped(f_.Scores(q, k, ScaleOf(scale)), cap);
    AttentionWindow window = {.first = f_.Reshape(first, {-1, 1, 1, 1}),
                              .before = before > 0 ? before : 0};
    GraphValue keys = f_.Size(k, 2);
    GraphValue seen = f_.Seen(count, keys, window);
    GraphValue added = IsGiven(inputs_, 10) ? f_.Filled(inputs_[10], keys) : GraphValue{};
    SIGNET_RETURN_IF_ERROR(f_.status());
    GraphValue bias = f_.Bias(seen, added, f_.DTypeOf(scores));
    SIGNET_ASSIGN_OR_RETURN(GraphValue shares, Shares(f_("add", {scores, bias})));
    GraphValue y = f_.JoinHeads(f_.ZeroUnlessSeeing(bias, f_.Sums(shares, v)));
    return f_.Give({y, k, v, scores});
  }

 private:
  // Queries, keys and values, in heads; packed into the first input where there are no keys.
  Status Parts(GraphValue& q, GraphValue& k, GraphValue& v) {
    GraphValue parts[] = {inputs_[0], InputOr(inputs_, 1), InputOr(inputs_, 2)};
    if (!parts[1].spec) {
      int64_t all = AttentionFormula::KnownSize(inputs_[0], 2);
      constexpr int64_t kMost = int64_t{1} << 31;
      bool fits = heads_ > 0 && heads_ < kMost && kv_heads_ > 0 && kv_heads_ < kMost;
      if (!fits || (all != kUnknownDim && all % (heads_ + 2 * kv_heads_) != 0)) {
        return InvalidArgument("`", inputs_[0].spec, "` of ", heads_, " and ", kv_heads_,
                               " heads; takes [batch, sequence, (heads + 2 * kv_heads) * size]");
      }
      GraphValue end = f_.Size(inputs_[0], 2);
      GraphValue size = f_("floordiv", {end, f_.Int(heads_ + 2 * kv_heads_)});
      GraphValue end_of_q = f_("mul", {size, f_.Int(heads_)});
      GraphValue end_of_k = f_("add", {end_of_q, f_("mul", {size, f_.Int(kv_heads_)})});
      parts[1] = f_.Part(inputs_[0], 2, end_of_q, end_of_k);
      parts[2] = f_.Part(inputs_[0], 2, end_of_k, end);
      parts[0] = f_.Part(inputs_[0], 2, f_.Int(0), end_of_q);
    }
    SIGNET_ASSIGN_OR_RETURN(q, f_.SplitHeads(parts[0], heads_));
    SIGNET_ASSIGN_OR_RETURN(k, f_.SplitHeads(parts[1], kv_heads_));
    SIGNET_ASSIGN_OR_RETURN(v, f_.SplitHeads(parts[2], kv_heads_));
    return absl::OkStatus();
  }

  Status Rotate(GraphValue& q, GraphValue& k, const GraphValue& first, const GraphValue& count) {
    SIGNET_ASSIGN_OR_RETURN(int64_t rotates, call_.attributes.Int("do_rotary"));
    if (rotates == 0) return absl::OkStatus();
    SIGNET_ASSIGN_OR_RETURN(const TensorSpec* cache, TensorAt(inputs_, 7));
    SIGNET_RETURN_IF_ERROR(TensorAt(inputs_, 8).status());
    SIGNET_ASSIGN_OR_RETURN(int64_t interleaved, call_.attributes.Int("rotary_interleaved"));
    RotaryForm form = {.interleaved = interleaved != 0};
    bool known = cache->shape().has_rank() && cache->shape().rank() == 2;
    if (known && cache->shape().dim(1) != kUnknownDim) form.size = 2 * cache->shape().dim(1);
    GraphValue positions = IsGiven(inputs_, 9)
                               ? f_.Cast(inputs_[9], DType::kInt64)
                               : f_("add", {f_.Reshape(first, {-1, 1}), f_.Range(count)});
    GraphValue cos = f_.Gather(inputs_[7], positions, 0);
    GraphValue sin = f_.Gather(inputs_[8], positions, 0);
    SIGNET_ASSIGN_OR_RETURN(q, Rotated(f_, q, cos, sin, form));
    SIGNET_ASSIGN_OR_RETURN(k, Rotated(f_, k, cos, sin, form));
    return absl::OkStatus();
  }

  // The past, or as many zeros as are missing behind it, with `more` in each row from `first` on.
  GraphValue Written(const GraphValue& past, const GraphValue& more, const GraphValue& first,
                     const GraphValue& total) {
    GraphValue missing = f_("maximum", {f_("sub", {total, f_.Size(past, 2)}), f_.Int(0)});
    const GraphValue pads[] = {f_.Int(0), missing};
    const int64_t axes[] = {2};
    GraphValue room = f_("onnx.Pad", {past, f_.Stack(pads), {}, f_.Ints(axes)});
    return f_("onnx.TensorScatter", {room, more, first}, Along(2));
  }

  // With a share that goes to nothing, where each head has a sink, or there is a smooth softmax.
  StatusOr<GraphValue> Shares(const GraphValue& scores) {
    SIGNET_ASSIGN_OR_RETURN(int64_t smooth, call_.attributes.Int("smooth_softmax"));
    SIGNET_RETURN_IF_ERROR(f_.status());
    if (smooth <= 0 && !IsGiven(inputs_, 11)) return f_("softmax", {scores}, Along(-1));
    GraphValue sink = IsGiven(inputs_, 11)
                          ? f_.Cast(f_.Reshape(inputs_[11], {1, -1, 1, 1}), f_.DTypeOf(scores))
                          : f_.Number(0, scores);
    const GraphValue sizes[] = {f_.Size(scores, 0), f_.Size(scores, 1), f_.Size(scores, 2),
                                f_.Int(1)};
    GraphValue column = f_("broadcast_to", {sink, f_.Stack(sizes)});
    GraphValue all = f_("softmax", {f_("concat", {column, scores}, Along(3))}, Along(-1));
    return f_.Part(all, 3, f_.Int(1), f_("add", {f_.Size(scores, 3), f_.Int(1)}));
  }

  const OpCall& call_;
  const std::span<const GraphValue> inputs_;
  AttentionFormula f_;
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
      OnnxOp(Named("Attention"), "Looks at other positions, by several heads",
             {"input", "weights", "bias?", "mask_index?", "past?", "attention_bias?",
              "past_sequence_length?"},
             by_weights, ExpandAttention),
      OnnxOp(Named("QAttention"), "Looks at other positions, by weights of 8 bits",
             {"input", "weight", "bias", "input_scale", "weight_scale", "mask_index?",
              "input_zero_point?", "weight_zero_point?", "past?"},
             by_weights, ExpandQAttention),
      OnnxOp(Named("MultiHeadAttention"), "Sums up values by how queries match their keys",
             {"query", "key?", "value?", "bias?", "key_padding_mask?", "attention_bias?",
              "past_key?", "past_value?", "past_sequence_length?", "cache_indirection?"},
             {heads, filter, scale, causal}, ExpandMultiHead),
      OnnxOp(
          Named("GroupQueryAttention"), "Looks at what came before, kept in a cache",
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
