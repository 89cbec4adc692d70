// Operators of language models in addition to attention: rotary embeddings, gates, and convolutions
// and attention with a state.

#include <string>

#include "core/frontends/onnx/lower/build/inputs.h"
#include "core/frontends/onnx/lower/standard/attention.h"
#include "core/frontends/onnx/lower/standard/rotary.h"
#include "core/frontends/onnx/lower/standard/standard_ops.h"
#include "core/ops/build/op_builder.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

using Values = std::vector<GraphValue>;

// --- rotary embedding ---------------------------------------------------------------------------

StatusOr<RotaryForm> FormOf(const OpCall& call) {
  SIGNET_ASSIGN_OR_RETURN(int64_t interleaved, call.attributes.Int("interleaved"));
  RotaryForm form = {.interleaved = interleaved != 0};
  SIGNET_ASSIGN_OR_RETURN(form.size, call.attributes.Int("rotary_embedding_dim"));
  SIGNET_ASSIGN_OR_RETURN(form.heads, call.attributes.Int("num_heads"));
  return form;
}

StatusOr<Values> ExpandRotary(OpBuilder& build, const OpCall& call,
                              std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(RotaryForm form, FormOf(call));
  Operand caches[] = {inputs[1], inputs[2]};
  for (Operand& cache : caches) {
    if (IsGiven(inputs, 3)) cache = build.Gather(cache, inputs[3], {.axis = 0});
  }
  return OneOutput(Rotated(build, inputs[0], caches[0], caches[1], form));
}

// The operator of com.microsoft: positions precede the caches; a single position is the first one.
StatusOr<Values> ExpandOwnRotary(OpBuilder& build, const OpCall& call,
                                 std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(RotaryForm form, FormOf(call));
  SIGNET_ASSIGN_OR_RETURN(double scale, call.attributes.Float("scale"));
  if (scale != 1) return Unimplemented("scale: expected 1, found ", scale);
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(inputs, 0));
  SIGNET_ASSIGN_OR_RETURN(int of_positions, RankAt(inputs, 1));
  if (rank == 3 && form.heads == 0) {
    // All elements of a head are rotated: its size is twice the size of a row of the caches.
    int64_t half = KnownSize(inputs[2], 1);
    if (half < 1) {
      return Unimplemented("expected `num_heads`, or caches of a known size, found `",
                           inputs[0].spec, "` and caches `", inputs[2].spec, "`");
    }
    form.head = 2 * half;
  }
  Expr positions = CastTo(build, inputs[1], DType::kInt64);
  if (of_positions == 1) {
    positions = build.Reshape(positions, {.shape = {-1, 1}}) +
                build.Range({DimSize(build, inputs[0], rank - 2)});
  }
  return OneOutput(Rotated(build, inputs[0], build.Gather(inputs[2], positions, {.axis = 0}),
                           build.Gather(inputs[3], positions, {.axis = 0}), form));
}

// --- gates --------------------------------------------------------------------------------------

StatusOr<Values> ExpandSwiGlu(OpBuilder& build, const OpCall& call,
                              std::span<const GraphValue> inputs) {
  Expr gate = build.CallOne("onnx.Swish", {inputs[0]},
                            Attributes({{"alpha", call.attributes.Lookup("alpha")}}));
  return gate * inputs[1];
}

// --- weights of a few bits ----------------------------------------------------------------------

// Unpacks numbers of `bits` bits, which are packed into bytes along the last dimension.
Expr Unpacked(OpBuilder& build, const Operand& bytes, int64_t bits, int64_t rows, int64_t per_row) {
  Operand numbers = bytes;
  auto byte = [&](int64_t value) {
    return Number(build, static_cast<double>(value), DType::kUInt8);
  };
  std::vector<Operand> parts;
  for (int64_t at = 0; at < 8 && bits < 8; at += bits) {
    Expr shifted = at == 0 ? build.AsExpr(bytes) : build.ShiftRight(bytes, byte(at));
    parts.push_back(build.BitwiseAnd(shifted, byte((1 << bits) - 1)));
  }
  if (!parts.empty()) {
    for (Operand& part : parts) part = build.ExpandDims(part, {.axis = -1});
    numbers = build.Concat(parts, {.axis = -1});
  }
  numbers = build.Reshape(numbers, {.shape = {rows, -1}});
  return SliceAxis(build, numbers, 1, Int64Constant(build, 0), Int64Constant(build, per_row));
}

// The weights are [N, blocks, bytes]; each block has a scale and a zero point.
StatusOr<Values> ExpandMatMulNBits(OpBuilder& build, const OpCall& call,
                                   std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(int64_t columns, call.attributes.Int("N"));
  SIGNET_ASSIGN_OR_RETURN(int64_t depth, call.attributes.Int("K"));
  SIGNET_ASSIGN_OR_RETURN(int64_t bits, call.attributes.Int("bits"));
  SIGNET_ASSIGN_OR_RETURN(int64_t block, call.attributes.Int("block_size"));
  constexpr int64_t kMost = int64_t{1} << 31;
  if ((bits != 2 && bits != 4 && bits != 8) || block < 8 || block > kMost || columns < 1 ||
      columns > kMost || depth < 1 || depth > kMost) {
    return InvalidArgument("expected 2, 4, or 8 bits and blocks of at least 8, found ", columns,
                           " columns of ", depth, " in blocks of ", block, " of ", bits, " bits");
  }
  if (IsGiven(inputs, 4))
    return Unimplemented("`g_idx` is not supported; blocks must be in their order");
  int64_t blocks = (depth + block - 1) / block;
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* a, TensorAt(inputs, 0));
  SIGNET_RETURN_IF_ERROR(TensorAt(inputs, 1).status());
  SIGNET_RETURN_IF_ERROR(TensorAt(inputs, 2).status());
  Operand numbers = Unpacked(build, inputs[1], bits, columns, blocks * block);
  numbers =
      build.Reshape(CastTo(build, numbers, DType::kFloat32), {.shape = {columns, blocks, block}});
  Expr zero = Number(build, static_cast<double>(1 << (bits - 1)), DType::kFloat32);
  if (IsGiven(inputs, 3)) {
    SIGNET_ASSIGN_OR_RETURN(const TensorSpec* given, TensorAt(inputs, 3));
    zero = given->dtype() == DType::kUInt8 ? Unpacked(build, inputs[3], bits, columns, blocks)
                                           : build.AsExpr(inputs[3]);
    zero = build.Reshape(CastTo(build, zero, DType::kFloat32), {.shape = {columns, blocks, 1}});
  }
  Expr scale =
      build.Reshape(CastTo(build, inputs[2], DType::kFloat32), {.shape = {columns, blocks, 1}});
  Expr weights = (numbers - zero) * scale;
  weights = build.Reshape(weights, {.shape = {columns, blocks * block}});
  weights = SliceAxis(build, weights, 1, Int64Constant(build, 0), Int64Constant(build, depth));
  Expr y = build.Matmul(inputs[0], CastTo(build, weights, a->dtype()), {.transpose_b = true});
  return IsGiven(inputs, 5) ? y + inputs[5] : y;
}

// --- states -------------------------------------------------------------------------------------

// Convolves each channel with earlier elements, which may be in the state of the previous call.
StatusOr<Values> ExpandCausalConv(OpBuilder& build, const OpCall& call,
                                  std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(std::string activation, call.attributes.String("activation"));
  if (activation != "none" && activation != "silu" && activation != "swish") {
    return InvalidArgument("activation: expected none, silu, or swish, found `",
                           Printable(activation), "`");
  }
  for (size_t i = 0; i < 2; ++i) {
    SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(inputs, i));
    if (rank != 3) {
      return InvalidArgument("input ", i, ": expected 3 dimensions, found `", inputs[i].spec, "`");
    }
  }
  int64_t channels = KnownSize(inputs[1], 0);
  if (channels == kUnknownDim) channels = KnownSize(inputs[0], 1);
  if (channels == kUnknownDim) {
    return Unimplemented("expected a known number of channels, found the input `", inputs[0].spec,
                         "` and the weights `", inputs[1].spec, "`");
  }
  Expr before = DimSize(build, inputs[1], 2) - Int64Constant(build, 1);
  Operand all;
  if (IsGiven(inputs, 3)) {
    int64_t length = KnownSize(inputs[3], 2);
    int64_t window = KnownSize(inputs[1], 2);
    if (length != kUnknownDim && window != kUnknownDim && length != window - 1) {
      return InvalidArgument("state: expected ", window - 1, " elements for a window of ", window,
                             ", found ", length);
    }
    all = build.Concat({inputs[3], inputs[0]}, {.axis = 2});
  } else {
    const Operands pads = {before, Int64Constant(build, 0)};
    const int64_t axes[] = {2};
    all = build.CallOne("onnx.Pad", {inputs[0], StackScalars(build, pads), {}, Ints(build, axes)});
  }
  Expr y = build.CallOne("onnx.Conv", {all, inputs[1], InputOr(inputs, 2)},
                         IntAttribute("group", channels));
  if (activation != "none") {
    Expr wide = AsWideFloat(build, y);
    y = CastTo(build, wide * build.Sigmoid(wide), TensorDType(inputs[0]));
  }
  Expr length = DimSize(build, all, 2);
  return AllOf({y, SliceAxis(build, all, 2, length - before, length)});
}

StatusOr<Values> ExpandLinearAttention(OpBuilder& build, const OpCall& call,
                                       std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(std::string rule, call.attributes.String("update_rule"));
  bool decays = rule == "gated" || rule == "gated_delta";
  bool corrects = rule == "delta" || rule == "gated_delta";
  if (!decays && !corrects && rule != "linear") {
    return InvalidArgument("update_rule: expected linear, gated, delta, or gated_delta, found `",
                           Printable(rule), "`");
  }
  if (IsGiven(inputs, 4) != decays || IsGiven(inputs, 5) != corrects ||
      (IsGiven(inputs, 6) && !corrects)) {
    return InvalidArgument("update_rule ", rule, decays ? " requires" : " does not accept",
                           " `decay`, and ", corrects ? "requires" : "does not accept", " `beta`",
                           corrects ? "" : " and `erase_gate`");
  }
  std::vector<Operand> wide;
  for (size_t i = 0; i < inputs.size(); ++i) {
    wide.push_back(GraphValue{});
    if (IsGiven(inputs, i)) wide.back() = AsWideFloat(build, inputs[i]);
  }
  Attributes attributes;
  for (std::string_view name : {"q_num_heads", "kv_num_heads", "scale"}) {
    attributes = attributes.With(name, call.attributes.Lookup(name));
  }
  SIGNET_ASSIGN_OR_RETURN(Values out, build.CallAll("linear_attention", wide, attributes));
  size_t of_state = IsGiven(inputs, 3) ? 3 : 0;
  return AllOf({CastTo(build, out[0], TensorDType(inputs[0])),
                CastTo(build, out[1], TensorDType(inputs[of_state]))});
}

}  // namespace

Expr Rotated(OpBuilder& build, const Operand& given, const Operand& cosines, const Operand& sines,
             const RotaryForm& form) {
  SIGNET_ASSIGN_OR_RETURN(GraphValue x, given.value());
  SIGNET_ASSIGN_OR_RETURN(int rank, TensorRank(x));
  if (rank != 3 && rank != 4) {
    return InvalidArgument("input `", x.spec, "`: expected [batch, sequence, hidden] or [batch, ",
                           "heads, sequence, size]");
  }
  if (rank == 3) {
    int64_t hidden = KnownSize(x, 2);
    int64_t parts = form.heads > 0 ? form.heads : form.head;
    if (parts < 1 || (hidden != kUnknownDim && hidden % parts != 0)) {
      return InvalidArgument(
          "num_heads: expected a positive number that divides the last dimension of `", x.spec,
          "`, found ", form.heads);
    }
    int64_t others = hidden == kUnknownDim ? -1 : hidden / parts;
    const int64_t split[] = {0, 0, form.heads > 0 ? parts : others,
                             form.heads > 0 ? others : parts};
    SIGNET_ASSIGN_OR_RETURN(x, build.CallOne("onnx.Reshape", {x, Ints(build, split)}));
  }
  // Adds a dimension for heads to [batch, sequence, half].
  Expr cos = build.ExpandDims(cosines, {.axis = rank == 3 ? 2 : 1});
  SIGNET_RETURN_IF_ERROR(cos.status());
  Expr sin = build.ExpandDims(sines, {.axis = rank == 3 ? 2 : 1});
  SIGNET_RETURN_IF_ERROR(sin.status());
  int64_t size = KnownSize(x, 3);
  if (form.size % 2 != 0 || form.size < 0 || (size != kUnknownDim && form.size > size) ||
      (form.size == 0 && size % 2 != 0 && size != kUnknownDim)) {
    return InvalidArgument(
        "rotary_embedding_dim: expected an even number up to the size of a head of `", x.spec,
        "`, or 0 for all elements, found ", form.size);
  }
  Expr whole = DimSize(build, x, 3);
  Operand turning = whole;
  Operand half;
  if (form.size == 0) {
    half = build.Floordiv(whole, Int64Constant(build, 2));
  } else {
    turning = Int64Constant(build, form.size);
    half = Int64Constant(build, form.size / 2);
  }
  Expr first = form.interleaved ? SliceAxis(build, x, 3, Int64Constant(build, 0), turning, 2)
                                : SliceAxis(build, x, 3, Int64Constant(build, 0), half);
  Expr second = form.interleaved ? SliceAxis(build, x, 3, Int64Constant(build, 1), turning, 2)
                                 : SliceAxis(build, x, 3, half, turning);
  Expr real = cos * first - sin * second;
  Expr imaginary = sin * first + cos * second;
  Operand turned;
  if (form.interleaved) {
    const int64_t last[] = {4};
    Expr pairs = build.Concat({build.CallOne("onnx.Unsqueeze", {real, Ints(build, last)}),
                               build.CallOne("onnx.Unsqueeze", {imaginary, Ints(build, last)})},
                              {.axis = 4});
    turned = ReshapeTo(build, pairs,
                       {DimSize(build, x, 0), DimSize(build, x, 1), DimSize(build, x, 2), turning});
  } else {
    turned = build.Concat({real, imaginary}, {.axis = 3});
  }
  if (form.size != 0 && form.size != size) {
    turned = build.Concat({turned, SliceAxis(build, x, 3, turning, whole)}, {.axis = 3});
  }
  return rank == 3 ? ReshapeLike(build, turned, given) : build.AsExpr(turned);
}

std::vector<OpDef> OnnxTransformerOps() {
  const std::vector<AttributeDef> rotary = {{"interleaved", AttributeOf(0)},
                                            {"num_heads", AttributeOf(0)},
                                            {"rotary_embedding_dim", AttributeOf(0)}};
  std::vector<AttributeDef> own_rotary = rotary;
  own_rotary.push_back({"scale", AttributeOf(1.0)});
  own_rotary.push_back({"is_packed_batching", AttributeOf(0)});
  return {
      OnnxOp("onnx.RotaryEmbedding", "Turns pairs of elements by their positions",
             {"X", "cos_cache", "sin_cache", "position_ids?"}, rotary, ExpandRotary),
      OnnxOp("onnx.com.microsoft.RotaryEmbedding", "Turns pairs of elements by their positions",
             {"input", "position_ids", "cos_cache", "sin_cache"}, own_rotary, ExpandOwnRotary),
      OnnxOp("onnx.com.microsoft.MatMulNBits", "Multiplies by weights of a few bits",
             {"A", "B", "scales", "zero_points?", "g_idx?", "bias?"},
             {{"K"},
              {"N"},
              {"accuracy_level", AttributeOf(0)},
              {"bits", AttributeOf(4)},
              {"block_size"}},
             ExpandMatMulNBits),
      OnnxOp("onnx.SwiGLU", "Multiplies by another's Swish", {"a", "b"},
             {{"alpha", AttributeOf(1.0)}}, ExpandSwiGlu),
      OnnxOp("onnx.CausalConvWithState", "Convolves channels with what came before",
             {"input", "weight", "bias?", "past_state?"}, {{"activation", AttributeOf("none")}},
             ExpandCausalConv),
      OnnxOp("onnx.LinearAttention", "Writes values by keys to a state, and reads it by queries",
             {"query", "key", "value", "past_state?", "decay?", "beta?", "erase_gate?"},
             {{"chunk_size", AttributeOf(64)},
              {"kv_num_heads"},
              {"q_num_heads"},
              {"scale", AttributeOf(0.0)},
              {"update_rule", AttributeOf("gated_delta")}},
             ExpandLinearAttention),
  };
}

}  // namespace signet
