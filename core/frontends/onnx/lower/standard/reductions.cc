// Operators that reduce, sort, or accumulate along axes.

#include <algorithm>
#include <limits>

#include "core/frontends/onnx/lower/build/inputs.h"
#include "core/frontends/onnx/lower/build/tensor_expressions.h"
#include "core/frontends/onnx/lower/standard/standard_ops.h"
#include "core/ops/build/op_builder.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

using Values = std::vector<GraphValue>;

// Reduces over the axes of one call.
class Reducer {
 public:
  static StatusOr<Reducer> Make(OpBuilder& build, const OpCall& call,
                                std::span<const GraphValue> inputs) {
    SIGNET_RETURN_IF_ERROR(TensorAt(inputs, 0).status());
    SIGNET_ASSIGN_OR_RETURN(int64_t keepdims, call.attributes.Int("keepdims"));
    SIGNET_ASSIGN_OR_RETURN(int64_t noop, call.attributes.Int("noop_with_empty_axes"));
    SIGNET_ASSIGN_OR_RETURN(auto axes, OptionalInts(call.attributes, "axes"));
    Reducer reducer(build);
    reducer.keepdims_ = keepdims != 0;
    if (IsGiven(inputs, 1)) {
      axes = KnownInts(build, inputs[1]);
      if (!axes) reducer.axes_ = inputs[1];
    }
    // No axes mean all axes, unless noop_with_empty_axes is set.
    if (noop != 0 && !axes && !IsGiven(reducer.axes_)) axes = std::vector<int64_t>();
    if (axes) {
      reducer.attributes_ = reducer.attributes_.With("axes", AttributeOf(*axes));
    }
    reducer.attributes_ = reducer.attributes_.With("empty_is_all", AttributeOf(noop == 0));
    return reducer;
  }

  // Returns true if each result is known to be computed from at least one element of `x`.
  bool HasElements(const Operand& x) const {
    const PartialShape* shape = x.value().ok() ? x.value()->spec.shape() : nullptr;
    auto axes = OptionalInts(attributes_, "axes");
    if (shape == nullptr || !shape->has_rank() || IsGiven(axes_) || !axes.ok()) return false;
    const int rank = shape->rank();
    for (int axis = 0; axis < rank; ++axis) {
      if (shape->dim(axis) > 0) continue;
      const bool is_listed = *axes && std::any_of((*axes)->begin(), (*axes)->end(), [&](int64_t a) {
        return a == axis || a + rank == axis;
      });
      const bool is_all = !*axes || ((*axes)->empty() && attributes_.Bool("empty_is_all").value());
      if (is_listed || is_all) return false;
    }
    return true;
  }

  Expr operator()(std::string_view op, const Operand& x) const { return (*this)(op, x, keepdims_); }
  Expr operator()(std::string_view op, const Operand& x, bool keepdims) const {
    Attributes attributes = attributes_.With("keepdims", AttributeOf(keepdims));
    return IsGiven(axes_) ? build_.CallOne(op, {x, axes_}, attributes)
                          : build_.CallOne(op, {x}, attributes);
  }

 private:
  explicit Reducer(OpBuilder& build) : build_(build) {}

  OpBuilder& build_;
  bool keepdims_ = true;
  Operand axes_;  // set if the axes are not known now
  Attributes attributes_;
};

Expr Sum(OpBuilder&, const Operand& x, const Reducer& reduce) { return reduce("reduce_sum", x); }
Expr Prod(OpBuilder&, const Operand& x, const Reducer& reduce) { return reduce("reduce_prod", x); }
// Returns the mean. Without elements it is 0, as in ONNX Runtime; the standard does not define it.
Expr Mean(OpBuilder& build, const Operand& x, const Reducer& reduce) {
  Expr mean = reduce("reduce_mean", AsFloat(build, x));
  if (!reduce.HasElements(x)) {
    Expr is_empty = build.Equal(build.Size(x), Int64Constant(build, 0));
    mean = build.Select(is_empty, Zero(build, TensorDType(mean)), mean);
  }
  return CastTo(build, mean, TensorDType(x));
}
// Returns the minimum or maximum. Bools are ordered as the numbers 0 and 1.
Expr Extreme(OpBuilder& build, std::string_view op, const Operand& x, const Reducer& reduce) {
  bool is_bool = TensorDType(x) == DType::kBool;
  Expr found = reduce(op, is_bool ? Operand(CastTo(build, x, DType::kUInt8)) : x);
  return CastTo(build, found, TensorDType(x));
}
Expr Max(OpBuilder& build, const Operand& x, const Reducer& reduce) {
  return Extreme(build, "reduce_max", x, reduce);
}
Expr Min(OpBuilder& build, const Operand& x, const Reducer& reduce) {
  return Extreme(build, "reduce_min", x, reduce);
}
Expr L1(OpBuilder& build, const Operand& x, const Reducer& reduce) {
  return reduce("reduce_sum", build.Abs(x));
}
Expr SumSquare(OpBuilder& build, const Operand& x, const Reducer& reduce) {
  return reduce("reduce_sum", build.Square(x));
}
// Returns the L2 norm. The squares of half-width floats may overflow, so they are computed in
// float32.
Expr L2(OpBuilder& build, const Operand& x, const Reducer& reduce) {
  Expr sum = SumSquare(build, AsWideFloat(build, x), reduce);
  return CastTo(build, build.Sqrt(sum), TensorDType(x));
}
Expr LogSum(OpBuilder& build, const Operand& x, const Reducer& reduce) {
  return CastTo(build, build.Log(reduce("reduce_sum", AsWideFloat(build, x))), TensorDType(x));
}
// Returns log(sum(exp(x))). Subtracts the maximum first, so that no exponential overflows.
Expr LogSumExp(OpBuilder& build, const Operand& x, const Reducer& reduce) {
  Expr wide = AsWideFloat(build, x);
  Expr greatest = reduce("reduce_max", wide, true);
  Expr finite = build.IsFinite(greatest);
  Expr shift = build.Select(finite, greatest, Number(build, 0, greatest));
  Expr sum = reduce("reduce_sum", build.Exp(wide - shift));
  Expr log = build.Log(sum);
  return CastTo(build, log + reduce("reduce_max", shift), TensorDType(x));
}

struct ReductionRow {
  std::string_view name;
  std::string_view summary;
  Expr (*formula)(OpBuilder& build, const Operand& x, const Reducer& reduce);
};

constexpr ReductionRow kRows[] = {
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
  const ReductionRow& row =
      *std::find_if(std::begin(kRows), std::end(kRows),
                    [&](const ReductionRow& r) { return r.name == call.op.name; });
  SIGNET_ASSIGN_OR_RETURN(Reducer reduce, Reducer::Make(build, call, inputs));
  return row.formula(build, inputs[0], reduce);
}

StatusOr<Values> ExpandArg(OpBuilder& build, const OpCall& call,
                           std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(int64_t keepdims, call.attributes.Int("keepdims"));
  SIGNET_ASSIGN_OR_RETURN(int64_t last, call.attributes.Int("select_last_index"));
  return build.Call(call.op.name == "onnx.ArgMax" ? OpName("argmax") : "argmin", inputs,
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
  SIGNET_ASSIGN_OR_RETURN(Values found, build.Call("top_k", inputs, attributes));
  return AllOf({found[0], CastTo(build, found[1], DType::kInt64)});
}

StatusOr<Values> ExpandRunning(OpBuilder& build, const OpCall& call,
                               std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(int64_t exclusive, call.attributes.Int("exclusive"));
  SIGNET_ASSIGN_OR_RETURN(int64_t reverse, call.attributes.Int("reverse"));
  return build.Call(call.op.name == "onnx.CumSum" ? OpName("cumsum") : "cumprod", inputs,
                    Attributes({{"exclusive", AttributeOf(exclusive != 0)},
                                {"reverse", AttributeOf(reverse != 0)}}));
}

// --- along one axis, which before version 13 was the first of many ------------------------------

// Returns the only dimension from `axis` on that is not known to have size 1, if there is only one.
std::optional<int> OnlyAxis(const GraphValue& x, int axis, int rank) {
  int found = -1;
  for (int i = axis; i < rank; ++i) {
    if (KnownSize(x, i) == 1) continue;
    if (found >= 0) return std::nullopt;
    found = i;
  }
  return found < 0 ? axis : found;
}

using AlongAxis = Expr (*)(OpBuilder& build, const OpCall& call, const Operand& x, int axis);

StatusOr<Values> Along(OpBuilder& build, const OpCall& call, std::span<const GraphValue> inputs,
                       AlongAxis run) {
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(inputs, 0));
  SIGNET_ASSIGN_OR_RETURN(auto given, call.attributes.OptionalInt("axis"));
  bool many = OpsetOf(call) < 13;
  SIGNET_ASSIGN_OR_RETURN(int axis, NormalizeAxis(given.value_or(many ? 1 : -1), rank));
  const GraphValue& x = inputs[0];
  auto only = many ? OnlyAxis(x, axis, rank) : axis;
  if (only) return run(build, call, x, *only);
  Expr rows = DimProduct(build, x, 0, axis);
  Expr flat = ReshapeTo(build, x, {rows, DimProduct(build, x, axis, rank)});
  return ReshapeLike(build, run(build, call, flat, 1), x);
}

Expr Softmax(OpBuilder& build, const OpCall& call, const Operand& x, int axis) {
  return call.op.name == "onnx.Softmax" ? build.Softmax(x, {.axis = axis})
                                        : build.LogSoftmax(x, {.axis = axis});
}

// Returns 1 at the first maximum, and 0 elsewhere.
Expr Hardmax(OpBuilder& build, const OpCall&, const Operand& x, int axis) {
  SIGNET_ASSIGN_OR_RETURN(int rank, TensorRank(x));
  Operand some = x;  // with at least one element
  if (KnownSize(x, axis) <= 0) {
    std::vector<int64_t> none(static_cast<size_t>(rank), 0), one = none;
    one[static_cast<size_t>(axis)] = 1;
    const Expr least = Number(build, -std::numeric_limits<double>::infinity(), x);
    some = build.Pad(x, least, Ints(build, none), Ints(build, one));
  }
  Expr first = build.Argmax(some, {.axis = axis, .keepdims = true});
  Expr places = WithTrailingOnes(build, build.Range({DimSize(build, x, axis)}), rank - 1 - axis);
  return CastTo(build, build.Equal(places, first), TensorDType(x));
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
  for (const ReductionRow& row : kRows) {
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
