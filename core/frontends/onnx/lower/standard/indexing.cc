// Operators that pick by index or by condition, and those that put elements by index.

#include <algorithm>

#include "core/frontends/onnx/lower/build/formula.h"
#include "core/frontends/onnx/lower/build/inputs.h"
#include "core/frontends/onnx/lower/standard/standard_ops.h"
#include "core/ops/build/op_builder.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

using Values = std::vector<GraphValue>;

Attributes AxisOf(int64_t axis) { return Attributes({{"axis", AttributeOf(axis)}}); }

// Attribute `axis` as a dimension of input 0, counted from the start.
StatusOr<int> AxisOfInput(const OpCall& call, std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(inputs, 0));
  SIGNET_ASSIGN_OR_RETURN(int64_t given, call.attributes.Int("axis"));
  return NormalizeAxis(given, rank);
}

// --- picking ------------------------------------------------------------------------------------

StatusOr<Values> ExpandGather(OpBuilder& build, const OpCall& call,
                              std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(int axis, AxisOfInput(call, inputs));
  SIGNET_RETURN_IF_ERROR(TensorAt(inputs, 1).status());
  Formula f(build);
  return f.Give(f.Gather(inputs[0], f.FromStart(inputs[1], f.Size(inputs[0], axis)), axis));
}

StatusOr<Values> ExpandGatherElements(OpBuilder& build, const OpCall& call,
                                      std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(int axis, AxisOfInput(call, inputs));
  SIGNET_RETURN_IF_ERROR(TensorAt(inputs, 1).status());
  Formula f(build);
  GraphValue indices = f.FromStart(inputs[1], f.Size(inputs[0], axis));
  return f.Give(f("gather_elements", {inputs[0], indices}, AxisOf(axis)));
}

// How long the vectors of indices in input 1 are.
StatusOr<int> VectorLength(std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(inputs, 1));
  int64_t length = rank == 0 ? kUnknownDim : inputs[1].spec.shape()->dim(rank - 1);
  if (length >= 0 && length < 64) return static_cast<int>(length);
  return Unimplemented("input 1 is `", inputs[1].spec, "`; takes vectors of a known length");
}

// Vectors of indices of dimensions [first, first + length) of `x`, counted from the start.
GraphValue VectorsFromStart(Formula& f, const GraphValue& x, const GraphValue& vectors, int first,
                            int length) {
  return f.FromStart(vectors, f.Sizes(x, first, first + length));
}

StatusOr<Values> ExpandGatherNd(OpBuilder& build, const OpCall& call,
                                std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(inputs, 0));
  SIGNET_ASSIGN_OR_RETURN(int length, VectorLength(inputs));
  SIGNET_ASSIGN_OR_RETURN(int64_t given, call.attributes.Int("batch_dims"));
  const GraphValue& x = inputs[0];
  int index_rank = inputs[1].spec.shape()->rank();
  if (given < 0 || given >= index_rank || given + length > rank) {
    return InvalidArgument("batch_dims ", given, " and vectors of ", length, " indices for `",
                           x.spec, "` and `", inputs[1].spec, "`; takes no more than either has");
  }
  auto batch = static_cast<int>(given);
  Formula f(build);
  GraphValue vectors = VectorsFromStart(f, x, inputs[1], batch, length);
  if (batch == 0) return f.Give(f("gather_nd", {x, vectors}));
  // The number of the batch becomes the first index of each vector.
  Values sizes = {f.Product(inputs[1], 0, batch), f.Product(inputs[1], batch, index_rank - 1)};
  Values flat = sizes;
  flat.push_back(f.Int(length));
  vectors = f.ReshapeTo(f.Cast(vectors, DType::kInt64), flat);
  GraphValue numbers = f.Reshape(f.Range(sizes[0]), {-1, 1, 1});
  sizes.push_back(f.Int(1));
  numbers = f("broadcast_to", {numbers, f.Stack(sizes)});
  vectors = f("concat", {numbers, vectors}, AxisOf(2));
  Values inner = {f.Product(x, 0, batch)};
  Values out;
  for (int axis = batch; axis < rank; ++axis) inner.push_back(f.Size(x, axis));
  for (int axis = 0; axis + 1 < index_rank; ++axis) out.push_back(f.Size(inputs[1], axis));
  for (int axis = batch + length; axis < rank; ++axis) out.push_back(f.Size(x, axis));
  GraphValue picked = f("gather_nd", {f.ReshapeTo(x, inner), vectors});
  return f.Give(f.ReshapeTo(picked, out));
}

StatusOr<Values> ExpandCompress(OpBuilder& build, const OpCall& call,
                                std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(inputs, 0));
  SIGNET_RETURN_IF_ERROR(TensorAt(inputs, 1).status());
  SIGNET_ASSIGN_OR_RETURN(auto given, call.attributes.OptionalInt("axis"));
  int axis = 0;
  if (given) {
    SIGNET_ASSIGN_OR_RETURN(axis, NormalizeAxis(*given, rank));
  }
  Formula f(build);
  GraphValue x = given ? inputs[0] : f.Reshape(inputs[0], {-1});
  SIGNET_RETURN_IF_ERROR(f.status());
  GraphValue condition = f("slice", {inputs[1], f.Int(0), f.Size(x, axis)});
  GraphValue positions = f.Reshape(f("where_indices", {condition}), {-1});
  return f.Give(f.Gather(x, positions, axis));
}

StatusOr<Values> ExpandNonZero(OpBuilder& build, const OpCall&,
                               std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(inputs, 0));
  Formula f(build);
  GraphValue holds = f.Cast(rank == 0 ? f.Reshape(inputs[0], {1}) : inputs[0], DType::kBool);
  return f.Give(f.Transpose(f("where_indices", {holds}), {1, 0}));
}

StatusOr<Values> ExpandUnique(OpBuilder& build, const OpCall& call,
                              std::span<const GraphValue> inputs) {
  SIGNET_RETURN_IF_ERROR(TensorAt(inputs, 0).status());
  SIGNET_ASSIGN_OR_RETURN(int64_t sorted, call.attributes.Int("sorted"));
  return build.Call(
      "unique", inputs,
      Attributes({{"axis", call.attributes.Lookup("axis")}, {"sorted", AttributeOf(sorted != 0)}}));
}

// Of each batch, the first so many steps turn round.
StatusOr<Values> ExpandReverseSequence(OpBuilder& build, const OpCall& call,
                                       std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(inputs, 0));
  SIGNET_RETURN_IF_ERROR(TensorAt(inputs, 1).status());
  SIGNET_ASSIGN_OR_RETURN(int64_t batch, call.attributes.Int("batch_axis"));
  SIGNET_ASSIGN_OR_RETURN(int64_t time, call.attributes.Int("time_axis"));
  bool fits = (batch == 0 && time == 1) || (batch == 1 && time == 0);
  if (rank < 2 || !fits) {
    return InvalidArgument("batch_axis ", batch, " and time_axis ", time, " of `", inputs[0].spec,
                           "`; takes 0 and 1, or 1 and 0, of rank at least 2");
  }
  Formula f(build);
  std::vector<int64_t> swapped = {1, 0};
  for (int axis = 2; axis < rank; ++axis) swapped.push_back(axis);
  auto turned = [&](const GraphValue& x) {
    return time == 1 ? x : f("transpose", {x}, ListOf("perm", swapped));
  };
  GraphValue lengths = f.Reshape(f.Cast(inputs[1], DType::kInt64), {-1, 1});
  GraphValue steps = f.Reshape(f.Range(f.Size(inputs[0], static_cast<int>(time))), {1, -1});
  GraphValue back = f("sub", {f("sub", {lengths, f.Int(1)}), steps});
  GraphValue from = f("select", {f("less", {steps, lengths}), back, steps});
  GraphValue picked = f("gather", {turned(inputs[0]), from},
                        Attributes({{"axis", AttributeOf(1)}, {"batch_dims", AttributeOf(1)}}));
  return f.Give(turned(picked));
}

StatusOr<Values> ExpandWhere(OpBuilder& build, const OpCall&, std::span<const GraphValue> inputs) {
  return build.Call("select", inputs, {});
}

// --- putting ------------------------------------------------------------------------------------

StatusOr<Values> ExpandScatterElements(OpBuilder& build, const OpCall& call,
                                       std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(int axis, AxisOfInput(call, inputs));
  SIGNET_RETURN_IF_ERROR(TensorAt(inputs, 1).status());
  SIGNET_RETURN_IF_ERROR(TensorAt(inputs, 2).status());
  Formula f(build);
  GraphValue indices = f.FromStart(inputs[1], f.Size(inputs[0], axis));
  Attributes attributes = AxisOf(axis);
  if (call.attributes.Has("reduction")) {
    attributes = attributes.With("reduction", call.attributes.Lookup("reduction"));
  }
  return f.Give(f("scatter_elements", {inputs[0], indices, inputs[2]}, attributes));
}

StatusOr<Values> ExpandScatterNd(OpBuilder& build, const OpCall& call,
                                 std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(inputs, 0));
  SIGNET_ASSIGN_OR_RETURN(int length, VectorLength(inputs));
  SIGNET_RETURN_IF_ERROR(TensorAt(inputs, 2).status());
  if (length > rank) {
    return InvalidArgument("vectors of ", length, " indices for `", inputs[0].spec,
                           "`; takes at most its rank");
  }
  Formula f(build);
  GraphValue vectors = VectorsFromStart(f, inputs[0], inputs[1], 0, length);
  return f.Give(f("scatter_nd", {inputs[0], vectors, inputs[2]}, call.attributes));
}

// Puts the steps of `update` into each batch of the cache, from where the batch says on.
StatusOr<Values> ExpandTensorScatter(OpBuilder& build, const OpCall& call,
                                     std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(int axis, AxisOfInput(call, inputs));
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(inputs, 0));
  SIGNET_ASSIGN_OR_RETURN(int update_rank, RankAt(inputs, 1));
  SIGNET_ASSIGN_OR_RETURN(std::string mode, call.attributes.String("mode"));
  if (axis == 0 || update_rank != rank || (mode != "linear" && mode != "circular")) {
    return InvalidArgument("inputs `", inputs[0].spec, "` and `", inputs[1].spec, "`, axis ", axis,
                           ", mode `", Printable(mode),
                           "`; takes the same rank, an axis behind the first, and linear or "
                           "circular");
  }
  Formula f(build);
  std::vector<int64_t> swapped;
  for (int k = 0; k < rank; ++k) swapped.push_back(k == 1 ? axis : k == axis ? 1 : k);
  auto turned = [&](const GraphValue& x) {
    return axis == 1 ? x : f("transpose", {x}, ListOf("perm", swapped));
  };
  GraphValue batches = f.Size(inputs[1], 0);
  GraphValue steps = f.Size(inputs[1], axis);
  GraphValue first = IsGiven(inputs, 2) ? f.Reshape(f.Cast(inputs[2], DType::kInt64), {-1, 1, 1})
                                        : f.Reshape(f.Int(0), {1, 1, 1});
  GraphValue places = f("add", {first, f.Reshape(f.Range(steps), {1, -1, 1})});
  if (mode == "circular") places = f("mod", {places, f.Size(inputs[0], axis)});
  const GraphValue each[] = {batches, steps, f.Int(1)};
  GraphValue shape = f.Stack(each);
  GraphValue numbers = f.Reshape(f.Range(batches), {-1, 1, 1});
  GraphValue vectors =
      f("concat", {f("broadcast_to", {numbers, shape}), f("broadcast_to", {places, shape})},
        AxisOf(2));
  return f.Give(turned(f("scatter_nd", {turned(inputs[0]), vectors, turned(inputs[1])})));
}

}  // namespace

std::vector<OpDef> OnnxIndexingOps() {
  const AttributeDef axis = {"axis", AttributeOf(0)};
  const AttributeDef reduction = {"reduction", AttributeOf("none")};
  return {
      OnnxOp("onnx.Gather", "Picks slices by index", {"data", "indices"}, {axis}, ExpandGather),
      OnnxOp("onnx.GatherElements", "Picks elements by index along an axis", {"data", "indices"},
             {axis}, ExpandGatherElements),
      OnnxOp("onnx.GatherND", "Picks by vectors of indices", {"data", "indices"},
             {{"batch_dims", AttributeOf(0)}}, ExpandGatherNd),
      OnnxOp("onnx.Compress", "Picks where a condition holds", {"input", "condition"},
             {{"axis", NoneAttribute()}}, ExpandCompress),
      OnnxOp("onnx.NonZero", "Finds what is not 0", {"X"}, {}, ExpandNonZero),
      OnnxOp("onnx.Unique", "Finds what differs from all before", {"X"},
             {{"axis", NoneAttribute()}, {"sorted", AttributeOf(1)}}, ExpandUnique),
      OnnxOp("onnx.ReverseSequence", "Turns the first steps of each batch round",
             {"input", "sequence_lens"},
             {{"batch_axis", AttributeOf(1)}, {"time_axis", AttributeOf(0)}},
             ExpandReverseSequence),
      OnnxOp("onnx.Where", "Takes one or the other", {"condition", "X", "Y"}, {}, ExpandWhere),
      OnnxOp("onnx.Scatter", "Puts elements by index along an axis", {"data", "indices", "updates"},
             {axis}, ExpandScatterElements),
      OnnxOp("onnx.ScatterElements", "Puts elements by index along an axis",
             {"data", "indices", "updates"}, {axis, reduction}, ExpandScatterElements),
      OnnxOp("onnx.ScatterND", "Puts by vectors of indices", {"data", "indices", "updates"},
             {reduction}, ExpandScatterNd),
      OnnxOp("onnx.TensorScatter", "Puts steps into a cache",
             {"past_cache", "update", "write_indices?"},
             {{"axis", AttributeOf(-2)}, {"mode", AttributeOf("linear")}}, ExpandTensorScatter),
  };
}

}  // namespace signet
