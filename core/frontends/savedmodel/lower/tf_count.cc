// Operators that count values, or find the range that contains each value.

#include "core/frontends/savedmodel/lower/tf_op.h"
#include "core/ops/def/attribute_list.h"

namespace signet {
namespace {

// Values to count: a vector, and the row of each of them if the result has rows.
struct CountedValues {
  Expr values;
  Operand rows = {};
  Operand num_rows = {};
};

// Counts the values 0 to before `size`, or adds up their weights. Without weights, each value
// counts as 1; with `is_binary`, the result is 1 for each value that occurs.
Expr CountValues(OpBuilder& build, const CountedValues& counted, const GraphValue& size_input,
                 const GraphValue& weights, bool is_binary) {
  const DType dtype = TensorDType(Operand(weights));
  Expr size = AsScalar(build, AsInt64(build, size_input));
  Expr values = AsInt64(build, counted.values);
  Status status = CheckCondition(build, build.ReduceAll(build.GreaterEqual(values, 0)),
                                 InvalidArgument("expected values of at least 0"));
  if (!status.ok()) return status;
  Expr bins = values;
  Expr total = size;
  if (counted.rows.passed()) {
    bins = build.Add(values, build.Mul(counted.rows, size));
    total = build.Mul(counted.num_rows, size);
  }
  // Values that are too large go to one more bin, which is removed.
  bins = build.Select(build.Less(values, size), bins, total);
  Expr amounts = CastTo(build, build.OnesLike(bins), dtype);
  if (!is_binary) {
    // If there are no weights, each value finds the 1 that follows them.
    Expr given = build.Reshape(weights, {.shape = {-1}});
    Expr one = CastTo(build, build.Constant(Tensor::Of<int32_t>({1}, {1})), dtype);
    Expr number = DimSize(build, given, 0);
    Expr places = build.Range({DimSize(build, values, 0)});
    status = CheckCondition(
        build,
        build.LogicalOr(build.Equal(number, 0), build.Equal(number, DimSize(build, values, 0))),
        InvalidArgument("`weights`: expected one per value, or none"));
    if (!status.ok()) return status;
    amounts = build.Gather(build.Concat({given, one}, {.axis = 0}),
                           build.Select(build.Equal(number, 0), build.ZerosLike(places), places),
                           {.axis = 0});
  }
  Expr sums = build.GroupSum(amounts, bins, build.Add(total, 1));
  if (is_binary) sums = CastTo(build, build.NotEqual(sums, Zero(build, dtype)), dtype);
  Expr zero = build.AsExpr(Ints(build, std::vector<int64_t>{0}));
  Expr counts = build.Slice(sums, zero, build.Reshape(total, {.shape = {1}}), zero);
  if (!counted.rows.passed()) return counts;
  return ReshapeTo(build, counts, {counted.num_rows, size});
}

// The number of the row of each element of a matrix.
Expr RowNumbers(OpBuilder& build, const GraphValue& matrix, const Expr& rows) {
  Expr row = build.ExpandDims(build.Range({rows}), {.axis = 1});
  Expr all = build.Add(row, build.ZerosLike(AsInt64(build, matrix)));
  return build.Reshape(all, {.shape = {-1}});
}

TfOutputs ExpandBincount(OpBuilder& build, const OpCall& call, TfInputs in) {
  const bool is_old = call.op.name == "tf.Bincount";
  bool binary = false;
  if (!is_old) {
    SIGNET_ASSIGN_OR_RETURN(binary, call.attributes.Bool("binary_output"));
  }
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(in, 0));
  if (!is_old && rank > 2) return InvalidArgument("expected rank 1 or 2, found `", in[0].spec, "`");
  CountedValues counted{.values = build.Reshape(in[0], {.shape = {-1}})};
  if (rank == 2 && !is_old) {
    Expr rows = DimSize(build, in[0], 0);
    counted.rows = RowNumbers(build, in[0], rows);
    counted.num_rows = rows;
  }
  return CountValues(build, counted, in[1], in[2], binary);
}

TfOutputs ExpandRaggedBincount(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(bool binary, call.attributes.Bool("binary_output"));
  Expr splits = AsInt64(build, in[0]);
  CountedValues counted{.values = build.AsExpr(in[1]),
                        .rows = build.SegmentIds(splits),
                        .num_rows = build.NumRows(splits)};
  return CountValues(build, counted, in[2], in[3], binary);
}

TfOutputs ExpandSparseBincount(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(bool binary, call.attributes.Bool("binary_output"));
  // The dense shape has the dimensions of the counted value.
  int64_t rank = KnownSize(in[2], 0);
  if (rank == kUnknownDim) rank = KnownSize(in[0], 1);
  if (rank == kUnknownDim) return Unimplemented("`dense_shape`: expected a known number of sizes");
  if (rank != 1 && rank != 2) {
    return InvalidArgument("`dense_shape`: expected one or two sizes, found ", rank);
  }
  CountedValues counted{.values = build.AsExpr(in[1])};
  if (rank == 2) {
    counted.rows = build.Gather(AsInt64(build, in[0]), Int64Constant(build, 0), {.axis = 1});
    counted.num_rows = build.Gather(AsInt64(build, in[2]), Int64Constant(build, 0), {.axis = 0});
  }
  return CountValues(build, counted, in[3], in[4], binary);
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
  // How many boundaries are at most x. The boundaries are float32, and so are integers.
  GraphValue edges = build.Constant(Tensor::Of<float>({static_cast<int64_t>(boundaries.size())},
                                                      std::span<const float>(boundaries)));
  const DType dtype = DTypeAt(in, 0) == DType::kFloat64 ? DType::kFloat64 : DType::kFloat32;
  return CastTo(build, build.Bucketize(CastTo(build, in[0], dtype), edges), DType::kInt32);
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

// Evaluates trees. The features are vectors, or matrices; the columns of them that the trees use
// are the columns of one matrix.
TfOutputs ExpandTreePredict(OpBuilder& build, const OpCall& call, TfInputs in) {
  constexpr size_t kFirst = 5;  // feature
  SIGNET_ASSIGN_OR_RETURN(auto features, call.attributes.Ints("features"));
  SIGNET_ASSIGN_OR_RETURN(auto dimensions, call.attributes.Ints("dimensions"));
  if (in.size() <= kFirst) return InvalidArgument("expected at least one feature");
  if (features.size() != dimensions.size()) {
    return InvalidArgument("expected one dimension per feature");
  }
  if (features.empty()) features = dimensions = {0};  // trees without questions have rows, too
  std::vector<Operand> columns;
  for (size_t i = 0; i < features.size(); ++i) {
    if (features[i] < 0 || static_cast<size_t>(features[i]) >= in.size() - kFirst) {
      return InvalidArgument("expected a feature from 0 to ", in.size() - kFirst - 1, ", found ",
                             features[i]);
    }
    const GraphValue& feature = in[kFirst + static_cast<size_t>(features[i])];
    SIGNET_ASSIGN_OR_RETURN(int rank, TensorRank(feature));
    if (rank != 1 && rank != 2) {
      return InvalidArgument("expected features that are vectors or matrices, found `",
                             feature.spec, "`");
    }
    Expr matrix = rank == 2 ? build.AsExpr(feature) : build.ExpandDims(feature, {.axis = 1});
    columns.push_back(build.Gather(matrix, Int64Constant(build, dimensions[i]), {.axis = 1}));
  }
  Expr x = CastTo(build, build.Stack(columns, {.axis = 1}), DType::kFloat32);
  return build.TreeEnsemble(x, in[0], in[1], in[2], in[3], in[4],
                            {.num_targets = call.attributes.Lookup("logits_dimension")});
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

std::vector<OpDef> TfCountOps() {
  std::vector<OpDef> ops;
  auto add = [&](const char* name, const char* summary, std::vector<std::string> inputs,
                 std::vector<AttributeDef> attributes, ExpandFn expand) {
    ops.push_back(TfOp(name, summary, std::move(inputs), std::move(attributes), expand));
  };
  add("Bincount", "Counts values", {"arr", "size", "weights"}, {}, ExpandBincount);
  add("DenseBincount", "Counts values, in each row", {"input", "size", "weights"},
      {{"binary_output", AttributeOf(false)}}, ExpandBincount);
  add("Bucketize", "Finds the range that contains each number", {"input"}, {{"boundaries"}},
      ExpandBucketize);
  add("BoostedTreesBucketize", "Finds the bucket of each number", {"values_and_boundaries..."},
      {{"num_features"}}, ExpandTreeBucketize);
  add("BoostedTreesPredict", "Evaluates decision trees",
      {"nodes", "thresholds", "roots", "targets", "weights", "bucketized_features..."},
      {{"features"}, {"dimensions"}, {"logits_dimension", AttributeOf(1)}}, ExpandTreePredict);
  for (const char* name : {"LowerBound", "UpperBound"}) {
    add(name, "Finds the position of values in sorted rows", {"sorted_inputs", "values"},
        {{"out_type", AttributeOf(DType::kInt32)}}, ExpandBound);
  }
  const AttributeDef binary = {"binary_output", AttributeOf(false)};
  add("RaggedBincount", "Counts values in each row", {"splits", "values", "size", "weights"},
      {binary}, ExpandRaggedBincount);
  add("SparseBincount", "Counts values in each row",
      {"indices", "values", "dense_shape", "size", "weights"}, {binary}, ExpandSparseBincount);
  return ops;
}

}  // namespace signet
