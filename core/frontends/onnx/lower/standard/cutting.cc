// Operators that cut along axes, and put together: Concat, Split, Slice, Pad, Tile, CenterCropPad.

#include <algorithm>
#include <limits>

#include "core/frontends/onnx/lower/build/formula.h"
#include "core/frontends/onnx/lower/build/inputs.h"
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

// Parts of so many elements each, as far as there are; of the last, the rest.
StatusOr<Values> PartsOf(Formula& f, const GraphValue& x, int axis, const GraphValue& each,
                         int64_t count) {
  Values parts;
  Attributes along = Attributes({{"axes", AttributeOf(axis)}});
  for (int64_t i = 0; i < count; ++i) {
    GraphValue start = f("mul", {each, f.Int(i)});
    GraphValue end =
        i + 1 < count ? f("mul", {each, f.Int(i + 1)}) : f.Int(std::numeric_limits<int64_t>::max());
    parts.push_back(f("slice", {x, start, end}, along));
  }
  return f.Give(std::move(parts));
}

// Parts of sizes that are not known now.
StatusOr<Values> PartsOfSizes(OpBuilder& build, const GraphValue& x, int axis,
                              const GraphValue& given, int64_t count) {
  Formula f(build);
  GraphValue sizes = f.Reshape(f.Cast(given, DType::kInt64), {count});
  GraphValue ends = f("cumsum", {sizes}, Attributes({{"axis", AttributeOf(0)}}));
  GraphValue starts = f("sub", {ends, sizes});
  GraphValue all = f.Gather(ends, f.Int(count - 1), 0);
  GraphValue dimension = f.Size(x, axis);
  SIGNET_RETURN_IF_ERROR(f.status());
  SIGNET_RETURN_IF_ERROR(CheckSameSize(build, all, dimension,
                                       "the sizes of the parts do not add up to the dimension"));
  Values parts;
  for (int64_t i = 0; i < count; ++i) {
    parts.push_back(f("slice", {x, f.Gather(starts, f.Int(i), 0), f.Gather(ends, f.Int(i), 0)},
                      Attributes({{"axes", AttributeOf(axis)}})));
  }
  return f.Give(std::move(parts));
}

StatusOr<Values> ExpandSplit(OpBuilder& build, const OpCall& call,
                             std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(inputs, 0));
  SIGNET_ASSIGN_OR_RETURN(int64_t given, call.attributes.Int("axis"));
  SIGNET_ASSIGN_OR_RETURN(int axis, NormalizeAxis(given, rank));
  SIGNET_ASSIGN_OR_RETURN(int64_t outputs, call.attributes.Int("outputs"));
  SIGNET_ASSIGN_OR_RETURN(auto num_outputs, call.attributes.OptionalInt("num_outputs"));
  Attributes along({{"axis", AttributeOf(axis)}});
  const GraphValue x[] = {inputs[0]};
  if (auto sizes = KnownInts(build, inputs, 1)) {
    return build.Call("split", x,
                      along.With("sizes", AttributeOf(std::span<const int64_t>(*sizes))));
  }
  if (IsGiven(inputs, 1)) {
    SIGNET_ASSIGN_OR_RETURN(const TensorSpec* sizes, TensorAt(inputs, 1));
    outputs = sizes->shape().num_elements().value_or(outputs);
  }
  int64_t count = IsGiven(inputs, 1) ? outputs : num_outputs.value_or(outputs);
  if (count < 1 || count > kMaxParts) {
    return InvalidArgument(count, " parts; takes 1 to ", kMaxParts);
  }
  if (IsGiven(inputs, 1)) return PartsOfSizes(build, inputs[0], axis, inputs[1], count);
  int64_t size = inputs[0].spec.shape()->dim(axis);
  bool may_differ = OpsetOf(call) >= 18 && (size == kUnknownDim || size % count != 0);
  if (!may_differ) return build.Call("split", x, along.With("num", AttributeOf(count)));
  // Since version 18 the last part may be smaller.
  Formula f(build);
  GraphValue each = f("div", {f("add", {f.Size(inputs[0], axis), f.Int(count - 1)}), f.Int(count)});
  return PartsOf(f, inputs[0], axis, each, count);
}

// --- ranges -------------------------------------------------------------------------------------

// A range that steps backwards begins at the first element at least, where that of Python would
// hold none.
GraphValue StartsWithin(Formula& f, std::span<const GraphValue> inputs, int rank) {
  if (!IsGiven(inputs, 4)) return f.Cast(inputs[1], DType::kInt64);
  auto steps = f.Known(inputs[4]);
  if (steps && std::all_of(steps->begin(), steps->end(), [](int64_t s) { return s > 0; })) {
    return f.Cast(inputs[1], DType::kInt64);
  }
  GraphValue sizes = f.Sizes(inputs[0], 0, rank);
  if (IsGiven(inputs, 3)) {
    sizes = f.Gather(sizes, f.FromStart(inputs[3], f.Int(rank)), 0);
  } else if (auto count = inputs[1].spec.shape()->num_elements(); count && *count <= rank) {
    sizes = f.Sizes(inputs[0], 0, static_cast<int>(*count));
  }
  return f("maximum", {f.Cast(inputs[1], DType::kInt64), f("neg", {sizes})});
}

StatusOr<Values> ExpandSlice(OpBuilder& build, const OpCall&, std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(inputs, 0));
  for (size_t i : {size_t{1}, size_t{2}}) SIGNET_RETURN_IF_ERROR(TensorAt(inputs, i).status());
  Formula f(build);
  Values given = {inputs[0], StartsWithin(f, inputs, rank), f.Cast(inputs[2], DType::kInt64)};
  SIGNET_RETURN_IF_ERROR(f.status());
  for (size_t i = 3; i < 5; ++i) given.push_back(InputOr(inputs, i));
  return build.Call("slice", given, {});
}

// --- around -------------------------------------------------------------------------------------

struct Padding {
  GraphValue before;  // int64[rank]
  GraphValue after;
};

// `pads` has sizes before all `axes` and then those after; no axes: all there are.
StatusOr<Padding> PaddingOf(Formula& f, const GraphValue& pads, const GraphValue& axes, int rank) {
  int64_t count = rank;
  if (axes.spec) {
    count = axes.spec.shape()->num_elements().value_or(kUnknownDim);
    if (count < 0) {
      return Unimplemented("axes are `", axes.spec, "`; takes a known number of them");
    }
  }
  GraphValue both = f.Reshape(f.Cast(pads, DType::kInt64), {2, count});
  Padding padding{f.Gather(both, f.Int(0), 0), f.Gather(both, f.Int(1), 0)};
  if (!axes.spec) return padding;
  GraphValue none = f.Ints(std::vector<int64_t>(static_cast<size_t>(rank), 0));
  GraphValue at = f.FromStart(f.Reshape(f.Cast(axes, DType::kInt64), {count}), f.Int(rank));
  for (GraphValue* sizes : {&padding.before, &padding.after}) {
    *sizes = f("scatter_elements", {none, at, *sizes});
  }
  return padding;
}

GraphValue Padded(Formula& f, const GraphValue& x, const GraphValue& value, const Padding& padding,
                  std::string_view mode = "constant") {
  return f("pad", {x, value, padding.before, padding.after},
           Attributes({{"mode", AttributeOf(mode)}}));
}

StatusOr<Values> ExpandPad(OpBuilder& build, const OpCall& call,
                           std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(inputs, 0));
  SIGNET_RETURN_IF_ERROR(TensorAt(inputs, 1).status());
  SIGNET_ASSIGN_OR_RETURN(std::string mode, call.attributes.String("mode"));
  Formula f(build);
  if (IsGiven(inputs, 3)) SIGNET_RETURN_IF_ERROR(TensorAt(inputs, 3).status());
  SIGNET_ASSIGN_OR_RETURN(Padding padding, PaddingOf(f, inputs[1], InputOr(inputs, 3), rank));
  GraphValue value = InputOr(inputs, 2);
  if (value.spec) {
    SIGNET_RETURN_IF_ERROR(TensorAt(inputs, 2).status());
    value = f.Cast(f.Reshape(value, {}), inputs[0].spec.As<TensorSpec>()->dtype());
  }
  return f.Give(Padded(f, inputs[0], value, padding, mode));
}

// Cuts or pads around the middle; what is odd goes behind.
StatusOr<Values> ExpandCenterCropPad(OpBuilder& build, const OpCall& call,
                                     std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(inputs, 0));
  SIGNET_RETURN_IF_ERROR(TensorAt(inputs, 1).status());
  SIGNET_ASSIGN_OR_RETURN(auto axes, OptionalInts(call.attributes, "axes"));
  Formula f(build);
  GraphValue at;
  GraphValue sizes = f.Sizes(inputs[0], 0, rank);
  if (axes) {
    for (int64_t& axis : *axes) {
      SIGNET_ASSIGN_OR_RETURN(axis, NormalizeAxis(axis, rank));
    }
    at = f.Ints(*axes);
    sizes = f.Gather(sizes, at, 0);
  }
  GraphValue more = f("sub", {f.Cast(inputs[1], DType::kInt64), sizes});
  GraphValue before = f("div", {more, f.Int(2)});
  const GraphValue both[] = {before, f("sub", {more, before})};
  SIGNET_ASSIGN_OR_RETURN(Padding padding, PaddingOf(f, f.Stack(both), at, rank));
  return f.Give(Padded(f, inputs[0], {}, padding));
}

StatusOr<Values> ExpandTile(OpBuilder& build, const OpCall& call,
                            std::span<const GraphValue> inputs) {
  SIGNET_RETURN_IF_ERROR(TensorAt(inputs, 1).status());
  Formula f(build);
  GraphValue repeats = f.Cast(inputs[1], DType::kInt64);
  if (OpsetOf(call) < 6) {  // how often, and along which axis
    SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(inputs, 0));
    SIGNET_RETURN_IF_ERROR(TensorAt(inputs, 2).status());
    GraphValue axis = f.Reshape(f.Cast(inputs[2], DType::kInt64), {});
    repeats = f("select", {f("equal", {f.Range(f.Int(rank)), f.FromStart(axis, f.Int(rank))}),
                           f.Reshape(repeats, {}), f.Int(1)});
  }
  return f.Give(f("tile", {inputs[0], repeats}));
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
