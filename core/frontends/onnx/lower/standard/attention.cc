#include "core/frontends/onnx/lower/standard/attention.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/frontends/onnx/lower/build/inputs.h"
#include "core/frontends/onnx/lower/standard/standard_ops.h"
#include "core/ops/build/op_builder.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

using Values = std::vector<GraphValue>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Attributes Along(int64_t axis) { return IntAttribute("axis", axis); }

bool IsHalf(DType dtype) { return dtype == DType::kFloat16 || dtype == DType::kBFloat16; }

}  // namespace

// --- the formula --------------------------------------------------------------------------------

StatusOr<GraphValue> AttentionFormula::SplitHeads(const GraphValue& x, int64_t heads) {
  SIGNET_RETURN_IF_ERROR(status());
  int64_t size = KnownSize(x, 2);
  if (RankOf(x) != 3 || heads < 1 || (size != kUnknownDim && size % heads != 0)) {
    return InvalidArgument(heads, " heads of `", x.spec,
                           "`; takes [batch, sequence, hidden], of which they divide the latter");
  }
  const int64_t split[] = {0, 0, heads, size == kUnknownDim ? -1 : size / heads};
  return Transpose((*this)("onnx.Reshape", {x, Ints(split)}), {0, 2, 1, 3});
}

GraphValue AttentionFormula::JoinHeads(const GraphValue& x) {
  GraphValue turned = Transpose(x, {0, 2, 1, 3});
  if (!ok()) return {};
  int64_t heads = KnownSize(turned, 2);
  int64_t size = KnownSize(turned, 3);
  bool known = heads != kUnknownDim && size != kUnknownDim;
  const int64_t joined[] = {0, 0, known ? heads * size : -1};
  return (*this)("onnx.Reshape", {turned, Ints(joined)});
}

bool AttentionFormula::IsGrouped(const GraphValue& x, const GraphValue& k) {
  return KnownSize(x, 1) == kUnknownDim || KnownSize(x, 1) != KnownSize(k, 1);
}

GraphValue AttentionFormula::Group(const GraphValue& x, const GraphValue& k) {
  if (!ok() || !IsGrouped(x, k)) return x;
  int64_t heads = KnownSize(x, 1);
  int64_t own = KnownSize(k, 1);
  GraphValue rows;
  if (heads != kUnknownDim && own != kUnknownDim) {
    if (own < 1 || heads % own != 0) {
      Take(StatusOr<GraphValue>(InvalidArgument(heads, " heads of queries for ", own,
                                                " of keys; takes a multiple of those")));
      return {};
    }
    rows = KnownSize(x, 2) == kUnknownDim ? (*this)("mul", {Size(x, 2), Int(heads / own)})
                                          : Int(KnownSize(x, 2) * (heads / own));
  } else {
    rows = (*this)("floordiv", {(*this)("mul", {Size(x, 1), Size(x, 2)}), Size(k, 1)});
  }
  const GraphValue sizes[] = {Size(x, 0), Size(k, 1), rows, Size(x, 3)};
  return ReshapeTo(x, sizes);
}

GraphValue AttentionFormula::Ungroup(const GraphValue& rows, const GraphValue& like) {
  if (!ok()) return {};
  const GraphValue sizes[] = {Size(like, 0), Size(like, 1), Size(like, 2), Size(rows, 3)};
  return ReshapeTo(rows, sizes);
}

GraphValue AttentionFormula::Part(const GraphValue& x, int64_t axis, const GraphValue& begin,
                                  const GraphValue& end, int64_t step) {
  const int64_t axes[] = {axis};
  const int64_t steps[] = {step};
  return (*this)("onnx.Slice",
                 {x, Reshape(begin, {1}), Reshape(end, {1}), Ints(axes), Ints(steps)});
}

GraphValue AttentionFormula::Scores(GraphValue q, GraphValue k, std::optional<double> scale) {
  if (!ok()) return {};
  DType dtype = DTypeOf(q);
  int64_t size = KnownSize(q, 3);
  if (!scale && size > 0) scale = 1 / std::sqrt(static_cast<double>(size));
  // Products of halves may be too great for them: each side gets its part of the scale before.
  bool both = IsHalf(dtype) && !(scale && *scale < 0);
  GraphValue factor;
  if (scale) {
    factor = Number(both ? std::sqrt(*scale) : *scale, dtype);
  } else {
    GraphValue root = (*this)("rsqrt", {Cast(Size(q, 3), DType::kFloat32)});
    factor = Cast(both ? (*this)("sqrt", {root}) : root, dtype);
  }
  if (!scale || *scale != 1) {
    q = (*this)("mul", {q, factor});
    if (both) k = (*this)("mul", {k, factor});
  }
  GraphValue scores =
      (*this)("matmul", {Group(q, k), k}, Attributes({{"transpose_b", AttributeOf(true)}}));
  return ok() && IsGrouped(q, k) ? Ungroup(scores, q) : scores;
}

GraphValue AttentionFormula::Capped(const GraphValue& scores, double cap) {
  if (!ok() || cap == 0) return scores;
  GraphValue number = Number(cap, scores);
  return (*this)("mul", {(*this)("tanh", {(*this)("div", {scores, number})}), number});
}

GraphValue AttentionFormula::Sums(const GraphValue& shares, const GraphValue& v) {
  if (!ok()) return {};
  GraphValue sums = (*this)("matmul", {Group(shares, v), Cast(v, DTypeOf(shares))});
  return ok() && IsGrouped(shares, v) ? Ungroup(sums, shares) : sums;
}

GraphValue AttentionFormula::Seen(const GraphValue& queries, const GraphValue& keys,
                                  const AttentionWindow& window) {
  GraphValue own = (*this)("add", {Reshape(Range(queries), {-1, 1}), window.first});
  GraphValue positions = Range(keys);
  GraphValue seen = (*this)("less_equal", {positions, own});
  if (window.before == 0) return seen;
  GraphValue last_unseen = (*this)("sub", {own, Int(window.before)});
  return (*this)("logical_and", {seen, (*this)("greater", {positions, last_unseen})});
}

GraphValue AttentionFormula::Filled(const GraphValue& mask, const GraphValue& keys) {
  if (!ok()) return {};
  int last = RankOf(mask) - 1;
  auto wanted = KnownInt(keys);
  int64_t size = KnownSize(mask, last);
  if (last < 0 || (wanted && *wanted == size)) return mask;
  if (wanted && size > *wanted) {
    Take(StatusOr<GraphValue>(
        InvalidArgument("mask `", mask.spec, "` for ", *wanted, " keys; takes as many at most")));
    return {};
  }
  DType dtype = DTypeOf(mask);
  GraphValue value = dtype == DType::kBool ? Zero(dtype) : Number(-kInfinity, dtype);
  GraphValue missing = (*this)("sub", {keys, Size(mask, last)});
  const GraphValue pads[] = {Int(0), (*this)("maximum", {missing, Int(0)})};
  const int64_t axes[] = {last};
  return (*this)("onnx.Pad", {mask, Stack(pads), value, Ints(axes)});
}

GraphValue AttentionFormula::Bias(const GraphValue& seen, const GraphValue& added, DType dtype) {
  if (!ok()) return {};
  GraphValue bias = added.spec ? Cast(added, dtype) : Number(0, dtype);
  return seen.spec ? (*this)("select", {seen, bias, Number(-kInfinity, dtype)}) : bias;
}

GraphValue AttentionFormula::ZeroUnlessSeeing(const GraphValue& bias, GraphValue rows) {
  if (!ok()) return {};
  const int64_t last[] = {-1};
  GraphValue greatest = Reduce("reduce_max", bias, last, true);
  GraphValue sees = (*this)("greater", {greatest, Number(-kInfinity, bias)});
  const Tensor* known = ok() ? build().LookupConstant(sees.components[0]) : nullptr;
  if (known != nullptr) {
    auto all = known->elements<bool>();
    if (std::find(all.begin(), all.end(), false) == all.end()) return rows;
  }
  return (*this)("select", {sees, rows, Number(0, rows)});
}

// --- Attention ----------------------------------------------------------------------------------

namespace {

// The masks of a call, of the scores that are made of `q` and of all keys.
class Masks {
 public:
  Masks(AttentionFormula& f, const OpCall& call, std::span<const GraphValue> inputs)
      : f_(f), call_(call), inputs_(inputs) {}

  // What is added to the scores; no value: nothing.
  StatusOr<GraphValue> Bias(const GraphValue& q, const GraphValue& k) {
    SIGNET_ASSIGN_OR_RETURN(int64_t causal, call_.attributes.Int("is_causal"));
    SIGNET_ASSIGN_OR_RETURN(int64_t before, call_.attributes.Int("local_window_size"));
    SIGNET_RETURN_IF_ERROR(f_.status());
    GraphValue keys = f_.Size(k, 2);
    GraphValue lengths;
    if (IsGiven(inputs_, 6)) {
      lengths = f_.Reshape(f_.Cast(inputs_[6], DType::kInt64), {-1, 1, 1, 1});
    }
    GraphValue seen;
    GraphValue added;
    if (causal != 0 || before > 0) {
      AttentionWindow window = {.first = f_.Int(0), .before = std::max<int64_t>(before, 0)};
      if (IsGiven(inputs_, 4)) {
        window.first = f_.Size(inputs_[4], 2);
      } else if (lengths.spec) {
        window.first = f_("sub", {lengths, f_.Size(q, 2)});
      }
      And(seen, f_.Seen(f_.Size(q, 2), keys, window));
    }
    if (lengths.spec) And(seen, f_("less", {f_.Range(keys), lengths}));
    if (IsGiven(inputs_, 3)) {
      SIGNET_ASSIGN_OR_RETURN(GraphValue mask, Mask(q));
      mask = f_.Filled(mask, keys);
      if (f_.ok() && AttentionFormula::DTypeOf(mask) == DType::kBool) {
        And(seen, mask);
      } else {
        added = mask;
      }
    }
    SIGNET_RETURN_IF_ERROR(f_.status());
    if (!seen.spec && !added.spec) return GraphValue{};
    return f_.Bias(seen, added, AttentionFormula::DTypeOf(q));
  }

 private:
  void And(GraphValue& seen, const GraphValue& more) {
    seen = seen.spec ? f_("logical_and", {seen, more}) : more;
  }

  // A mask of three dimensions is of the batch from version 25 on, and beside lengths of a cache;
  // else, as broadcasting has it, of heads.
  StatusOr<GraphValue> Mask(const GraphValue& q) {
    SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(inputs_, 3));
    if (rank < 1 || rank > 4) {
      return InvalidArgument("mask `", inputs_[3].spec,
                             "`; takes one that broadcasts to [batch, heads, queries, keys]");
    }
    if (rank != 3) return inputs_[3];
    int64_t size = AttentionFormula::KnownSize(inputs_[3], 0);
    auto may_be = [&](int axis) {
      int64_t wanted = AttentionFormula::KnownSize(q, axis);
      return size == 1 || size == kUnknownDim || wanted == kUnknownDim || size == wanted;
    };
    bool newer = OpsetOf(call_) >= 25 || IsGiven(inputs_, 6);
    bool of_batch = may_be(0) && (newer || !may_be(1));
    return of_batch ? f_("expand_dims", {inputs_[3]}, Along(1)) : inputs_[3];
  }

  AttentionFormula& f_;
  const OpCall& call_;
  std::span<const GraphValue> inputs_;
};

StatusOr<std::optional<double>> ScaleOf(const OpCall& call) {
  if (IsNone(call.attributes, "scale")) return std::optional<double>();
  SIGNET_ASSIGN_OR_RETURN(double scale, call.attributes.Float("scale"));
  return std::optional<double>(scale);
}

// The dtype of attribute `softmax_precision`, a number of TensorProto.
StatusOr<DType> PrecisionOf(const OpCall& call, DType otherwise) {
  if (IsNone(call.attributes, "softmax_precision")) return otherwise;
  SIGNET_ASSIGN_OR_RETURN(int64_t number, call.attributes.Int("softmax_precision"));
  if (number == 1) return DType::kFloat32;
  if (number == 10) return DType::kFloat16;
  if (number == 11) return DType::kFloat64;
  if (number == 16) return DType::kBFloat16;
  return InvalidArgument("softmax_precision ", number, "; takes one of floats: 1, 10, 11 or 16");
}

StatusOr<Values> ExpandAttention(OpBuilder& build, const OpCall& call,
                                 std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(auto scale, ScaleOf(call));
  SIGNET_ASSIGN_OR_RETURN(double cap, call.attributes.Float("softcap"));
  SIGNET_ASSIGN_OR_RETURN(int64_t mode, call.attributes.Int("qk_matmul_output_mode"));
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(inputs, 0));
  AttentionFormula f(build);
  GraphValue heads[3];  // queries, keys, values
  for (size_t i = 0; i < 3; ++i) {
    SIGNET_ASSIGN_OR_RETURN(int own, RankAt(inputs, i));
    if (own != rank || (rank != 3 && rank != 4)) {
      return InvalidArgument("inputs `", inputs[0].spec, "` and `", inputs[i].spec,
                             "`; takes all of 3 dimensions, or of 4");
    }
    heads[i] = inputs[i];
    if (rank == 4) continue;
    SIGNET_ASSIGN_OR_RETURN(int64_t count,
                            call.attributes.Int(i == 0 ? "q_num_heads" : "kv_num_heads"));
    SIGNET_ASSIGN_OR_RETURN(heads[i], f.SplitHeads(inputs[i], count));
  }
  auto& [q, k, v] = heads;
  if (IsGiven(inputs, 4) != IsGiven(inputs, 5)) {
    return InvalidArgument("one of `past_key` and `past_value`; takes both, or none");
  }
  if (IsGiven(inputs, 4)) {
    k = f("concat", {inputs[4], k}, Along(2));
    v = f("concat", {inputs[5], v}, Along(2));
  }
  GraphValue scores = f.Scores(q, k, scale);
  GraphValue capped = f.Capped(scores, cap);
  SIGNET_ASSIGN_OR_RETURN(GraphValue bias, Masks(f, call, inputs).Bias(q, k));
  GraphValue biased = bias.spec ? f("add", {capped, bias}) : capped;
  SIGNET_RETURN_IF_ERROR(f.status());
  DType dtype = AttentionFormula::DTypeOf(q);
  // Shares of halves and what they sum up are float32, so that they are rounded once.
  SIGNET_ASSIGN_OR_RETURN(DType precision,
                          PrecisionOf(call, IsHalf(dtype) ? DType::kFloat32 : dtype));
  GraphValue shares = f("softmax", {f.Cast(biased, precision)}, Along(-1));
  GraphValue y = f.Cast(f.Sums(shares, v), dtype);
  if (bias.spec) y = f.ZeroUnlessSeeing(bias, y);
  if (rank == 3) y = f.JoinHeads(y);
  GraphValue shown = scores;
  if (mode == 1) shown = capped;
  if (mode == 2) shown = biased;
  if (mode == 3) {
    shown = f.Cast(bias.spec ? f.ZeroUnlessSeeing(bias, shares) : shares, dtype);
  }
  return f.Give({y, k, v, shown});
}

// --- FlexAttention ------------------------------------------------------------------------------

// FlexAttention is made of three, with graphs of the model between them: scores and their softmax
// are in the precision of the latter.
StatusOr<Values> ExpandScores(OpBuilder& build, const OpCall& call,
                              std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(auto scale, ScaleOf(call));
  for (size_t i = 0; i < 2; ++i) {
    SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(inputs, i));
    if (rank != 4) {
      return InvalidArgument("input ", i, " is `", inputs[i].spec, "`; takes 4 dimensions");
    }
  }
  bool wide = AttentionFormula::DTypeOf(inputs[0]) == DType::kFloat64;
  SIGNET_ASSIGN_OR_RETURN(DType dtype, PrecisionOf(call, wide ? DType::kFloat64 : DType::kFloat32));
  AttentionFormula f(build);
  return f.Give(f.Scores(f.Cast(inputs[0], dtype), f.Cast(inputs[1], dtype), scale));
}

StatusOr<Values> ExpandSums(OpBuilder& build, const OpCall&, std::span<const GraphValue> inputs) {
  for (size_t i = 0; i < 2; ++i) {
    SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(inputs, i));
    if (rank != 4) {
      return InvalidArgument("input ", i, " is `", inputs[i].spec, "`; takes 4 dimensions");
    }
  }
  AttentionFormula f(build);
  return f.Give(f.Cast(f.Sums(inputs[0], inputs[1]), AttentionFormula::DTypeOf(inputs[1])));
}

}  // namespace

std::vector<OpDef> OnnxAttentionOps() {
  const AttributeDef scale = {"scale", NoneAttribute()};
  const AttributeDef precision = {"softmax_precision", NoneAttribute()};
  return {
      OnnxOp("onnx.Attention", "Sums up values by how queries match their keys",
             {"Q", "K", "V", "attn_mask?", "past_key?", "past_value?", "nonpad_kv_seqlen?"},
             {OpsetAttribute(),
              scale,
              precision,
              {"is_causal", AttributeOf(0)},
              {"kv_num_heads", AttributeOf(0)},
              {"local_window_size", AttributeOf(-1)},
              {"q_num_heads", AttributeOf(0)},
              {"qk_matmul_output_mode", AttributeOf(0)},
              {"softcap", AttributeOf(0.0)}},
             ExpandAttention),
      OnnxOp("onnx.AttentionScores", "Multiplies queries with keys", {"Q", "K"}, {scale, precision},
             ExpandScores),
      OnnxOp("onnx.AttentionSums", "Sums up values by shares", {"shares", "V"}, {}, ExpandSums),
  };
}

}  // namespace signet
