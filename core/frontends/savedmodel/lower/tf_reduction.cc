// Operators that combine elements along axes, or by segments.

#include <algorithm>

#include "core/frontends/savedmodel/lower/tf_op.h"

namespace signet {
namespace {

TfOutputs ExpandReduction(OpBuilder& build, const OpCall& call, TfInputs in) {
  const std::string_view name = std::string_view(call.op.name).substr(3);
  SIGNET_ASSIGN_OR_RETURN(bool keep, call.attributes.Bool("keep_dims"));
  SIGNET_ASSIGN_OR_RETURN(auto axes, FindInts(build, call, in, 1));
  if (name == "EuclideanNorm") {
    const DType own = DTypeAt(in, 0);
    Expr size = IsComplex(own) ? build.Abs(in[0]) : AsFloat(build, in[0]);
    Expr norm = build.Sqrt(build.ReduceSum(
        build.Square(size), {.axes = axes, .keepdims = keep, .empty_is_all = false}));
    return CastTo(build, norm, own);
  }
  const char* op = name == "Sum"    ? "reduce_sum"
                   : name == "Mean" ? "reduce_mean"
                   : name == "Max"  ? "reduce_max"
                   : name == "Min"  ? "reduce_min"
                   : name == "Prod" ? "reduce_prod"
                   : name == "All"  ? "reduce_all"
                                    : "reduce_any";
  const DType dtype = DTypeAt(in, 0);
  if (name == "Mean" && IsInteger(dtype)) {
    Expr sum = build.ReduceSum(in[0], {.axes = axes, .keepdims = keep, .empty_is_all = false});
    Expr all = build.ReduceSum(build.OnesLike(in[0]),
                               {.axes = axes, .keepdims = keep, .empty_is_all = false});
    Expr remainder = build.Mod(sum, all, {.truncated = true});
    return build.Floordiv(build.Sub(sum, remainder), all);
  }
  NamedTypes attributes = {{"axes", AttributeOf(std::span<const int64_t>(axes))},
                           {"keepdims", AttributeOf(keep)},
                           {"empty_is_all", AttributeOf(false)}};
  return build.CallOne(std::string_view(op), {in[0]}, Attributes(std::move(attributes)));
}

TfOutputs ExpandArg(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(auto axes, FindInts(build, call, in, 1));
  if (axes.size() != 1) return InvalidArgument("`dimension`: expected one axis");
  SIGNET_ASSIGN_OR_RETURN(DType dtype, TfDType(call, "output_type"));
  Expr position = call.op.name == "tf.ArgMax" ? build.Argmax(in[0], {.axis = axes[0]})
                                              : build.Argmin(in[0], {.axis = axes[0]});
  return CastTo(build, position, dtype);
}

TfOutputs ExpandL2Loss(OpBuilder& build, const OpCall&, TfInputs in) {
  return build.Mul(build.ReduceSum(build.Square(in[0])), Number(build, 0.5, in[0]));
}

// The number of rows of each group, as a column for data of `rank` dimensions.
Expr GroupCounts(OpBuilder& build, const Operand& ids, const Operand& count, int rank) {
  Expr ones = build.OnesLike(AsInt64(build, ids));
  return WithTrailingOnes(build, build.GroupSum(ones, AsInt64(build, ids), AsInt64(build, count)),
                          rank - 1);
}

// The mean of each group. Integers are divided toward zero, and a group without rows is 0.
Expr MeanOfGroups(OpBuilder& build, const Operand& data, const Expr& ids, const Expr& count) {
  if (!IsInteger(TensorDType(data))) return build.GroupMean(data, ids, count);
  SIGNET_ASSIGN_OR_RETURN(int rank, TensorRank(data));
  Expr sum = build.GroupSum(data, ids, count);
  Expr rows = build.Maximum(GroupCounts(build, ids, count, rank), 1);
  Expr number = CastTo(build, rows, TensorDType(data));
  return build.Floordiv(build.Sub(sum, build.Mod(sum, number, {.truncated = true})), number);
}

// Adds up rows by segment, or combines them in another way. Segments without rows are `otherwise`.
Expr CombineGroups(OpBuilder& build, std::string_view how, const Operand& data,
                   const Operand& groups, const Operand& count) {
  Expr ids = AsInt64(build, groups);
  Expr number = AsInt64(build, count);
  if (how == "Sum") return build.GroupSum(data, ids, number);
  if (how == "Prod") return build.GroupProd(data, ids, number);
  if (how == "Mean") return MeanOfGroups(build, data, ids, number);
  if (how == "Max") return build.GroupMax(data, ids, number);
  return build.GroupMin(data, ids, number);
}

// Returns the number of segments: the last id plus 1, or 0.
Expr NumSegments(OpBuilder& build, const Operand& ids) {
  Expr minus_one = build.AsExpr(build.Constant(Tensor::Of<int64_t>({1}, {-1})));
  return build.Add(build.ReduceMax(build.Concat({AsInt64(build, ids), minus_one}, {.axis = 0})), 1);
}

Status CheckSorted(OpBuilder& build, const GraphValue& ids) {
  Expr all = AsInt64(build, ids);
  Expr first = build.Slice(all, {.starts = {0}, .limits = {-1}, .axes = {0}});
  Expr second = build.Slice(all, {.starts = {1}, .limits = {INT64_MAX}, .axes = {0}});
  SIGNET_RETURN_IF_ERROR(
      CheckCondition(build, build.ReduceAll(build.LessEqual(first, second)),
                     InvalidArgument("expected segment ids in ascending order")));
  return CheckCondition(build, build.ReduceAll(build.GreaterEqual(all, 0)),
                        InvalidArgument("expected segment ids of at least 0"));
}

TfOutputs ExpandSegment(OpBuilder& build, const OpCall& call, TfInputs in) {
  const std::string how = call.op.name.substr(std::string_view("tf.Segment").size());
  SIGNET_RETURN_IF_ERROR(CheckSorted(build, in[1]));
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(in, 0));
  Expr count = NumSegments(build, in[1]);
  Expr out = CombineGroups(build, how, in[0], in[1], count);
  if (how == "Sum" || how == "Prod") return out;
  Expr is_empty = build.Equal(GroupCounts(build, in[1], count, rank), 0);
  return build.Select(is_empty, Zero(build, DTypeAt(in, 0)), out);
}

TfOutputs ExpandUnsortedSegment(OpBuilder& build, const OpCall& call, TfInputs in) {
  const std::string how = call.op.name.substr(std::string_view("tf.UnsortedSegment").size());
  SIGNET_ASSIGN_OR_RETURN(int own, RankAt(in, 0));
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(in, 1));
  if (own < rank) return InvalidArgument("expected data of at least the rank of the ids");
  Expr count = AsScalar(build, AsInt64(build, in[2]));
  Expr ids = AsInt64(build, in[1]);
  Expr data = build.AsExpr(in[0]);
  if (rank != 1) {
    ids = build.Reshape(ids, {.shape = {-1}});
    std::vector<Operand> dims = {Operand(Int64Constant(build, -1))};
    for (int axis = rank; axis < own; ++axis) dims.push_back(DimSize(build, in[0], axis));
    data = build.Reshape(in[0], StackScalars(build, dims));
  }
  SIGNET_RETURN_IF_ERROR(CheckCondition(build, build.ReduceAll(build.Less(ids, count)),
                                        InvalidArgument("expected ids below `num_segments`")));
  // Rows with ids below 0 go to one more group, which is removed.
  Expr groups = build.Select(build.Less(ids, 0), count, ids);
  Expr more = build.Add(count, 1);
  Expr out = CombineGroups(build, how, data, groups, more);
  if (how == "Max" || how == "Min") {
    SIGNET_ASSIGN_OR_RETURN(int data_rank, TensorRank(data));
    SIGNET_ASSIGN_OR_RETURN(GraphValue extreme, ExtremeNumber(build, DTypeAt(in, 0), how == "Max"));
    out = build.Select(build.Equal(GroupCounts(build, groups, more, data_rank), 0), extreme, out);
  }
  return build.Slice(out, build.Constant(Tensor::Of<int64_t>({1}, {0})),
                     build.Reshape(count, {.shape = {1}}),
                     build.Constant(Tensor::Of<int64_t>({1}, {0})));
}

TfOutputs ExpandSparseSegment(OpBuilder& build, const OpCall& call, TfInputs in) {
  std::string how = call.op.name.substr(std::string_view("tf.SparseSegment").size());
  const bool has_count = how.ends_with("WithNumSegments");
  if (has_count) how.resize(how.size() - std::string_view("WithNumSegments").size());
  SIGNET_RETURN_IF_ERROR(CheckSorted(build, in[2]));
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(in, 0));
  Expr count = has_count ? AsScalar(build, AsInt64(build, in[3])) : NumSegments(build, in[2]);
  Expr rows = build.Gather(in[0], in[1], {.axis = 0});
  Expr sum = build.GroupSum(rows, AsInt64(build, in[2]), count);
  if (how == "Sum") return sum;
  Expr number =
      CastTo(build, build.Maximum(GroupCounts(build, in[2], count, rank), 1), DTypeAt(in, 0));
  return build.Div(sum, how == "Mean" ? number : build.Sqrt(number));
}

}  // namespace

std::vector<OpDef> TfReductionOps() {
  std::vector<OpDef> ops;
  auto add = [&](std::string name, const char* summary, std::vector<std::string> inputs,
                 std::vector<AttributeDef> attributes, ExpandFn expand) {
    ops.push_back(TfOp(name, summary, std::move(inputs), std::move(attributes), expand));
  };
  for (const char* name : {"Sum", "Mean", "Max", "Min", "Prod", "All", "Any", "EuclideanNorm"}) {
    add(name, "Combines elements along axes", {"input", "reduction_indices"},
        {{"keep_dims", AttributeOf(false)}}, ExpandReduction);
  }
  for (const char* name : {"ArgMax", "ArgMin"}) {
    add(name, "Finds the position of an extreme element", {"input", "dimension"},
        {{"output_type", AttributeOf(DType::kInt64)}}, ExpandArg);
  }
  add("L2Loss", "Computes half the sum of squares", {"t"}, {}, ExpandL2Loss);
  for (const char* how : {"Sum", "Mean", "Prod", "Max", "Min"}) {
    add(Cat("Segment", how), "Combines the rows of segments", {"data", "segment_ids"}, {},
        ExpandSegment);
    if (std::string_view(how) == "Mean") continue;
    add(Cat("UnsortedSegment", how), "Combines the rows of groups",
        {"data", "segment_ids", "num_segments"}, {}, ExpandUnsortedSegment);
  }
  for (const char* how : {"Sum", "Mean", "SqrtN"}) {
    add(Cat("SparseSegment", how), "Combines selected rows by segments",
        {"data", "indices", "segment_ids"}, {}, ExpandSparseSegment);
    add(Cat("SparseSegment", how, "WithNumSegments"), "Combines selected rows by segments",
        {"data", "indices", "segment_ids", "num_segments"}, {}, ExpandSparseSegment);
  }
  return ops;
}

}  // namespace signet
