// Operators on features of recommenders: crosses, and counts of values in rows.

#include <algorithm>
#include <limits>

#include "core/frontends/savedmodel/lower/tf_op.h"
#include "core/ops/def/attribute_list.h"

namespace signet {
namespace {

// The values of one feature of a cross, and their row splits.
struct CrossedFeature {
  Expr values;
  Expr splits;
};

// FingerprintCat64: joins two hashes.
Expr JoinHashes(OpBuilder& build, const Operand& first, const Operand& second) {
  auto number = [&](uint64_t value) { return build.Constant(Tensor::Scalar(value)); };
  const GraphValue factor = number(0xc6a4a7935bd1e995);
  auto shifted = [&](const Expr& x) {
    return build.BitwiseXor(x, build.ShiftRight(x, number(47)));
  };
  Expr own = build.Mul(shifted(build.Mul(second, factor)), factor);
  Expr out = build.Mul(build.BitwiseXor(build.BitwiseXor(first, factor), own), factor);
  out = build.Mul(shifted(out), factor);
  return shifted(out);
}

Expr AsUInt64(OpBuilder& build, const Operand& x) {
  return build.Bitcast(AsInt64(build, x), {.dtype = DType::kUInt64});
}

// Reads the features of SparseCross: `sparse` features as lists of indices, values, and shapes, and
// then dense matrices.
StatusOr<std::vector<CrossedFeature>> CrossedFeatures(OpBuilder& build, TfInputs in,
                                                      size_t sparse) {
  std::vector<CrossedFeature> out;
  Operand rows;
  for (size_t i = 0; i < sparse; ++i) {
    Expr shape = AsInt64(build, in[2 * sparse + i]);
    Expr count = build.Gather(shape, Int64Constant(build, 0), {.axis = 0});
    if (!rows.passed()) rows = count;
    Expr row = build.Gather(AsInt64(build, in[i]), Int64Constant(build, 0), {.axis = 1});
    out.push_back({build.AsExpr(in[sparse + i]), build.RowSplitsFromRowIds(row, count)});
  }
  for (size_t i = 3 * sparse; i < in.size(); ++i) {
    SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(in, i));
    if (rank != 2) return InvalidArgument("expected matrices, found `", in[i].spec, "`");
    Expr count = DimSize(build, in[i], 0);
    out.push_back({build.Reshape(in[i], {.shape = {-1}}),
                   build.UniformRowSplits(count, DimSize(build, in[i], 1))});
  }
  if (out.empty()) return InvalidArgument("expected at least one feature");
  return out;
}

TfOutputs ExpandSparseCross(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(int64_t count, call.attributes.Int("N"));
  const bool is_old = call.op.name == "tf.SparseCross";
  // SparseCrossV2 has a separator after the features.
  const size_t extra = is_old ? 0 : 1;
  if (count < 0 || count > 4096 || in.size() < 3 * static_cast<size_t>(count) + extra) {
    return InvalidArgument("expected 3 inputs per sparse feature, found ", in.size(), " inputs");
  }
  bool hashes = false;
  int64_t buckets = 0;
  int64_t key = 0;
  std::string separator = "_X_";
  if (is_old) {
    SIGNET_ASSIGN_OR_RETURN(hashes, call.attributes.Bool("hashed_output"));
    SIGNET_ASSIGN_OR_RETURN(buckets, call.attributes.Int("num_buckets"));
    SIGNET_ASSIGN_OR_RETURN(key, call.attributes.Int("hash_key"));
    if (buckets < 0) return InvalidArgument("`num_buckets`: expected at least 0");
  } else {
    SIGNET_ASSIGN_OR_RETURN(separator, FindText(build, call, in, in.size() - 1));
  }
  SIGNET_ASSIGN_OR_RETURN(auto features, CrossedFeatures(build, in.first(in.size() - extra),
                                                         static_cast<size_t>(count)));
  std::vector<Operand> all_splits;
  for (const CrossedFeature& feature : features) all_splits.push_back(feature.splits);
  auto crossed = build.CrossRows(Operands(all_splits));
  SIGNET_RETURN_IF_ERROR(crossed.status());
  Operand out;
  if (hashes) out = build.Constant(Tensor::Scalar(static_cast<uint64_t>(key)));
  for (size_t i = 0; i < features.size(); ++i) {
    Expr values = build.Gather(features[i].values, (*crossed)[i + 1], {.axis = 0});
    const bool is_text = TensorDType(values) == DType::kString;
    if (hashes) {
      // Numbers stand for themselves.
      out = JoinHashes(build, out,
                       is_text ? build.CallOne(std::string_view("string_fingerprint"), {values})
                               : AsUInt64(build, values));
      continue;
    }
    Expr text = is_text ? values : build.CallOne(std::string_view("tf.AsString"), {values});
    out = out.passed() ? build.StringConcat(out, text, {.separator = separator}) : text;
  }
  if (hashes) {
    const uint64_t modulus = buckets > 0
                                 ? static_cast<uint64_t>(buckets)
                                 : static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
    out = AsInt64(build, build.Mod(out, build.Constant(Tensor::Scalar(modulus))));
  }
  // The crosses of each row, as the entries of a sparse matrix.
  const GraphValue& splits = (*crossed)[0];
  Expr rows = build.SegmentIds(splits);
  Expr places = build.Range({DimSize(build, rows, 0)});
  Expr columns = build.Sub(places, build.Gather(splits, rows, {.axis = 0}));
  Expr lengths = build.RowLengths(splits);
  Expr zero = build.AsExpr(Ints(build, std::vector<int64_t>{0}));
  Expr longest = build.ReduceMax(build.Concat({lengths, zero}, {.axis = 0}));
  return AllOf({build.Stack({rows, columns}, {.axis = 1}), out,
                build.Stack({build.NumRows(splits), longest})});
}

// DenseCountSparseOutput and the same of sparse and ragged values: the number of times that each
// value occurs in each row, without those that do not occur.
TfOutputs ExpandCountSparse(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(int64_t least, call.attributes.Int("minlength"));
  SIGNET_ASSIGN_OR_RETURN(int64_t most, call.attributes.Int("maxlength"));
  SIGNET_ASSIGN_OR_RETURN(bool binary, call.attributes.Bool("binary_output"));
  const std::string_view name = std::string_view(call.op.name).substr(3);
  Operand values = in[0];
  Operand rows;
  Operand num_rows;
  if (name.starts_with("Ragged")) {
    Expr splits = AsInt64(build, in[0]);
    values = in[1];
    rows = build.SegmentIds(splits);
    num_rows = build.NumRows(splits);
  } else if (name.starts_with("Sparse")) {
    int64_t rank = KnownSize(in[2], 0);
    if (rank == kUnknownDim) rank = KnownSize(in[0], 1);
    if (rank != 1 && rank != 2) {
      return Unimplemented("`dense_shape`: expected one or two sizes that are known");
    }
    values = in[1];
    if (rank == 2) {
      rows = build.Gather(AsInt64(build, in[0]), Int64Constant(build, 0), {.axis = 1});
      num_rows = build.Gather(AsInt64(build, in[2]), Int64Constant(build, 0), {.axis = 0});
    }
  } else {
    SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(in, 0));
    if (rank != 1 && rank != 2) return InvalidArgument("expected rank 1 or 2");
    if (rank == 2) {
      num_rows = DimSize(build, in[0], 0);
      Expr row = build.ExpandDims(build.Range({num_rows}), {.axis = 1});
      rows = build.Reshape(build.Add(row, build.ZerosLike(AsInt64(build, in[0]))), {.shape = {-1}});
      values = build.Reshape(in[0], {.shape = {-1}});
    }
  }
  Expr all = AsInt64(build, values);
  SIGNET_RETURN_IF_ERROR(CheckCondition(build, build.ReduceAll(build.GreaterEqual(all, 0)),
                                        InvalidArgument("expected values of at least 0")));
  Expr minus = build.AsExpr(Ints(build, std::vector<int64_t>{-1}));
  Expr size = build.AsExpr(Int64Constant(build, most));
  if (most <= 0) {
    Expr seen = build.Add(build.ReduceMax(build.Concat({all, minus}, {.axis = 0})), 1);
    size = build.Maximum(seen, std::max<int64_t>(least, 0));
  }
  // One number per row and value, so that equal ones are found; values that are too large are left
  // out.
  Expr keep = build.Less(all, size);
  Expr places = rows.passed() ? build.Add(all, build.Mul(rows, size)) : all;
  const GraphValue& weights = in.back();
  Expr count = DimSize(build, all, 0);
  Expr one =
      CastTo(build, build.Constant(Tensor::Of<int32_t>({1}, {1})), DTypeAt(in, in.size() - 1));
  Expr flat = build.Reshape(weights, {.shape = {-1}});
  Expr num_weights = DimSize(build, flat, 0);
  Expr at = build.Range({count});
  Expr amounts =
      build.Gather(build.Concat({flat, one}, {.axis = 0}),
                   build.Select(build.Equal(num_weights, 0), build.ZerosLike(at), at), {.axis = 0});
  auto found = build.Unique(build.BooleanMask(places, keep), {.sorted = true});
  SIGNET_RETURN_IF_ERROR(found.status());
  Expr sums =
      build.GroupSum(build.BooleanMask(amounts, keep), (*found)[2], DimSize(build, (*found)[0], 0));
  if (binary) sums = build.OnesLike(sums);
  if (!rows.passed()) {
    return AllOf(
        {build.ExpandDims((*found)[0], {.axis = 1}), sums, build.Reshape(size, {.shape = {1}})});
  }
  Expr shape = build.Stack({num_rows, size});
  return AllOf({build.UnravelIndices((*found)[0], build.Maximum(shape, 1)), sums, shape});
}

TfOutputs ExpandRaggedFillEmptyRows(OpBuilder& build, const OpCall&, TfInputs in) {
  Expr ids = AsInt64(build, in[0]);
  Expr rows = AsScalar(build, AsInt64(build, in[2]));
  Expr counts = build.GroupSum(build.OnesLike(ids), ids, rows);
  Expr is_empty = build.Equal(counts, 0);
  Expr empty = build.Gather(build.WhereIndices(is_empty), Int64Constant(build, 0), {.axis = 1});
  Expr defaults = build.BroadcastTo(AsScalar(build, in[3]),
                                    build.Reshape(DimSize(build, empty, 0), {.shape = {1}}));
  Expr all_ids = build.Concat({ids, empty}, {.axis = 0});
  auto order = build.GroupOrder(all_ids, rows);
  SIGNET_RETURN_IF_ERROR(order.status());
  Expr from = build.AsExpr((*order)[1]);
  Expr places = build.ScatterNd(build.ZerosLike(from), build.ExpandDims(from, {.axis = 1}),
                                build.Range({DimSize(build, from, 0)}));
  Expr zero = build.AsExpr(Ints(build, std::vector<int64_t>{0}));
  Expr reverse =
      build.Slice(places, zero, build.Reshape(DimSize(build, ids, 0), {.shape = {1}}), zero);
  return AllOf({build.Gather(all_ids, from, {.axis = 0}),
                build.Gather(build.Concat({in[1], defaults}, {.axis = 0}), from, {.axis = 0}),
                is_empty, reverse});
}

}  // namespace

std::vector<OpDef> TfFeatureOps() {
  std::vector<OpDef> ops;
  auto add = [&](const char* name, const char* summary, std::vector<std::string> inputs,
                 std::vector<AttributeDef> attributes, ExpandFn expand) {
    ops.push_back(TfOp(name, summary, std::move(inputs), std::move(attributes), expand));
  };
  add("SparseCross", "Combines the features of each row in all ways",
      {"indices_values_shapes_dense..."},
      {{"N", AttributeOf(0)},
       {"hashed_output"},
       {"num_buckets", AttributeOf(0)},
       {"hash_key", AttributeOf(0)}},
      ExpandSparseCross);
  add("SparseCrossV2", "Combines the features of each row in all ways",
      {"indices_values_shapes_dense_sep..."}, {{"N", AttributeOf(0)}}, ExpandSparseCross);
  const std::vector<AttributeDef> count = {{"minlength", AttributeOf(-1)},
                                           {"maxlength", AttributeOf(-1)},
                                           {"binary_output", AttributeOf(false)}};
  const char* summary = "Counts the values that occur in each row";
  add("DenseCountSparseOutput", summary, {"values", "weights"}, count, ExpandCountSparse);
  add("SparseCountSparseOutput", summary, {"indices", "values", "dense_shape", "weights"}, count,
      ExpandCountSparse);
  add("RaggedCountSparseOutput", summary, {"splits", "values", "weights"}, count,
      ExpandCountSparse);
  add("RaggedFillEmptyRows", "Adds a value to each empty row",
      {"value_rowids", "values", "nrows", "default_value"}, {}, ExpandRaggedFillEmptyRows);
  return ops;
}

}  // namespace signet
