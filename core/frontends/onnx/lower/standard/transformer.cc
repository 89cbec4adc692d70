// What models of language are made of besides attention: positions as rotations, gates,
// convolutions and attention that carry a state.

#include <string>

#include "core/frontends/onnx/lower/build/inputs.h"
#include "core/frontends/onnx/lower/standard/attention.h"
#include "core/frontends/onnx/lower/standard/rotary.h"
#include "core/frontends/onnx/lower/standard/standard_ops.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

using Values = std::vector<GraphValue>;

Attributes Along(int64_t axis) { return IntAttribute("axis", axis); }

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
  GraphValue caches[] = {inputs[1], inputs[2]};
  AttentionFormula f(build);
  for (GraphValue& cache : caches) {
    if (IsGiven(inputs, 3)) cache = f.Gather(cache, inputs[3], 0);
  }
  return One(Rotated(f, inputs[0], caches[0], caches[1], form));
}

// Of com.microsoft: positions come first; one of them is that of the first element.
StatusOr<Values> ExpandOwnRotary(OpBuilder& build, const OpCall& call,
                                 std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(RotaryForm form, FormOf(call));
  SIGNET_ASSIGN_OR_RETURN(double scale, call.attributes.Float("scale"));
  if (scale != 1) return Unimplemented("scale ", scale, "; takes 1");
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(inputs, 0));
  SIGNET_ASSIGN_OR_RETURN(int of_positions, RankAt(inputs, 1));
  AttentionFormula f(build);
  if (rank == 3 && form.heads == 0) {
    // All of a head turns: its size is twice that of a row of the caches.
    int64_t half = AttentionFormula::KnownSize(inputs[2], 1);
    if (half < 1) {
      return Unimplemented("no `num_heads` for `", inputs[0].spec, "` and caches `", inputs[2].spec,
                           "`; takes it, or a known size of those");
    }
    form.head = 2 * half;
  }
  GraphValue positions = f.Cast(inputs[1], DType::kInt64);
  if (of_positions == 1) {
    positions = f("add", {f.Reshape(positions, {-1, 1}), f.Range(f.Size(inputs[0], rank - 2))});
  }
  return One(Rotated(f, inputs[0], f.Gather(inputs[2], positions, 0),
                     f.Gather(inputs[3], positions, 0), form));
}

// --- gates --------------------------------------------------------------------------------------

StatusOr<Values> ExpandSwiGlu(OpBuilder& build, const OpCall& call,
                              std::span<const GraphValue> inputs) {
  Arithmetic f(build);
  GraphValue gate =
      f("onnx.Swish", {inputs[0]}, Attributes({{"alpha", call.attributes.Lookup("alpha")}}));
  return f.Give(f("mul", {gate, inputs[1]}));
}

// --- weights of a few bits ----------------------------------------------------------------------

// The numbers of `bits` each that are packed into bytes along the last dimension.
GraphValue Unpacked(AttentionFormula& f, const GraphValue& bytes, int64_t bits, int64_t rows,
                    int64_t per_row) {
  GraphValue numbers = bytes;
  auto byte = [&](int64_t value) { return f.Number(static_cast<double>(value), DType::kUInt8); };
  Values parts;
  for (int64_t at = 0; at < 8 && bits < 8; at += bits) {
    GraphValue shifted = at == 0 ? bytes : f("shift_right", {bytes, byte(at)});
    parts.push_back(f("bitwise_and", {shifted, byte((1 << bits) - 1)}));
  }
  if (!parts.empty()) {
    for (GraphValue& part : parts) part = f("expand_dims", {part}, Along(-1));
    Values joined = f.Call("concat", parts, Along(-1));
    numbers = joined.empty() ? GraphValue{} : joined[0];
  }
  numbers = f.Reshape(numbers, {rows, -1});
  return f.Part(numbers, 1, f.Int(0), f.Int(per_row));
}

// Weights are [N, blocks, bytes], each block with a scale and a zero point.
StatusOr<Values> ExpandMatMulNBits(OpBuilder& build, const OpCall& call,
                                   std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(int64_t columns, call.attributes.Int("N"));
  SIGNET_ASSIGN_OR_RETURN(int64_t depth, call.attributes.Int("K"));
  SIGNET_ASSIGN_OR_RETURN(int64_t bits, call.attributes.Int("bits"));
  SIGNET_ASSIGN_OR_RETURN(int64_t block, call.attributes.Int("block_size"));
  constexpr int64_t kMost = int64_t{1} << 31;
  if ((bits != 2 && bits != 4 && bits != 8) || block < 8 || block > kMost || columns < 1 ||
      columns > kMost || depth < 1 || depth > kMost) {
    return InvalidArgument(columns, " columns of ", depth, " in blocks of ", block, " of ", bits,
                           " bits; takes 2, 4 or 8 bits, and blocks of 8 or more");
  }
  if (IsGiven(inputs, 4)) return Unimplemented("`g_idx`; takes blocks in their order");
  int64_t blocks = (depth + block - 1) / block;
  AttentionFormula f(build);
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* a, TensorAt(inputs, 0));
  SIGNET_RETURN_IF_ERROR(TensorAt(inputs, 1).status());
  SIGNET_RETURN_IF_ERROR(TensorAt(inputs, 2).status());
  GraphValue numbers = Unpacked(f, inputs[1], bits, columns, blocks * block);
  numbers = f.Reshape(f.Cast(numbers, DType::kFloat32), {columns, blocks, block});
  GraphValue zero = f.Number(static_cast<double>(1 << (bits - 1)), DType::kFloat32);
  if (IsGiven(inputs, 3)) {
    SIGNET_ASSIGN_OR_RETURN(const TensorSpec* given, TensorAt(inputs, 3));
    zero =
        given->dtype() == DType::kUInt8 ? Unpacked(f, inputs[3], bits, columns, blocks) : inputs[3];
    zero = f.Reshape(f.Cast(zero, DType::kFloat32), {columns, blocks, 1});
  }
  GraphValue scale = f.Reshape(f.Cast(inputs[2], DType::kFloat32), {columns, blocks, 1});
  GraphValue weights = f("mul", {f("sub", {numbers, zero}), scale});
  weights = f.Reshape(weights, {columns, blocks * block});
  weights = f.Part(weights, 1, f.Int(0), f.Int(depth));
  GraphValue y = f("matmul", {inputs[0], f.Cast(weights, a->dtype())},
                   Attributes({{"transpose_b", AttributeOf(true)}}));
  if (IsGiven(inputs, 5)) y = f("add", {y, inputs[5]});
  return f.Give(y);
}

// --- states -------------------------------------------------------------------------------------

// A convolution of each channel with what came before, which may begin in the call before.
StatusOr<Values> ExpandCausalConv(OpBuilder& build, const OpCall& call,
                                  std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(std::string activation, call.attributes.String("activation"));
  if (activation != "none" && activation != "silu" && activation != "swish") {
    return InvalidArgument("activation `", Printable(activation), "`; takes none, silu or swish");
  }
  for (size_t i = 0; i < 2; ++i) {
    SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(inputs, i));
    if (rank != 3) {
      return InvalidArgument("input ", i, " is `", inputs[i].spec, "`; takes 3 dimensions");
    }
  }
  AttentionFormula f(build);
  int64_t channels = Arithmetic::KnownSize(inputs[1], 0);
  if (channels == kUnknownDim) channels = Arithmetic::KnownSize(inputs[0], 1);
  if (channels == kUnknownDim) {
    return Unimplemented("input `", inputs[0].spec, "` and weights `", inputs[1].spec,
                         "`; takes a known number of channels");
  }
  GraphValue before = f("sub", {f.Size(inputs[1], 2), f.Int(1)});
  GraphValue all;
  if (IsGiven(inputs, 3)) {
    int64_t length = AttentionFormula::KnownSize(inputs[3], 2);
    int64_t window = AttentionFormula::KnownSize(inputs[1], 2);
    if (length != kUnknownDim && window != kUnknownDim && length != window - 1) {
      return InvalidArgument("a state of ", length, " elements for a window of ", window,
                             "; takes one less");
    }
    all = f("concat", {inputs[3], inputs[0]}, Along(2));
  } else {
    const GraphValue pads[] = {before, f.Int(0)};
    const int64_t axes[] = {2};
    all = f("onnx.Pad", {inputs[0], f.Stack(pads), {}, f.Ints(axes)});
  }
  GraphValue y =
      f("onnx.Conv", {all, inputs[1], InputOr(inputs, 2)}, IntAttribute("group", channels));
  if (activation != "none") {
    GraphValue wide = f.AsWideFloat(y);
    y = f.Cast(f("mul", {wide, f("sigmoid", {wide})}), Arithmetic::DTypeOf(inputs[0]));
  }
  GraphValue length = f.Size(all, 2);
  return f.Give({y, f.Part(all, 2, f("sub", {length, before}), length)});
}

StatusOr<Values> ExpandLinearAttention(OpBuilder& build, const OpCall& call,
                                       std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(std::string rule, call.attributes.String("update_rule"));
  bool decays = rule == "gated" || rule == "gated_delta";
  bool corrects = rule == "delta" || rule == "gated_delta";
  if (!decays && !corrects && rule != "linear") {
    return InvalidArgument("update_rule `", Printable(rule),
                           "`; takes linear, gated, delta or gated_delta");
  }
  if (IsGiven(inputs, 4) != decays || IsGiven(inputs, 5) != corrects ||
      (IsGiven(inputs, 6) && !corrects)) {
    return InvalidArgument("update_rule ", rule, decays ? " takes" : " does not take",
                           " `decay`, and ", corrects ? "takes" : "does not take", " `beta`",
                           corrects ? "" : " and `erase_gate`");
  }
  Arithmetic f(build);
  Values wide;
  for (size_t i = 0; i < inputs.size(); ++i) {
    wide.push_back(IsGiven(inputs, i) ? f.AsWideFloat(inputs[i]) : GraphValue{});
  }
  Attributes attributes;
  for (std::string_view name : {"q_num_heads", "kv_num_heads", "scale"}) {
    attributes = attributes.With(name, call.attributes.Lookup(name));
  }
  Values out = f.Call("linear_attention", wide, attributes);
  SIGNET_RETURN_IF_ERROR(f.status());
  size_t of_state = IsGiven(inputs, 3) ? 3 : 0;
  return f.Give({f.Cast(out[0], Arithmetic::DTypeOf(inputs[0])),
                 f.Cast(out[1], Arithmetic::DTypeOf(inputs[of_state]))});
}

}  // namespace

StatusOr<GraphValue> Rotated(AttentionFormula& f, GraphValue x, GraphValue cos, GraphValue sin,
                             const RotaryForm& form) {
  SIGNET_RETURN_IF_ERROR(f.status());
  GraphValue given = x;
  int rank = f.RankOf(x);
  if (rank != 3 && rank != 4) {
    return InvalidArgument("input `", x.spec, "`; takes [batch, sequence, hidden] or [batch, ",
                           "heads, sequence, size]");
  }
  if (rank == 3) {
    int64_t hidden = AttentionFormula::KnownSize(x, 2);
    int64_t parts = form.heads > 0 ? form.heads : form.head;
    if (parts < 1 || (hidden != kUnknownDim && hidden % parts != 0)) {
      return InvalidArgument(form.heads, " heads of `", x.spec,
                             "`; takes 1 or more, which divide the last dimension");
    }
    int64_t others = hidden == kUnknownDim ? -1 : hidden / parts;
    const int64_t split[] = {0, 0, form.heads > 0 ? parts : others,
                             form.heads > 0 ? others : parts};
    x = f("onnx.Reshape", {x, f.Ints(split)});
  }
  // Of [batch, sequence, half], with a dimension for heads.
  cos = f("expand_dims", {cos}, Along(rank == 3 ? 2 : 1));
  sin = f("expand_dims", {sin}, Along(rank == 3 ? 2 : 1));
  SIGNET_RETURN_IF_ERROR(f.status());
  int64_t size = AttentionFormula::KnownSize(x, 3);
  if (form.size % 2 != 0 || form.size < 0 || (size != kUnknownDim && form.size > size) ||
      (form.size == 0 && size % 2 != 0 && size != kUnknownDim)) {
    return InvalidArgument("rotary_embedding_dim ", form.size, " of heads of `", x.spec,
                           "`; takes an even size of theirs at most, 0 for all of it");
  }
  GraphValue whole = f.Size(x, 3);
  GraphValue turning = form.size == 0 ? whole : f.Int(form.size);
  GraphValue half = form.size == 0 ? f("floordiv", {whole, f.Int(2)}) : f.Int(form.size / 2);
  GraphValue first =
      form.interleaved ? f.Part(x, 3, f.Int(0), turning, 2) : f.Part(x, 3, f.Int(0), half);
  GraphValue second =
      form.interleaved ? f.Part(x, 3, f.Int(1), turning, 2) : f.Part(x, 3, half, turning);
  GraphValue real = f("sub", {f("mul", {cos, first}), f("mul", {sin, second})});
  GraphValue imaginary = f("add", {f("mul", {sin, first}), f("mul", {cos, second})});
  GraphValue turned;
  if (form.interleaved) {
    const int64_t behind[] = {4};
    GraphValue pairs = f("concat",
                         {f("onnx.Unsqueeze", {real, f.Ints(behind)}),
                          f("onnx.Unsqueeze", {imaginary, f.Ints(behind)})},
                         Along(4));
    const GraphValue sizes[] = {f.Size(x, 0), f.Size(x, 1), f.Size(x, 2), turning};
    turned = f.ReshapeTo(pairs, sizes);
  } else {
    turned = f("concat", {real, imaginary}, Along(3));
  }
  if (form.size != 0 && form.size != size) {
    turned = f("concat", {turned, f.Part(x, 3, turning, whole)}, Along(3));
  }
  SIGNET_RETURN_IF_ERROR(f.status());
  if (rank == 3) turned = f.ReshapeLike(turned, given);
  SIGNET_RETURN_IF_ERROR(f.status());
  return turned;
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
