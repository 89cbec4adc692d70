// Operators that split, slice, join, and pad: Concat, Split, Slice, Pad, Tile, CenterCropPad.

#include <algorithm>
#include <limits>

#include "core/frontends/onnx/lower/build/inputs.h"
#include "core/frontends/onnx/lower/build/tensor_expressions.h"
#include "core/frontends/onnx/lower/standard/standard_ops.h"
#include "core/ops/build/op_builder.h"
#include "core/ops/build/parts.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

using Values = std::vector<GraphValue>;

constexpr int64_t kMaxParts = 1 << 16;

StatusOr<Values> ExpandConcat(OpBuilder& build, const OpCall& call,
                              std::span<const GraphValue> inputs) {
  return build.Call("concat", inputs, call.attributes);
}

// --- parts --------------------------------------------------------------------------------------

// Returns parts of `each` elements. The last part has the remaining elements.
StatusOr<Values> PartsOf(OpBuilder& build, const Operand& x, int axis, const Operand& each,
                         int64_t count) {
  std::vector<Operand> parts;
  for (int64_t i = 0; i < count; ++i) {
    Expr start = build.Mul(each, Int64Constant(build, i));
    Operand end = Int64Constant(build, std::numeric_limits<int64_t>::max());
    if (i + 1 < count) end = build.Mul(each, Int64Constant(build, i + 1));
    parts.push_back(build.Slice(x, start, end, {}, {}, {.axes = axis}));
  }
  return AllOf(parts);
}

// Returns parts whose sizes are known only when the function runs.
StatusOr<Values> PartsOfSizes(OpBuilder& build, const Operand& x, int axis, const Operand& given,
                              int64_t count) {
  Expr sizes = build.Reshape(CastTo(build, given, DType::kInt64), {.shape = {count}});
  Expr ends = build.Cumsum(sizes, {.axis = 0});
  Expr starts = ends - sizes;
  SIGNET_ASSIGN_OR_RETURN(GraphValue all,
                          build.Gather(ends, Int64Constant(build, count - 1), {.axis = 0}));
  SIGNET_ASSIGN_OR_RETURN(GraphValue dimension, DimSize(build, x, axis));
  SIGNET_RETURN_IF_ERROR(
      CheckSameSize(build, all, dimension,
                    InvalidArgument("the sizes of the parts do not add up to the dimension")));
  std::vector<Operand> parts;
  for (int64_t i = 0; i < count; ++i) {
    GraphValue part = Int64Constant(build, i);
    Expr start = build.Gather(starts, part, {.axis = 0});
    Expr end = build.Gather(ends, part, {.axis = 0});
    parts.push_back(build.Slice(x, start, end, {}, {}, {.axes = axis}));
  }
  return AllOf(parts);
}

StatusOr<Values> ExpandSplit(OpBuilder& build, const OpCall& call,
                             std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(inputs, 0));
  SIGNET_ASSIGN_OR_RETURN(int64_t given, call.attributes.Int("axis"));
  SIGNET_ASSIGN_OR_RETURN(int axis, NormalizeAxis(given, rank));
  SIGNET_ASSIGN_OR_RETURN(int64_t outputs, call.attributes.Int("outputs"));
  SIGNET_ASSIGN_OR_RETURN(auto num_outputs, call.attributes.OptionalInt("num_outputs"));
  if (auto sizes = KnownInts(build, inputs, 1)) {
    return build.Split(inputs[0], {.axis = axis, .sizes = *sizes});
  }
  if (IsGiven(inputs, 1)) {
    SIGNET_ASSIGN_OR_RETURN(const TensorSpec* sizes, TensorAt(inputs, 1));
    outputs = sizes->shape().num_elements().value_or(outputs);
  }
  int64_t count = IsGiven(inputs, 1) ? outputs : num_outputs.value_or(outputs);
  if (count < 1 || count > kMaxParts) {
    return InvalidArgument("expected 1 to ", kMaxParts, " parts, found ", count);
  }
  if (IsGiven(inputs, 1)) return PartsOfSizes(build, inputs[0], axis, inputs[1], count);
  int64_t size = inputs[0].spec.shape()->dim(axis);
  bool may_differ = OpsetOf(call) >= 18 && (size == kUnknownDim || size % count != 0);
  if (!may_differ) return build.Split(inputs[0], {.axis = axis, .num = count});
  // Since version 18 the last part may be smaller.
  Expr each = (DimSize(build, inputs[0], axis) + Int64Constant(build, count - 1)) /
              Int64Constant(build, count);
  return PartsOf(build, inputs[0], axis, each, count);
}

// --- ranges -------------------------------------------------------------------------------------

// Returns the starts of ranges. A range with a negative step begins at the first element or later,
// where the same range in Python would be empty.
StatusOr<GraphValue> StartsWithin(OpBuilder& build, std::span<const GraphValue> inputs, int rank) {
  if (!IsGiven(inputs, 4)) return CastTo(build, inputs[1], DType::kInt64);
  auto steps = KnownInts(build, inputs[4]);
  if (steps && std::all_of(steps->begin(), steps->end(), [](int64_t s) { return s > 0; })) {
    return CastTo(build, inputs[1], DType::kInt64);
  }
  Expr sizes = DimSizes(build, inputs[0], 0, rank);
  if (IsGiven(inputs, 3)) {
    sizes =
        build.Gather(sizes, FromStart(build, inputs[3], Int64Constant(build, rank)), {.axis = 0});
  } else if (auto count = inputs[1].spec.shape()->num_elements(); count && *count <= rank) {
    sizes = DimSizes(build, inputs[0], 0, static_cast<int>(*count));
  }
  return build.Maximum(CastTo(build, inputs[1], DType::kInt64), build.Neg(sizes));
}

StatusOr<Values> ExpandSlice(OpBuilder& build, const OpCall&, std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(inputs, 0));
  for (size_t i : {size_t{1}, size_t{2}}) SIGNET_RETURN_IF_ERROR(TensorAt(inputs, i).status());
  SIGNET_ASSIGN_OR_RETURN(GraphValue starts, StartsWithin(build, inputs, rank));
  return build.Slice(inputs[0], starts, CastTo(build, inputs[2], DType::kInt64), InputOr(inputs, 3),
                     InputOr(inputs, 4));
}

// --- around -------------------------------------------------------------------------------------

struct Padding {
  Operand before;  // int64[rank]
  Operand after;
};

// Reads `pads`: the sizes before all `axes`, then the sizes after them. Without axes, all
// dimensions.
StatusOr<Padding> PaddingOf(OpBuilder& build, const Operand& pads, const GraphValue& axes,
                            int rank) {
  int64_t count = rank;
  if (axes.spec) {
    count = axes.spec.shape()->num_elements().value_or(kUnknownDim);
    if (count < 0) {
      return Unimplemented("axes: expected a known number of axes, found `", axes.spec, "`");
    }
  }
  Expr both = build.Reshape(CastTo(build, pads, DType::kInt64), {.shape = {2, count}});
  Padding padding{build.Gather(both, Int64Constant(build, 0), {.axis = 0}),
                  build.Gather(both, Int64Constant(build, 1), {.axis = 0})};
  if (!axes.spec) return padding;
  Operand none = Ints(build, std::vector<int64_t>(static_cast<size_t>(rank), 0));
  Expr at = FromStart(build, build.Reshape(CastTo(build, axes, DType::kInt64), {.shape = {count}}),
                      Int64Constant(build, rank));
  for (Operand* sizes : {&padding.before, &padding.after}) {
    *sizes = build.ScatterElements(none, at, *sizes);
  }
  return padding;
}

Expr Padded(OpBuilder& build, const Operand& x, const Operand& value, const Padding& padding,
            std::string_view mode = "constant") {
  return build.Pad(x, value, padding.before, padding.after, {.mode = mode});
}

StatusOr<Values> ExpandPad(OpBuilder& build, const OpCall& call,
                           std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(inputs, 0));
  SIGNET_RETURN_IF_ERROR(TensorAt(inputs, 1).status());
  SIGNET_ASSIGN_OR_RETURN(std::string mode, call.attributes.String("mode"));
  if (IsGiven(inputs, 3)) SIGNET_RETURN_IF_ERROR(TensorAt(inputs, 3).status());
  SIGNET_ASSIGN_OR_RETURN(Padding padding, PaddingOf(build, inputs[1], InputOr(inputs, 3), rank));
  Operand value = InputOr(inputs, 2);
  if (IsGiven(value)) {
    SIGNET_RETURN_IF_ERROR(TensorAt(inputs, 2).status());
    value = CastTo(build, build.Reshape(value, {.shape = {}}),
                   inputs[0].spec.As<TensorSpec>()->dtype());
  }
  return Padded(build, inputs[0], value, padding, mode);
}

// Crops or pads around the center. An odd element is removed or added at the end.
StatusOr<Values> ExpandCenterCropPad(OpBuilder& build, const OpCall& call,
                                     std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(inputs, 0));
  SIGNET_RETURN_IF_ERROR(TensorAt(inputs, 1).status());
  SIGNET_ASSIGN_OR_RETURN(auto axes, OptionalInts(call.attributes, "axes"));
  GraphValue at;
  Expr sizes = DimSizes(build, inputs[0], 0, rank);
  if (axes) {
    for (int64_t& axis : *axes) {
      SIGNET_ASSIGN_OR_RETURN(axis, NormalizeAxis(axis, rank));
    }
    at = Ints(build, *axes);
    sizes = build.Gather(sizes, at, {.axis = 0});
  }
  Expr more = CastTo(build, inputs[1], DType::kInt64) - sizes;
  Expr before = more / 2;
  Expr pads = build.Stack({before, more - before});
  SIGNET_ASSIGN_OR_RETURN(Padding padding, PaddingOf(build, pads, at, rank));
  return Padded(build, inputs[0], {}, padding);
}

StatusOr<Values> ExpandTile(OpBuilder& build, const OpCall& call,
                            std::span<const GraphValue> inputs) {
  SIGNET_RETURN_IF_ERROR(TensorAt(inputs, 1).status());
  Expr repeats = CastTo(build, inputs[1], DType::kInt64);
  if (OpsetOf(call) < 6) {  // the inputs are a number of repetitions and an axis
    SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(inputs, 0));
    SIGNET_RETURN_IF_ERROR(TensorAt(inputs, 2).status());
    Expr axis = build.Reshape(CastTo(build, inputs[2], DType::kInt64), {.shape = {}});
    repeats = build.Select(build.Equal(build.Range({Int64Constant(build, rank)}),
                                       FromStart(build, axis, Int64Constant(build, rank))),
                           build.Reshape(repeats, {.shape = {}}), Int64Constant(build, 1));
  }
  return build.Tile(inputs[0], repeats);
}

}  // namespace

std::vector<OpDef> OnnxCuttingOps() {
  return {
      OnnxOp("onnx.Concat", "Joins along an axis", {"inputs..."}, {{"axis", AttributeOf(1)}},
             ExpandConcat),
      OnnxOp("onnx.Split", "Cuts into parts along an axis", {"input", "split?"},
             {{"axis", AttributeOf(0)},
              {"num_outputs", NoneAttribute()},
              {"outputs", AttributeOf(1)},
              OpsetAttribute()},
             ExpandSplit),
      OnnxOp("onnx.Slice", "Takes ranges of dimensions",
             {"data", "starts?", "ends?", "axes?", "steps?"}, {}, ExpandSlice),
      OnnxOp("onnx.Pad", "Adds elements around", {"data", "pads?", "value?", "axes?"},
             {{"mode", AttributeOf("constant")}}, ExpandPad),
      OnnxOp("onnx.CenterCropPad", "Cuts or pads around the middle", {"input_data", "shape"},
             {{"axes", NoneAttribute()}}, ExpandCenterCropPad),
      OnnxOp("onnx.Tile", "Repeats along dimensions", {"input", "repeats", "axis?"},
             {OpsetAttribute()}, ExpandTile),
  };
}

}  // namespace signet
