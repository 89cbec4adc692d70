// Operators that gather by index or condition, and operators that scatter by index.

#include <algorithm>

#include "core/frontends/onnx/lower/build/inputs.h"
#include "core/frontends/onnx/lower/build/tensor_expressions.h"
#include "core/frontends/onnx/lower/standard/standard_ops.h"
#include "core/ops/build/op_builder.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

using Values = std::vector<GraphValue>;

Attributes AxisOf(int64_t axis) { return Attributes({{"axis", AttributeOf(axis)}}); }

// Returns attribute `axis` as a dimension of input 0, counted from the start.
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
  return build.Gather(inputs[0], FromStart(build, inputs[1], DimSize(build, inputs[0], axis)),
                      {.axis = axis});
}

StatusOr<Values> ExpandGatherElements(OpBuilder& build, const OpCall& call,
                                      std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(int axis, AxisOfInput(call, inputs));
  SIGNET_RETURN_IF_ERROR(TensorAt(inputs, 1).status());
  Expr indices = FromStart(build, inputs[1], DimSize(build, inputs[0], axis));
  return build.GatherElements(inputs[0], indices, {.axis = axis});
}

// Returns the length of the vectors of indices in input 1.
StatusOr<int> VectorLength(std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(inputs, 1));
  int64_t length = rank == 0 ? kUnknownDim : inputs[1].spec.shape()->dim(rank - 1);
  if (length >= 0 && length < 64) return static_cast<int>(length);
  return Unimplemented("input 1: expected vectors of a known length, found `", inputs[1].spec, "`");
}

// Converts vectors of indices of dimensions [first, first + length) of `x` to count from the start.
StatusOr<GraphValue> VectorsFromStart(OpBuilder& build, const Operand& x, const Operand& vectors,
                                      int first, int length) {
  return FromStart(build, vectors, DimSizes(build, x, first, first + length));
}

StatusOr<Values> ExpandGatherNd(OpBuilder& build, const OpCall& call,
                                std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(inputs, 0));
  SIGNET_ASSIGN_OR_RETURN(int length, VectorLength(inputs));
  SIGNET_ASSIGN_OR_RETURN(int64_t given, call.attributes.Int("batch_dims"));
  const GraphValue& x = inputs[0];
  int index_rank = inputs[1].spec.shape()->rank();
  if (given < 0 || given >= index_rank || given + length > rank) {
    return InvalidArgument("expected batch_dims and vectors of indices within the ranks of `",
                           x.spec, "` and `", inputs[1].spec, "`, found batch_dims ", given,
                           " and vectors of ", length);
  }
  auto batch = static_cast<int>(given);
  Operand vectors = VectorsFromStart(build, x, inputs[1], batch, length);
  if (batch == 0) return build.GatherNd(x, vectors);
  // The index of the batch is the first index of each vector.
  std::vector<Operand> sizes = {DimProduct(build, inputs[1], 0, batch),
                                DimProduct(build, inputs[1], batch, index_rank - 1)};
  std::vector<Operand> flat = sizes;
  flat.push_back(Int64Constant(build, length));
  vectors = ReshapeTo(build, CastTo(build, vectors, DType::kInt64), flat);
  Expr numbers = build.Reshape(build.Range({sizes[0]}), {.shape = {-1, 1, 1}});
  sizes.push_back(Int64Constant(build, 1));
  numbers = build.BroadcastTo(numbers, StackScalars(build, sizes));
  vectors = build.Concat({numbers, vectors}, {.axis = 2});
  std::vector<Operand> inner = {DimProduct(build, x, 0, batch)};
  std::vector<Operand> out;
  for (int axis = batch; axis < rank; ++axis) inner.push_back(DimSize(build, x, axis));
  for (int axis = 0; axis + 1 < index_rank; ++axis) out.push_back(DimSize(build, inputs[1], axis));
  for (int axis = batch + length; axis < rank; ++axis) out.push_back(DimSize(build, x, axis));
  Expr picked = build.GatherNd(ReshapeTo(build, x, inner), vectors);
  return ReshapeTo(build, picked, out);
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
  Expr x = given ? build.AsExpr(inputs[0]) : build.Reshape(inputs[0], {.shape = {-1}});
  Expr condition = build.Slice(inputs[1], Int64Constant(build, 0), DimSize(build, x, axis));
  Expr positions = build.Reshape(build.WhereIndices(condition), {.shape = {-1}});
  return build.Gather(x, positions, {.axis = axis});
}

StatusOr<Values> ExpandNonZero(OpBuilder& build, const OpCall&,
                               std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(inputs, 0));
  Operand x = inputs[0];
  if (rank == 0) x = build.Reshape(x, {.shape = {1}});
  Expr holds = CastTo(build, x, DType::kBool);
  return build.Transpose(build.WhereIndices(holds), {.perm = {1, 0}});
}

StatusOr<Values> ExpandUnique(OpBuilder& build, const OpCall& call,
                              std::span<const GraphValue> inputs) {
  SIGNET_RETURN_IF_ERROR(TensorAt(inputs, 0).status());
  SIGNET_ASSIGN_OR_RETURN(int64_t sorted, call.attributes.Int("sorted"));
  return build.Unique(inputs[0], {.axis = call.attributes.Lookup("axis"), .sorted = sorted != 0});
}

// Reverses the first steps of each batch; their number is an input.
StatusOr<Values> ExpandReverseSequence(OpBuilder& build, const OpCall& call,
                                       std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(inputs, 0));
  SIGNET_RETURN_IF_ERROR(TensorAt(inputs, 1).status());
  SIGNET_ASSIGN_OR_RETURN(int64_t batch, call.attributes.Int("batch_axis"));
  SIGNET_ASSIGN_OR_RETURN(int64_t time, call.attributes.Int("time_axis"));
  bool fits = (batch == 0 && time == 1) || (batch == 1 && time == 0);
  if (rank < 2 || !fits) {
    return InvalidArgument(
        "expected a rank of at least 2, and batch_axis and time_axis 0 and 1 in any "
        "order, found ",
        batch, " and ", time, " for `", inputs[0].spec, "`");
  }
  std::vector<int64_t> swapped = {1, 0};
  for (int axis = 2; axis < rank; ++axis) swapped.push_back(axis);
  auto turned = [&](const Operand& x) {
    return time == 1 ? x : build.Transpose(x, {.perm = swapped});
  };
  Expr lengths = build.Reshape(CastTo(build, inputs[1], DType::kInt64), {.shape = {-1, 1}});
  Expr steps = build.Reshape(build.Range({DimSize(build, inputs[0], static_cast<int>(time))}),
                             {.shape = {1, -1}});
  Expr back = lengths - Int64Constant(build, 1) - steps;
  Expr from = build.Select(build.Less(steps, lengths), back, steps);
  Expr picked = build.Gather(turned(inputs[0]), from, {.axis = 1, .batch_dims = 1});
  return turned(picked);
}

StatusOr<Values> ExpandWhere(OpBuilder& build, const OpCall&, std::span<const GraphValue> inputs) {
  return build.Select(inputs[0], inputs[1], inputs[2]);
}

// --- putting ------------------------------------------------------------------------------------

StatusOr<Values> ExpandScatterElements(OpBuilder& build, const OpCall& call,
                                       std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(int axis, AxisOfInput(call, inputs));
  SIGNET_RETURN_IF_ERROR(TensorAt(inputs, 1).status());
  SIGNET_RETURN_IF_ERROR(TensorAt(inputs, 2).status());
  Expr indices = FromStart(build, inputs[1], DimSize(build, inputs[0], axis));
  Attributes attributes = AxisOf(axis);
  if (call.attributes.Has("reduction")) {
    attributes = attributes.With("reduction", call.attributes.Lookup("reduction"));
  }
  return build.CallOne("scatter_elements", {inputs[0], indices, inputs[2]}, attributes);
}

StatusOr<Values> ExpandScatterNd(OpBuilder& build, const OpCall& call,
                                 std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(inputs, 0));
  SIGNET_ASSIGN_OR_RETURN(int length, VectorLength(inputs));
  SIGNET_RETURN_IF_ERROR(TensorAt(inputs, 2).status());
  if (length > rank) {
    return InvalidArgument("expected vectors of at most as many indices as the rank of `",
                           inputs[0].spec, "`, found ", length);
  }
  Operand vectors = VectorsFromStart(build, inputs[0], inputs[1], 0, length);
  return build.CallOne("scatter_nd", {inputs[0], vectors, inputs[2]}, call.attributes);
}

// Writes the steps of `update` into each batch of the cache, from the index of the batch on.
StatusOr<Values> ExpandTensorScatter(OpBuilder& build, const OpCall& call,
                                     std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(int axis, AxisOfInput(call, inputs));
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(inputs, 0));
  SIGNET_ASSIGN_OR_RETURN(int update_rank, RankAt(inputs, 1));
  SIGNET_ASSIGN_OR_RETURN(std::string mode, call.attributes.String("mode"));
  if (axis == 0 || update_rank != rank || (mode != "linear" && mode != "circular")) {
    return InvalidArgument(
        "inputs `", inputs[0].spec, "` and `", inputs[1].spec, "`, axis ", axis, ", mode `",
        Printable(mode),
        "`: expected inputs of the same rank, an axis other than 0, and linear or "
        "circular");
  }
  std::vector<int64_t> swapped;
  for (int k = 0; k < rank; ++k) swapped.push_back(k == 1 ? axis : k == axis ? 1 : k);
  auto turned = [&](const Operand& x) {
    return axis == 1 ? x : build.Transpose(x, {.perm = swapped});
  };
  Expr batches = DimSize(build, inputs[1], 0);
  Expr steps = DimSize(build, inputs[1], axis);
  Expr first = IsGiven(inputs, 2)
                   ? build.Reshape(CastTo(build, inputs[2], DType::kInt64), {.shape = {-1, 1, 1}})
                   : build.Reshape(Int64Constant(build, 0), {.shape = {1, 1, 1}});
  Expr places = first + build.Reshape(build.Range({steps}), {.shape = {1, -1, 1}});
  if (mode == "circular") places = build.Mod(places, DimSize(build, inputs[0], axis));
  Expr shape = build.Stack({batches, steps, 1});
  Expr numbers = build.Reshape(build.Range({batches}), {.shape = {-1, 1, 1}});
  Operand vectors = build.Concat(
      {build.BroadcastTo(numbers, shape), build.BroadcastTo(places, shape)}, {.axis = 2});
  return turned(build.ScatterNd(turned(inputs[0]), vectors, turned(inputs[1])));
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
