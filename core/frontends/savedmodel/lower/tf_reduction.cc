// Operators that combine elements along axes, or by segments.

#include <algorithm>
#include <limits>

#include "core/frontends/savedmodel/lower/tf_op.h"

namespace signet {
namespace {

TfOutputs ExpandReduction(OpBuilder& build, const OpCall& call, TfInputs in) {
  const std::string_view name = std::string_view(call.op.name).substr(3);
  SIGNET_ASSIGN_OR_RETURN(bool keep, call.attributes.Bool("keep_dims"));
  SIGNET_ASSIGN_OR_RETURN(auto axes, FindInts(build, call, in, 1));
  if (name == "EuclideanNorm") {
    return build.Sqrt(build.ReduceSum(build.Square(in[0]),
                                      {.axes = axes, .keepdims = keep, .empty_is_all = false}));
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

// Adds up rows by segment, or combines them in another way. Segments without rows are `otherwise`.
Expr CombineGroups(OpBuilder& build, std::string_view how, const Operand& data,
                   const Operand& groups, const Operand& count) {
  Expr ids = AsInt64(build, groups);
  Expr number = AsInt64(build, count);
  if (how == "Sum") return build.GroupSum(data, ids, number);
  if (how == "Prod") return build.GroupProd(data, ids, number);
  if (how == "Mean") return build.GroupMean(data, ids, number);
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

// The number of rows of each group, as a column for data of `rank` dimensions.
Expr GroupCounts(OpBuilder& build, const Operand& ids, const Operand& count, int rank) {
  Expr ones = build.OnesLike(AsInt64(build, ids));
  return WithTrailingOnes(build, build.GroupSum(ones, AsInt64(build, ids), AsInt64(build, count)),
                          rank - 1);
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

// The extreme finite number, which groups without rows have.
StatusOr<GraphValue> Extreme(OpBuilder& build, DType dtype, bool is_lowest) {
  return VisitDType(dtype, [&]<class T>(TypeTag<T>) -> StatusOr<GraphValue> {
    if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
      return build.Constant(Tensor::Scalar(is_lowest ? std::numeric_limits<T>::lowest()
                                                     : std::numeric_limits<T>::max()));
    } else {
      return Unimplemented("unsupported dtype `", NameOf(dtype), "`");
    }
  });
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
    SIGNET_ASSIGN_OR_RETURN(GraphValue extreme, Extreme(build, DTypeAt(in, 0), how == "Max"));
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

// Counts values, or adds up their weights.
TfOutputs ExpandBincount(OpBuilder& build, const OpCall& call, TfInputs in) {
  const bool is_old = call.op.name == "tf.Bincount";
  bool binary = false;
  if (!is_old) {
    SIGNET_ASSIGN_OR_RETURN(binary, call.attributes.Bool("binary_output"));
  }
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(in, 0));
  if (!is_old && rank > 2) return InvalidArgument("expected rank 1 or 2, found `", in[0].spec, "`");
  const DType dtype = DTypeAt(in, 2);
  Expr size = AsScalar(build, AsInt64(build, in[1]));
  Expr values = AsInt64(build, in[0]);
  SIGNET_RETURN_IF_ERROR(CheckCondition(build, build.ReduceAll(build.GreaterEqual(values, 0)),
                                        InvalidArgument("expected values of at least 0")));
  Expr rows = build.AsExpr(Int64Constant(build, 1));
  Expr bins = values;
  const bool is_batch = rank == 2 && !is_old;
  Expr inside = build.Less(values, size);
  if (is_batch) {
    rows = DimSize(build, in[0], 0);
    Expr row = build.ExpandDims(build.Range({rows}), {.axis = 1});
    bins = build.Add(values, build.Mul(row, size));
  }
  Expr total = build.Mul(rows, size);
  bins = build.Reshape(build.Select(inside, bins, total), {.shape = {-1}});
  const auto num_weights = in[2].spec.shape()->num_elements();
  const bool has_weights = !binary && !(num_weights && *num_weights == 0);
  if (has_weights && !num_weights) {
    return Unimplemented("`weights`: expected a known number, found `", in[2].spec, "`");
  }
  Expr weights = has_weights ? build.Reshape(in[2], {.shape = {-1}})
                             : CastTo(build, build.OnesLike(bins), dtype);
  Expr sums = build.GroupSum(weights, bins, build.Add(total, 1));
  if (binary) {
    sums = CastTo(build, build.NotEqual(sums, Zero(build, dtype)), dtype);
  }
  Expr zero = build.AsExpr(Ints(build, std::vector<int64_t>{0}));
  Expr counts = build.Slice(sums, zero, build.Reshape(total, {.shape = {1}}), zero);
  if (!is_batch) return counts;
  return ReshapeTo(build, counts, {rows, size});
}

TfOutputs ExpandBucketize(OpBuilder& build, const OpCall& call, TfInputs in) {
  const TypeSpec list = call.attributes.Lookup("boundaries");
  std::vector<float> boundaries;
  for (const TypeSpec& item : list.children()) {
    const Literal* number = LookupLiteral(item);
    if (number == nullptr) return InvalidArgument("`boundaries`: expected numbers");
    Attributes one({{"x", item}});
    SIGNET_ASSIGN_OR_RETURN(double value, one.Float("x"));
    boundaries.push_back(static_cast<float>(value));
  }
  // How many boundaries are at most x.
  Expr x = build.ExpandDims(CastTo(build, in[0], DType::kFloat32), {.axis = -1});
  GraphValue edges = build.Constant(Tensor::Of<float>({static_cast<int64_t>(boundaries.size())},
                                                      std::span<const float>(boundaries)));
  Expr reached = CastTo(build, build.LessEqual(edges, x), DType::kInt32);
  return build.ReduceSum(reached, {.axes = {-1}});
}

TfOutputs ExpandTreeBucketize(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(int64_t count, call.attributes.Int("num_features"));
  if (count < 0 || in.size() != 2 * static_cast<size_t>(count)) {
    return InvalidArgument("expected ", count, " values and as many boundaries, found ", in.size(),
                           " inputs");
  }
  std::vector<GraphValue> out;
  for (size_t i = 0; i < static_cast<size_t>(count); ++i) {
    const GraphValue& edges = in[static_cast<size_t>(count) + i];
    // How many boundaries are less than x, at most their number minus 1.
    Expr x = build.ExpandDims(in[i], {.axis = -1});
    Expr below =
        build.ReduceSum(CastTo(build, build.Less(edges, x), DType::kInt32), {.axes = {-1}});
    Expr most =
        CastTo(build, build.Sub(build.Maximum(DimSize(build, edges, 0), 1), 1), DType::kInt32);
    SIGNET_ASSIGN_OR_RETURN(out.emplace_back(), build.Minimum(below, most));
  }
  return out;
}

TfOutputs ExpandBound(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(DType dtype, TfDType(call, "out_type"));
  Expr sorted = build.ExpandDims(in[0], {.axis = 1});
  Expr values = build.ExpandDims(in[1], {.axis = 2});
  Expr before = call.op.name == "tf.LowerBound" ? build.Less(sorted, values)
                                                : build.LessEqual(sorted, values);
  return build.ReduceSum(CastTo(build, before, dtype), {.axes = {-1}});
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
  add("Bincount", "Counts values", {"arr", "size", "weights"}, {}, ExpandBincount);
  add("DenseBincount", "Counts values, in each row", {"input", "size", "weights"},
      {{"binary_output", AttributeOf(false)}}, ExpandBincount);
  add("Bucketize", "Finds the range that contains each number", {"input"}, {{"boundaries"}},
      ExpandBucketize);
  add("BoostedTreesBucketize", "Finds the bucket of each number", {"values_and_boundaries..."},
      {{"num_features"}}, ExpandTreeBucketize);
  for (const char* name : {"LowerBound", "UpperBound"}) {
    add(name, "Finds the position of values in sorted rows", {"sorted_inputs", "values"},
        {{"out_type", AttributeOf(DType::kInt32)}}, ExpandBound);
  }
  return ops;
}

}  // namespace signet
