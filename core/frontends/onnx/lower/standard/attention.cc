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

bool IsHalf(DType dtype) { return dtype == DType::kFloat16 || dtype == DType::kBFloat16; }

// Returns true if the queries, which have the shape of `x`, have another number of heads than the
// keys.
bool IsGrouped(const Operand& x, const Operand& k) {
  return KnownSize(x, 1) == kUnknownDim || KnownSize(x, 1) != KnownSize(k, 1);
}

// Joins the rows of all heads of queries that share a head of keys.
Expr Group(OpBuilder& build, const Operand& x, const Operand& k) {
  if (!IsGrouped(x, k)) return build.AsExpr(x);
  int64_t heads = KnownSize(x, 1);
  int64_t own = KnownSize(k, 1);
  Operand rows;
  if (heads == kUnknownDim || own == kUnknownDim) {
    Expr all = DimSize(build, x, 1) * DimSize(build, x, 2);
    rows = build.Floordiv(all, DimSize(build, k, 1));
  } else if (own < 1 || heads % own != 0) {
    SIGNET_RETURN_IF_ERROR(x.value().status());
    SIGNET_RETURN_IF_ERROR(k.value().status());
    return InvalidArgument("expected a multiple of the ", own, " heads of keys, found ", heads,
                           " heads of queries");
  } else {
    rows = KnownSize(x, 2) == kUnknownDim
               ? Operand(DimSize(build, x, 2) * Int64Constant(build, heads / own))
               : Int64Constant(build, KnownSize(x, 2) * (heads / own));
  }
  Expr batch = DimSize(build, x, 0);
  return ReshapeTo(build, x, {batch, DimSize(build, k, 1), rows, DimSize(build, x, 3)});
}

// The inverse of Group, with the heads of `like`.
Expr Ungroup(OpBuilder& build, const Operand& rows, const Operand& like) {
  return ReshapeTo(build, rows,
                   {DimSize(build, like, 0), DimSize(build, like, 1), DimSize(build, like, 2),
                    DimSize(build, rows, 3)});
}

}  // namespace

// --- the formula --------------------------------------------------------------------------------

Expr SplitHeads(OpBuilder& build, const Operand& x, int64_t heads) {
  SIGNET_RETURN_IF_ERROR(x.value().status());
  int64_t size = KnownSize(x, 2);
  SIGNET_ASSIGN_OR_RETURN(int rank, TensorRank(x));
  if (rank != 3 || heads < 1 || (size != kUnknownDim && size % heads != 0)) {
    return InvalidArgument("expected [batch, sequence, hidden] with `hidden` divisible by ", heads,
                           " heads, found `", x.value()->spec, "`");
  }
  const int64_t split[] = {0, 0, heads, size == kUnknownDim ? -1 : size / heads};
  return build.Transpose(build.CallOne("onnx.Reshape", {x, Ints(build, split)}),
                         {.perm = {0, 2, 1, 3}});
}

Expr JoinHeads(OpBuilder& build, const Operand& x) {
  Expr turned = build.Transpose(x, {.perm = {0, 2, 1, 3}});
  int64_t heads = KnownSize(turned, 2);
  int64_t size = KnownSize(turned, 3);
  bool known = heads != kUnknownDim && size != kUnknownDim;
  const int64_t joined[] = {0, 0, known ? heads * size : -1};
  return build.CallOne("onnx.Reshape", {turned, Ints(build, joined)});
}

Expr SliceAxis(OpBuilder& build, const Operand& x, int64_t axis, const Operand& begin,
               const Operand& end, int64_t step) {
  const int64_t axes[] = {axis};
  const int64_t steps[] = {step};
  return build.CallOne("onnx.Slice",
                       {x, build.Reshape(begin, {.shape = {1}}), build.Reshape(end, {.shape = {1}}),
                        Ints(build, axes), Ints(build, steps)});
}

Expr AttentionScores(OpBuilder& build, const Operand& q, const Operand& k,
                     std::optional<double> scale) {
  DType dtype = TensorDType(q);
  int64_t size = KnownSize(q, 3);
  if (!scale && size > 0) scale = 1 / std::sqrt(static_cast<double>(size));
  // Products of half-width floats may overflow, so each side is scaled before.
  bool both = IsHalf(dtype) && !(scale && *scale < 0);
  Operand factor;
  if (scale) {
    factor = Number(build, both ? std::sqrt(*scale) : *scale, dtype);
  } else {
    Expr root = build.Rsqrt(CastTo(build, DimSize(build, q, 3), DType::kFloat32));
    factor = CastTo(build, both ? build.Sqrt(root) : root, dtype);
  }
  Operand queries = q;
  Operand keys = k;
  if (!scale || *scale != 1) {
    queries = build.Mul(q, factor);
    if (both) keys = build.Mul(k, factor);
  }
  Expr scores = build.Matmul(Group(build, queries, keys), keys, {.transpose_b = true});
  return IsGrouped(queries, keys) ? Ungroup(build, scores, queries) : scores;
}

Expr CapScores(OpBuilder& build, const Operand& scores, double cap) {
  if (cap == 0) return build.AsExpr(scores);
  Expr number = Number(build, cap, scores);
  return build.Tanh(scores / number) * number;
}

Expr AttentionSums(OpBuilder& build, const Operand& shares, const Operand& v) {
  Expr values = CastTo(build, v, TensorDType(shares));
  Expr sums = build.Matmul(Group(build, shares, v), values);
  return IsGrouped(shares, v) ? Ungroup(build, sums, shares) : sums;
}

Expr SeenKeys(OpBuilder& build, const Operand& queries, const Operand& keys,
              const AttentionWindow& window) {
  Expr own = build.Reshape(build.Range({queries}), {.shape = {-1, 1}}) + window.first;
  Expr positions = build.Range({keys});
  Expr seen = build.LessEqual(positions, own);
  if (window.before == 0) return seen;
  return build.LogicalAnd(seen,
                          build.Greater(positions, own - Int64Constant(build, window.before)));
}

Expr PadMask(OpBuilder& build, const Operand& mask, const Operand& keys) {
  SIGNET_ASSIGN_OR_RETURN(int rank, TensorRank(mask));
  int last = rank - 1;
  auto wanted = KnownInt(build, keys);
  int64_t size = KnownSize(mask, last);
  if (last < 0 || (wanted && *wanted == size)) return build.AsExpr(mask);
  if (wanted && size > *wanted) {
    return InvalidArgument("mask: expected a last dimension of at most ", *wanted,
                           ", the number of keys, found `", mask.value()->spec, "`");
  }
  DType dtype = TensorDType(mask);
  Expr value = dtype == DType::kBool ? Zero(build, dtype) : Number(build, -kInfinity, dtype);
  Expr missing = keys - DimSize(build, mask, last);
  GraphValue zero = Int64Constant(build, 0);
  Expr pads = build.Stack({zero, build.Maximum(missing, zero)});
  const int64_t axes[] = {last};
  return build.CallOne("onnx.Pad", {mask, pads, value, Ints(build, axes)});
}

Expr AttentionBias(OpBuilder& build, const Operand& seen, const Operand& added, DType dtype) {
  Expr bias = IsGiven(added) ? CastTo(build, added, dtype) : Number(build, 0, dtype);
  return IsGiven(seen) ? build.Select(seen, bias, Number(build, -kInfinity, dtype)) : bias;
}

Expr ZeroUnlessSeeing(OpBuilder& build, const Operand& bias, const Operand& rows) {
  Expr greatest = build.ReduceMax(bias, {.axes = {-1}, .keepdims = true});
  Expr sees = build.Greater(greatest, Number(build, -kInfinity, bias));
  const Tensor* known = sees.ok() ? build.LookupConstant((*sees).components[0]) : nullptr;
  if (known != nullptr) {
    auto all = known->elements<bool>();
    if (std::find(all.begin(), all.end(), false) == all.end()) return build.AsExpr(rows);
  }
  return build.Select(sees, rows, Number(build, 0, rows));
}

// --- Attention ----------------------------------------------------------------------------------

namespace {

// Combines the masks of a call, for the scores of `q` with all keys.
class Masks {
 public:
  Masks(OpBuilder& build, const OpCall& call, std::span<const GraphValue> inputs)
      : build_(build), call_(call), inputs_(inputs) {}

  // Returns the bias that is added to the scores, or no value if there is no mask.
  StatusOr<GraphValue> Bias(const Operand& q, const Operand& k) {
    SIGNET_ASSIGN_OR_RETURN(int64_t causal, call_.attributes.Int("is_causal"));
    SIGNET_ASSIGN_OR_RETURN(int64_t before, call_.attributes.Int("local_window_size"));
    Expr keys = DimSize(build_, k, 2);
    Operand lengths;
    if (IsGiven(inputs_, 6)) {
      lengths = build_.Reshape(CastTo(build_, inputs_[6], DType::kInt64), {.shape = {-1, 1, 1, 1}});
    }
    Operand seen;
    Operand added;
    if (causal != 0 || before > 0) {
      AttentionWindow window = {.first = Int64Constant(build_, 0),
                                .before = std::max<int64_t>(before, 0)};
      if (IsGiven(inputs_, 4)) {
        window.first = DimSize(build_, inputs_[4], 2);
      } else if (IsGiven(lengths)) {
        window.first = lengths - DimSize(build_, q, 2);
      }
      And(seen, SeenKeys(build_, DimSize(build_, q, 2), keys, window));
    }
    if (IsGiven(lengths)) And(seen, build_.Less(build_.Range({keys}), lengths));
    if (IsGiven(inputs_, 3)) {
      Expr mask = PadMask(build_, Mask(q), keys);
      if (TensorDType(mask) == DType::kBool) {
        And(seen, mask);
      } else {
        added = mask;
      }
    }
    if (!IsGiven(seen) && !IsGiven(added)) return GraphValue{};
    return AttentionBias(build_, seen, added, TensorDType(q));
  }

 private:
  void And(Operand& seen, const Operand& more) {
    seen = IsGiven(seen) ? build_.LogicalAnd(seen, more) : more;
  }

  // Returns the mask with four dimensions. The first of three dimensions is the batch from version
  // 25 on, and next to lengths of a cache. Otherwise, by the rules of broadcasting, it is the
  // heads.
  StatusOr<GraphValue> Mask(const Operand& q) {
    SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(inputs_, 3));
    if (rank < 1 || rank > 4) {
      return InvalidArgument(
          "mask: expected a shape that broadcasts to [batch, heads, queries, keys], "
          "found `",
          inputs_[3].spec, "`");
    }
    if (rank != 3) return inputs_[3];
    int64_t size = KnownSize(inputs_[3], 0);
    auto may_be = [&](int axis) {
      int64_t wanted = KnownSize(q, axis);
      return size == 1 || size == kUnknownDim || wanted == kUnknownDim || size == wanted;
    };
    bool newer = OpsetOf(call_) >= 25 || IsGiven(inputs_, 6);
    bool of_batch = may_be(0) && (newer || !may_be(1));
    if (!of_batch) return inputs_[3];
    return build_.ExpandDims(inputs_[3], {.axis = 1});
  }

  OpBuilder& build_;
  const OpCall& call_;
  std::span<const GraphValue> inputs_;
};

StatusOr<std::optional<double>> ScaleOf(const OpCall& call) {
  if (IsNone(call.attributes, "scale")) return std::optional<double>();
  SIGNET_ASSIGN_OR_RETURN(double scale, call.attributes.Float("scale"));
  return std::optional<double>(scale);
}

// Returns the dtype of attribute `softmax_precision`, a number of TensorProto.
StatusOr<DType> PrecisionOf(const OpCall& call, DType otherwise) {
  if (IsNone(call.attributes, "softmax_precision")) return otherwise;
  SIGNET_ASSIGN_OR_RETURN(int64_t number, call.attributes.Int("softmax_precision"));
  if (number == 1) return DType::kFloat32;
  if (number == 10) return DType::kFloat16;
  if (number == 11) return DType::kFloat64;
  if (number == 16) return DType::kBFloat16;
  return InvalidArgument("softmax_precision: expected a type of floats (1, 10, 11, or 16), found ",
                         number);
}

StatusOr<Values> ExpandAttention(OpBuilder& build, const OpCall& call,
                                 std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(auto scale, ScaleOf(call));
  SIGNET_ASSIGN_OR_RETURN(double cap, call.attributes.Float("softcap"));
  SIGNET_ASSIGN_OR_RETURN(int64_t mode, call.attributes.Int("qk_matmul_output_mode"));
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(inputs, 0));
  Operand heads[3];  // queries, keys, values
  for (size_t i = 0; i < 3; ++i) {
    SIGNET_ASSIGN_OR_RETURN(int own, RankAt(inputs, i));
    if (own != rank || (rank != 3 && rank != 4)) {
      return InvalidArgument("expected inputs that all have 3 dimensions, or all have 4, found `",
                             inputs[0].spec, "` and `", inputs[i].spec, "`");
    }
    heads[i] = inputs[i];
    if (rank == 4) continue;
    SIGNET_ASSIGN_OR_RETURN(int64_t count,
                            call.attributes.Int(i == 0 ? "q_num_heads" : "kv_num_heads"));
    heads[i] = SplitHeads(build, inputs[i], count);
    SIGNET_RETURN_IF_ERROR(heads[i].value().status());
  }
  auto& [q, k, v] = heads;
  if (IsGiven(inputs, 4) != IsGiven(inputs, 5)) {
    return InvalidArgument("expected both `past_key` and `past_value`, or neither, found one");
  }
  if (IsGiven(inputs, 4)) {
    k = build.Concat({inputs[4], k}, {.axis = 2});
    v = build.Concat({inputs[5], v}, {.axis = 2});
  }
  Expr scores = AttentionScores(build, q, k, scale);
  Expr capped = CapScores(build, scores, cap);
  SIGNET_ASSIGN_OR_RETURN(GraphValue bias, Masks(build, call, inputs).Bias(q, k));
  Expr biased = bias.spec ? capped + bias : capped;
  SIGNET_RETURN_IF_ERROR(biased.status());
  DType dtype = TensorDType(q);
  // For half-width floats, the softmax and the sums are float32, so that results are rounded once.
  SIGNET_ASSIGN_OR_RETURN(DType precision,
                          PrecisionOf(call, IsHalf(dtype) ? DType::kFloat32 : dtype));
  Expr shares = build.Softmax(CastTo(build, biased, precision), {.axis = -1});
  Expr y = CastTo(build, AttentionSums(build, shares, v), dtype);
  if (bias.spec) y = ZeroUnlessSeeing(build, bias, y);
  if (rank == 3) y = JoinHeads(build, y);
  Expr shown = scores;
  if (mode == 1) shown = capped;
  if (mode == 2) shown = biased;
  if (mode == 3) {
    shown = CastTo(build, bias.spec ? ZeroUnlessSeeing(build, bias, shares) : shares, dtype);
  }
  return AllOf({y, k, v, shown});
}

// --- FlexAttention ------------------------------------------------------------------------------

// FlexAttention consists of three ops, with graphs of the model between them. The scores have the
// precision of the softmax.
StatusOr<Values> ExpandScores(OpBuilder& build, const OpCall& call,
                              std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(auto scale, ScaleOf(call));
  for (size_t i = 0; i < 2; ++i) {
    SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(inputs, i));
    if (rank != 4) {
      return InvalidArgument("input ", i, ": expected 4 dimensions, found `", inputs[i].spec, "`");
    }
  }
  bool wide = TensorDType(inputs[0]) == DType::kFloat64;
  SIGNET_ASSIGN_OR_RETURN(DType dtype, PrecisionOf(call, wide ? DType::kFloat64 : DType::kFloat32));
  Expr q = CastTo(build, inputs[0], dtype);
  return AttentionScores(build, q, CastTo(build, inputs[1], dtype), scale);
}

StatusOr<Values> ExpandSums(OpBuilder& build, const OpCall&, std::span<const GraphValue> inputs) {
  for (size_t i = 0; i < 2; ++i) {
    SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(inputs, i));
    if (rank != 4) {
      return InvalidArgument("input ", i, ": expected 4 dimensions, found `", inputs[i].spec, "`");
    }
  }
  return CastTo(build, AttentionSums(build, inputs[0], inputs[1]), TensorDType(inputs[1]));
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
