// Operators that take elements along axes together, put them in order, or add them up on the way.

#include <algorithm>
#include <limits>

#include "core/frontends/onnx/lower/build/arithmetic.h"
#include "core/frontends/onnx/lower/build/inputs.h"
#include "core/frontends/onnx/lower/standard/standard_ops.h"
#include "core/ops/build/op_builder.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

using Values = std::vector<GraphValue>;

// Reductions over the axes of one call.
class Reducer {
 public:
  static StatusOr<Reducer> Make(Arithmetic& f, const OpCall& call,
                                std::span<const GraphValue> inputs) {
    SIGNET_RETURN_IF_ERROR(TensorAt(inputs, 0).status());
    SIGNET_ASSIGN_OR_RETURN(int64_t keepdims, call.attributes.Int("keepdims"));
    SIGNET_ASSIGN_OR_RETURN(int64_t noop, call.attributes.Int("noop_with_empty_axes"));
    SIGNET_ASSIGN_OR_RETURN(auto axes, OptionalInts(call.attributes, "axes"));
    Reducer reducer(f);
    reducer.keepdims_ = keepdims != 0;
    if (IsGiven(inputs, 1)) {
      axes = f.Known(inputs[1]);
      if (!axes) reducer.axes_ = inputs[1];
    }
    // None are all of them, unless that is said to do nothing.
    if (noop != 0 && !axes && !reducer.axes_.spec) axes = std::vector<int64_t>();
    if (axes) {
      reducer.attributes_ = reducer.attributes_.With("axes", AttributeOf(*axes));
    }
    reducer.attributes_ = reducer.attributes_.With("empty_is_all", AttributeOf(noop == 0));
    return reducer;
  }

  GraphValue operator()(std::string_view op, const GraphValue& x) const {
    return (*this)(op, x, keepdims_);
  }
  GraphValue operator()(std::string_view op, const GraphValue& x, bool keepdims) const {
    Attributes attributes = attributes_.With("keepdims", AttributeOf(keepdims));
    return axes_.spec ? f_(op, {x, axes_}, attributes) : f_(op, {x}, attributes);
  }

 private:
  explicit Reducer(Arithmetic& f) : f_(f) {}

  Arithmetic& f_;
  bool keepdims_ = true;
  GraphValue axes_;  // when they are not known
  Attributes attributes_;
};

GraphValue Sum(Arithmetic&, const GraphValue& x, const Reducer& reduce) {
  return reduce("reduce_sum", x);
}
GraphValue Prod(Arithmetic&, const GraphValue& x, const Reducer& reduce) {
  return reduce("reduce_prod", x);
}
GraphValue Mean(Arithmetic& f, const GraphValue& x, const Reducer& reduce) {
  return f.Cast(reduce("reduce_mean", f.AsFloat(x)), f.DTypeOf(x));
}
// Bools are ordered as numbers are.
GraphValue Extreme(Arithmetic& f, std::string_view op, const GraphValue& x, const Reducer& reduce) {
  bool is_bool = f.DTypeOf(x) == DType::kBool;
  GraphValue found = reduce(op, is_bool ? f.Cast(x, DType::kUInt8) : x);
  return f.Cast(found, f.DTypeOf(x));
}
GraphValue Max(Arithmetic& f, const GraphValue& x, const Reducer& reduce) {
  return Extreme(f, "reduce_max", x, reduce);
}
GraphValue Min(Arithmetic& f, const GraphValue& x, const Reducer& reduce) {
  return Extreme(f, "reduce_min", x, reduce);
}
GraphValue L1(Arithmetic& f, const GraphValue& x, const Reducer& reduce) {
  return reduce("reduce_sum", f("abs", {x}));
}
GraphValue SumSquare(Arithmetic& f, const GraphValue& x, const Reducer& reduce) {
  return reduce("reduce_sum", f("square", {x}));
}
// Of half-width floats the squares may leave their range.
GraphValue L2(Arithmetic& f, const GraphValue& x, const Reducer& reduce) {
  GraphValue sum = SumSquare(f, f.AsWideFloat(x), reduce);
  return f.Cast(f("sqrt", {sum}), f.DTypeOf(x));
}
GraphValue LogSum(Arithmetic& f, const GraphValue& x, const Reducer& reduce) {
  return f.Cast(f("log", {reduce("reduce_sum", f.AsWideFloat(x))}), f.DTypeOf(x));
}
// The greatest is taken off first, so that no exponential overflows.
GraphValue LogSumExp(Arithmetic& f, const GraphValue& x, const Reducer& reduce) {
  GraphValue wide = f.AsWideFloat(x);
  GraphValue greatest = reduce("reduce_max", wide, true);
  GraphValue finite = f("is_finite", {greatest});
  GraphValue shift = f("select", {finite, greatest, f.Number(0, greatest)});
  GraphValue sum = reduce("reduce_sum", f("exp", {f("sub", {wide, shift})}));
  return f.Cast(f("add", {f("log", {sum}), reduce("reduce_max", shift)}), f.DTypeOf(x));
}

struct Row {
  std::string_view name;
  std::string_view summary;
  GraphValue (*formula)(Arithmetic& f, const GraphValue& x, const Reducer& reduce);
};

constexpr Row kRows[] = {
    {"onnx.ReduceL1", "Adds magnitudes together", L1},
    {"onnx.ReduceL2", "Takes the root of the sum of squares", L2},
    {"onnx.ReduceLogSum", "Takes the logarithm of the sum", LogSum},
    {"onnx.ReduceLogSumExp", "Takes the logarithm of the sum of exponentials", LogSumExp},
    {"onnx.ReduceMax", "Takes the greatest element", Max},
    {"onnx.ReduceMean", "Takes the mean", Mean},
    {"onnx.ReduceMin", "Takes the least element", Min},
    {"onnx.ReduceProd", "Multiplies elements together", Prod},
    {"onnx.ReduceSum", "Adds elements together", Sum},
    {"onnx.ReduceSumSquare", "Adds squares together", SumSquare},
};

StatusOr<Values> ExpandReduction(OpBuilder& build, const OpCall& call,
                                 std::span<const GraphValue> inputs) {
  const Row& row = *std::find_if(std::begin(kRows), std::end(kRows),
                                 [&](const Row& r) { return r.name == call.op.name; });
  Arithmetic f(build);
  SIGNET_ASSIGN_OR_RETURN(Reducer reduce, Reducer::Make(f, call, inputs));
  return f.Give(row.formula(f, inputs[0], reduce));
}

StatusOr<Values> ExpandArg(OpBuilder& build, const OpCall& call,
                           std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(int64_t keepdims, call.attributes.Int("keepdims"));
  SIGNET_ASSIGN_OR_RETURN(int64_t last, call.attributes.Int("select_last_index"));
  return build.Call(call.op.name == "onnx.ArgMax" ? "argmax" : "argmin", inputs,
                    Attributes({{"axis", call.attributes.Lookup("axis")},
                                {"keepdims", AttributeOf(keepdims != 0)},
                                {"last", AttributeOf(last != 0)}}));
}

StatusOr<Values> ExpandTopK(OpBuilder& build, const OpCall& call,
                            std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(int64_t largest, call.attributes.Int("largest"));
  Attributes attributes({{"axis", call.attributes.Lookup("axis")},
                         {"largest", AttributeOf(largest != 0)},
                         {"k", call.attributes.Lookup("k")}});
  Arithmetic f(build);
  Values found = f.Call("top_k", inputs, attributes);
  if (f.ok()) found[1] = f.Cast(found[1], DType::kInt64);
  return f.Give(std::move(found));
}

StatusOr<Values> ExpandRunning(OpBuilder& build, const OpCall& call,
                               std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(int64_t exclusive, call.attributes.Int("exclusive"));
  SIGNET_ASSIGN_OR_RETURN(int64_t reverse, call.attributes.Int("reverse"));
  return build.Call(call.op.name == "onnx.CumSum" ? "cumsum" : "cumprod", inputs,
                    Attributes({{"exclusive", AttributeOf(exclusive != 0)},
                                {"reverse", AttributeOf(reverse != 0)}}));
}

// --- along one axis, which before version 13 was the first of many ------------------------------

// Whether all dimensions from `axis` on but one are known to be of size 1: then that one is the
// axis.
std::optional<int> OnlyAxis(Arithmetic& f, const GraphValue& x, int axis) {
  int found = -1;
  for (int i = axis; i < f.RankOf(x); ++i) {
    if (f.KnownSize(x, i) == 1) continue;
    if (found >= 0) return std::nullopt;
    found = i;
  }
  return found < 0 ? axis : found;
}

using AlongAxis = GraphValue (*)(Arithmetic& f, const OpCall& call, const GraphValue& x, int axis);

StatusOr<Values> Along(OpBuilder& build, const OpCall& call, std::span<const GraphValue> inputs,
                       AlongAxis run) {
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(inputs, 0));
  SIGNET_ASSIGN_OR_RETURN(auto given, call.attributes.OptionalInt("axis"));
  bool many = OpsetOf(call) < 13;
  SIGNET_ASSIGN_OR_RETURN(int axis, NormalizeAxis(given.value_or(many ? 1 : -1), rank));
  Arithmetic f(build);
  const GraphValue& x = inputs[0];
  auto only = many ? OnlyAxis(f, x, axis) : axis;
  if (only) return f.Give(run(f, call, x, *only));
  const GraphValue sizes[] = {f.Product(x, 0, axis), f.Product(x, axis, rank)};
  return f.Give(f.ReshapeLike(run(f, call, f.ReshapeTo(x, sizes), 1), x));
}

GraphValue Softmax(Arithmetic& f, const OpCall& call, const GraphValue& x, int axis) {
  std::string_view op = call.op.name == "onnx.Softmax" ? "softmax" : "log_softmax";
  return f(op, {x}, IntAttribute("axis", axis));
}

// 1 where the first of the greatest elements is, 0 elsewhere.
GraphValue Hardmax(Arithmetic& f, const OpCall&, const GraphValue& x, int axis) {
  GraphValue some = x;  // one element at least
  if (f.KnownSize(x, axis) <= 0) {
    std::vector<int64_t> none(static_cast<size_t>(f.RankOf(x)), 0), one = none;
    one[static_cast<size_t>(axis)] = 1;
    const GraphValue least = f.Number(-std::numeric_limits<double>::infinity(), x);
    some = f("pad", {x, least, f.Ints(none), f.Ints(one)});
  }
  GraphValue first = f("argmax", {some},
                       Attributes({{"axis", AttributeOf(axis)}, {"keepdims", AttributeOf(true)}}));
  GraphValue places = f.WithOnesBehind(f.Range(f.Size(x, axis)), f.RankOf(x) - 1 - axis);
  return f.Cast(f("equal", {places, first}), f.DTypeOf(x));
}

StatusOr<Values> ExpandSoftmax(OpBuilder& build, const OpCall& call,
                               std::span<const GraphValue> inputs) {
  return Along(build, call, inputs, Softmax);
}
StatusOr<Values> ExpandHardmax(OpBuilder& build, const OpCall& call,
                               std::span<const GraphValue> inputs) {
  return Along(build, call, inputs, Hardmax);
}

}  // namespace

std::vector<OpDef> OnnxReductionOps() {
  std::vector<OpDef> ops;
  for (const Row& row : kRows) {
    ops.push_back(OnnxOp(std::string(row.name), std::string(row.summary), {"data", "axes?"},
                         {{"axes", NoneAttribute()},
                          {"keepdims", AttributeOf(1)},
                          {"noop_with_empty_axes", AttributeOf(0)}},
                         ExpandReduction));
  }
  for (auto [name, which] : {std::pair{"onnx.ArgMax", "greatest"}, {"onnx.ArgMin", "least"}}) {
    ops.push_back(OnnxOp(name, Cat("Finds where along an axis the ", which, " element is"),
                         {"data"},
                         {{"axis", AttributeOf(0)},
                          {"keepdims", AttributeOf(1)},
                          {"select_last_index", AttributeOf(0)}},
                         ExpandArg));
  }
  ops.push_back(OnnxOp("onnx.TopK", "Finds the k greatest or least elements along an axis",
                       {"X", "K?"},
                       {{"axis", AttributeOf(-1)},
                        {"k", NoneAttribute()},
                        {"largest", AttributeOf(1)},
                        {"sorted", AttributeOf(1)}},
                       ExpandTopK));
  for (auto [name, does] : {std::pair{"onnx.CumSum", "Sums"}, {"onnx.CumProd", "Multiplies"}}) {
    ops.push_back(OnnxOp(name, Cat(does, " all elements up to each along an axis"), {"x", "axis"},
                         {{"exclusive", AttributeOf(0)}, {"reverse", AttributeOf(0)}},
                         ExpandRunning));
  }
  const std::vector<AttributeDef> along = {OpsetAttribute(), {"axis", NoneAttribute()}};
  ops.push_back(
      OnnxOp("onnx.Softmax", "Makes shares that add up to 1", {"input"}, along, ExpandSoftmax));
  ops.push_back(OnnxOp("onnx.LogSoftmax", "Takes the logarithm of shares that add up to 1",
                       {"input"}, along, ExpandSoftmax));
  ops.push_back(OnnxOp("onnx.Hardmax", "Marks the first of the greatest elements", {"input"}, along,
                       ExpandHardmax));
  return ops;
}

}  // namespace signet
