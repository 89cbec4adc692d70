// Operators that select or replace elements by index, by a condition, or by their order.

#include "core/frontends/savedmodel/lower/tf_op.h"

namespace signet {
namespace {

// Rejects indices outside of dimension `axis` of `x`: those below 0 do not count from the end.
Status CheckIndices(OpBuilder& build, const GraphValue& x, const Operand& indices, int axis) {
  Expr size = CastTo(build, DimSize(build, x, axis), TensorDType(indices));
  Expr zero = Zero(build, TensorDType(indices));
  return CheckCondition(build,
                        build.ReduceAll(build.LogicalAnd(build.GreaterEqual(indices, zero),
                                                         build.Less(indices, size))),
                        OutOfRange("expected indices of at least 0 that are less than the size of "
                                   "dimension ",
                                   axis));
}

TfOutputs ExpandGather(OpBuilder& build, const OpCall& call, TfInputs in) {
  int64_t batch = 0;
  int64_t given = 0;
  if (call.attributes.Has("batch_dims")) {
    SIGNET_ASSIGN_OR_RETURN(batch, call.attributes.Int("batch_dims"));
  }
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(in, 0));
  SIGNET_ASSIGN_OR_RETURN(int indices_rank, RankAt(in, 1));
  if (batch < 0) batch += indices_rank;
  if (batch < 0) return InvalidArgument("`batch_dims`: expected at least 0");
  given = batch;
  if (in.size() > 2) {
    SIGNET_ASSIGN_OR_RETURN(given, AxisAt(build, call, in, 2));
  }
  SIGNET_ASSIGN_OR_RETURN(int axis, NormalizeAxis(given, rank));
  SIGNET_RETURN_IF_ERROR(CheckIndices(build, in[0], in[1], axis));
  return build.Gather(in[0], in[1], {.axis = axis, .batch_dims = batch});
}

Status CheckNoneBelowZero(OpBuilder& build, const GraphValue& indices) {
  Expr zero = Zero(build, TensorDType(Operand(indices)));
  return CheckCondition(build, build.ReduceAll(build.GreaterEqual(indices, zero)),
                        OutOfRange("expected indices of at least 0"));
}

TfOutputs ExpandGatherNd(OpBuilder& build, const OpCall&, TfInputs in) {
  SIGNET_RETURN_IF_ERROR(CheckNoneBelowZero(build, in[1]));
  return build.GatherNd(in[0], in[1]);
}

TfOutputs ExpandOneHot(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(int64_t given, call.attributes.Int("axis"));
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(in, 0));
  SIGNET_ASSIGN_OR_RETURN(int axis, NormalizeAxis(given, rank + 1));
  if (auto depth = KnownInts(build, in, 1)) {
    if (depth->size() != 1) return InvalidArgument("`depth`: expected one number");
    Expr marks = build.OneHot(AsInt64(build, in[0]),
                              {.depth = (*depth)[0], .axis = axis, .dtype = DType::kInt32});
    return build.Select(build.NotEqual(marks, Zero(build, DType::kInt32)), in[2], in[3]);
  }
  Expr classes = build.Range({AsScalar(build, AsInt64(build, in[1]))});
  Expr marks = build.Equal(build.ExpandDims(AsInt64(build, in[0]), {.axis = axis}),
                           WithTrailingOnes(build, classes, rank - axis));
  return build.Select(marks, in[2], in[3]);
}

TfOutputs ExpandWhere(OpBuilder& build, const OpCall&, TfInputs in) {
  const DType dtype = DTypeAt(in, 0);
  if (dtype == DType::kBool) return build.WhereIndices(in[0]);
  return build.WhereIndices(build.NotEqual(in[0], Zero(build, dtype)));
}

TfOutputs ExpandSelect(OpBuilder& build, const OpCall& call, TfInputs in) {
  if (call.op.name == "tf.SelectV2") return build.Select(in[0], in[1], in[2]);
  SIGNET_ASSIGN_OR_RETURN(int condition, RankAt(in, 0));
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(in, 1));
  // A vector selects rows.
  if (condition == 1 && rank > 1) {
    return build.Select(WithTrailingOnes(build, in[0], rank - 1), in[1], in[2]);
  }
  return build.Select(in[0], in[1], in[2]);
}

TfOutputs ExpandTopK(OpBuilder& build, const OpCall& call, TfInputs in) {
  DType index = DType::kInt32;
  if (call.attributes.Has("index_type")) {
    SIGNET_ASSIGN_OR_RETURN(index, TfDType(call, "index_type"));
  }
  StatusOr<std::vector<GraphValue>> both = InvalidArgument("missing k");
  if (call.op.name == "tf.TopK") {
    SIGNET_ASSIGN_OR_RETURN(int64_t k, call.attributes.Int("k"));
    both = build.TopK(in[0], {.axis = -1, .k = k});
  } else if (auto k = KnownInts(build, in, 1)) {
    if (k->size() != 1) return InvalidArgument("`k`: expected one number");
    both = build.TopK(in[0], {.axis = -1, .k = (*k)[0]});
  } else {
    both = build.TopK(in[0], AsInt64(build, in[1]), {.axis = -1});
  }
  SIGNET_RETURN_IF_ERROR(both.status());
  SIGNET_ASSIGN_OR_RETURN((*both)[1], CastTo(build, (*both)[1], index));
  return both;
}

TfOutputs ExpandUnique(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(DType index, TfDType(call, "out_idx"));
  std::vector<int64_t> axes;
  if (in.size() > 1) {
    SIGNET_ASSIGN_OR_RETURN(axes, FindInts(build, call, in, 1));
  }
  if (axes.size() > 1) return InvalidArgument("`axis`: expected at most one axis");
  auto found = axes.empty() ? build.Unique(in[0], {.sorted = false})
                            : build.Unique(in[0], {.axis = axes[0], .sorted = false});
  SIGNET_RETURN_IF_ERROR(found.status());
  // The op returns the values, their first positions, the positions of elements, and counts.
  std::vector<GraphValue> out = {(*found)[0]};
  SIGNET_ASSIGN_OR_RETURN(out.emplace_back(), CastTo(build, (*found)[2], index));
  if (call.op.name.find("Counts") != std::string::npos) {
    SIGNET_ASSIGN_OR_RETURN(out.emplace_back(), CastTo(build, (*found)[3], index));
  }
  return out;
}

TfOutputs ExpandScatterNd(OpBuilder& build, const OpCall&, TfInputs in) {
  const DType dtype = DTypeAt(in, 1);
  // Bools are joined by "or", which is the maximum of integers.
  const bool is_bool = dtype == DType::kBool;
  Expr updates = is_bool ? CastTo(build, in[1], DType::kInt32) : build.AsExpr(in[1]);
  Expr zero = Zero(build, is_bool ? DType::kInt32 : dtype);
  Expr zeros = build.BroadcastTo(zero, AsInt64(build, in[2]));
  if (auto dims = KnownInts(build, in, 2)) zeros = build.BroadcastTo(zero, {.shape = *dims});
  SIGNET_RETURN_IF_ERROR(CheckNoneBelowZero(build, in[0]));
  const char* how = dtype == DType::kString ? "none" : is_bool ? "max" : "add";
  Expr out = build.ScatterNd(zeros, AsInt64(build, in[0]), updates, {.reduction = how});
  return is_bool ? build.NotEqual(out, zero) : out;
}

TfOutputs ExpandTensorScatter(OpBuilder& build, const OpCall& call, TfInputs in) {
  const std::string_view name = std::string_view(call.op.name).substr(3);
  Expr indices = AsInt64(build, in[1]);
  SIGNET_RETURN_IF_ERROR(CheckNoneBelowZero(build, in[1]));
  if (name == "TensorScatterUpdate") return build.ScatterNd(in[0], indices, in[2]);
  if (name == "TensorScatterAdd" || name == "ScatterNdNonAliasingAdd") {
    return build.ScatterNd(in[0], indices, in[2], {.reduction = "add"});
  }
  if (name == "TensorScatterSub") {
    return build.ScatterNd(in[0], indices, build.Neg(in[2]), {.reduction = "add"});
  }
  return build.ScatterNd(in[0], indices, in[2],
                         {.reduction = name == "TensorScatterMin" ? "min" : "max"});
}

TfOutputs ExpandDynamicStitch(OpBuilder& build, const OpCall&, TfInputs in) {
  if (in.size() < 2 || in.size() % 2 != 0) {
    return InvalidArgument("expected as many indices as values, found ", in.size(), " inputs");
  }
  const size_t count = in.size() / 2;
  std::vector<Operand> indices;
  std::vector<Operand> rows;
  std::vector<int64_t> sizes;
  for (size_t i = 0; i < count; ++i) {
    SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(in, i));
    SIGNET_ASSIGN_OR_RETURN(int own, RankAt(in, count + i));
    if (own < rank) return InvalidArgument("expected data of at least the rank of its indices");
    indices.push_back(build.Reshape(AsInt64(build, in[i]), {.shape = {-1}}));
    std::vector<Operand> dims = {Operand(Int64Constant(build, -1))};
    for (int axis = rank; axis < own; ++axis) dims.push_back(DimSize(build, in[count + i], axis));
    rows.push_back(build.Reshape(in[count + i], StackScalars(build, dims)));
  }
  Expr all = count == 1 ? build.AsExpr(indices[0]) : build.Concat(Operands(indices), {.axis = 0});
  Expr values = count == 1 ? build.AsExpr(rows[0]) : build.Concat(Operands(rows), {.axis = 0});
  Expr size = build.Add(build.ReduceMax(build.Concat(
                            {all, build.Constant(Tensor::Of<int64_t>({1}, {-1}))}, {.axis = 0})),
                        1);
  SIGNET_ASSIGN_OR_RETURN(int rank, TensorRank(values));
  std::vector<Operand> dims = {size};
  for (int axis = 1; axis < rank; ++axis) dims.push_back(DimSize(build, values, axis));
  Expr zeros = build.BroadcastTo(Zero(build, TensorDType(values)), StackScalars(build, dims));
  return build.ScatterNd(zeros, build.ExpandDims(all, {.axis = 1}), values);
}

TfOutputs ExpandDynamicPartition(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(int64_t count, call.attributes.Int("num_partitions"));
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(in, 1));
  SIGNET_ASSIGN_OR_RETURN(int own, RankAt(in, 0));
  if (own < rank || count < 1 || count > 4096) {
    return InvalidArgument("expected 1 to 4096 partitions of data of at least the same rank");
  }
  std::vector<Operand> dims = {Operand(Int64Constant(build, -1))};
  for (int axis = rank; axis < own; ++axis) dims.push_back(DimSize(build, in[0], axis));
  Expr rows = build.Reshape(in[0], StackScalars(build, dims));
  Expr partitions = build.Reshape(AsInt64(build, in[1]), {.shape = {-1}});
  std::vector<GraphValue> out;
  for (int64_t i = 0; i < count; ++i) {
    SIGNET_ASSIGN_OR_RETURN(
        out.emplace_back(),
        build.BooleanMask(rows, build.Equal(partitions, Int64Constant(build, i))));
  }
  return out;
}

// NearestNeighbors(points, centers, k): the nearest centers of each point, and the squares of their
// distances.
TfOutputs ExpandNearestNeighbors(OpBuilder& build, const OpCall&, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(in, 0));
  SIGNET_ASSIGN_OR_RETURN(int center_rank, RankAt(in, 1));
  if (rank != 2 || center_rank != 2) {
    return InvalidArgument("expected matrices of points and of centers, found `", in[0].spec,
                           "` and `", in[1].spec, "`");
  }
  // |p - c|^2 = |p|^2 - 2pc + |c|^2
  auto squares = [&](const GraphValue& x) {
    return build.ReduceSum(build.Square(x), {.axes = {1}});
  };
  Expr products = build.Matmul(in[0], build.Transpose(in[1], {.perm = {1, 0}}));
  Expr distances =
      build.Sub(build.Add(build.ExpandDims(squares(in[0]), {.axis = 1}), squares(in[1])),
                build.Mul(products, 2.0));
  // There may be fewer centers than are wanted.
  Expr count = build.Minimum(AsScalar(build, AsInt64(build, in[2])), DimSize(build, in[1], 0));
  auto found = build.TopK(build.Maximum(distances, 0.0), count, {.axis = -1, .largest = false});
  SIGNET_RETURN_IF_ERROR(found.status());
  return AllOf({AsInt64(build, (*found)[1]), (*found)[0]});
}

}  // namespace

std::vector<OpDef> TfIndexOps() {
  std::vector<OpDef> ops;
  auto add = [&](const char* name, const char* summary, std::vector<std::string> inputs,
                 std::vector<AttributeDef> attributes, ExpandFn expand) {
    ops.push_back(TfOp(name, summary, std::move(inputs), std::move(attributes), expand));
  };
  const AttributeDef out_idx = {"out_idx", AttributeOf(DType::kInt32)};
  add("GatherV2", "Selects slices by index", {"params", "indices", "axis"},
      {{"batch_dims", AttributeOf(0)}}, ExpandGather);

  add("Gather", "Selects rows by index", {"params", "indices"}, {}, ExpandGather);

  add("ResourceGather", "Selects rows of a variable by index", {"params", "indices"},
      {{"batch_dims", AttributeOf(0)}}, ExpandGather);

  add("GatherNd", "Selects elements or slices by vectors of indices", {"params", "indices"}, {},
      ExpandGatherNd);

  add("OneHot", "Marks the position of each index", {"indices", "depth", "on_value", "off_value"},
      {{"axis", AttributeOf(-1)}}, ExpandOneHot);

  add("Where", "Returns the coordinates of elements that are not zero", {"input"}, {}, ExpandWhere);

  add("Select", "Chooses between two values", {"condition", "t", "e"}, {}, ExpandSelect);

  add("SelectV2", "Chooses between two values", {"condition", "t", "e"}, {}, ExpandSelect);

  add("TopKV2", "Finds the largest elements", {"input", "k"},
      {{"sorted", AttributeOf(true)}, {"index_type", AttributeOf(DType::kInt32)}}, ExpandTopK);

  add("TopK", "Finds the largest elements", {"input"}, {{"k"}, {"sorted", AttributeOf(true)}},
      ExpandTopK);

  add("Unique", "Finds the distinct elements", {"x"}, {out_idx}, ExpandUnique);

  add("UniqueV2", "Finds the distinct slices", {"x", "axis"}, {out_idx}, ExpandUnique);

  add("UniqueWithCounts", "Finds and counts the distinct elements", {"x"}, {out_idx}, ExpandUnique);

  add("UniqueWithCountsV2", "Finds and counts the distinct slices", {"x", "axis"}, {out_idx},
      ExpandUnique);

  add("ScatterNd", "Adds up updates in a tensor of zeros", {"indices", "updates", "shape"}, {},
      ExpandScatterNd);

  for (const char* name : {"TensorScatterUpdate", "TensorScatterAdd", "TensorScatterSub",
                           "TensorScatterMin", "TensorScatterMax", "ScatterNdNonAliasingAdd"}) {
    add(name, "Changes elements by index", {"tensor", "indices", "updates"}, {},
        ExpandTensorScatter);
  }

  add("NearestNeighbors", "Finds the nearest centers of points", {"points", "centers", "k"}, {},
      ExpandNearestNeighbors);

  add("DynamicStitch", "Places rows at positions", {"indices_and_data..."}, {},
      ExpandDynamicStitch);

  add("ParallelDynamicStitch", "Places rows at positions", {"indices_and_data..."}, {},
      ExpandDynamicStitch);

  add("DynamicPartition", "Divides rows among partitions", {"data", "partitions"},
      {{"num_partitions"}}, ExpandDynamicPartition);

  return ops;
}

}  // namespace signet
