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

// A sparse matrix as a feature.
CrossedFeature CrossedSparseMatrix(OpBuilder& build, const GraphValue& indices,
                                   const GraphValue& values, const GraphValue& shape) {
  Expr count = build.Gather(AsInt64(build, shape), Int64Constant(build, 0), {.axis = 0});
  Expr row = build.Gather(AsInt64(build, indices), Int64Constant(build, 0), {.axis = 1});
  return {build.AsExpr(values), build.RowSplitsFromRowIds(row, count)};
}

StatusOr<CrossedFeature> CrossedMatrix(OpBuilder& build, TfInputs in, size_t i) {
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(in, i));
  if (rank != 2) return InvalidArgument("expected matrices, found `", in[i].spec, "`");
  Expr count = DimSize(build, in[i], 0);
  return CrossedFeature{build.Reshape(in[i], {.shape = {-1}}),
                        build.UniformRowSplits(count, DimSize(build, in[i], 1))};
}

// Reads the features of SparseCross: `sparse` features as lists of indices, values, and shapes, and
// then dense matrices.
StatusOr<std::vector<CrossedFeature>> CrossedFeatures(OpBuilder& build, TfInputs in,
                                                      size_t sparse) {
  std::vector<CrossedFeature> out;
  for (size_t i = 0; i < sparse; ++i) {
    out.push_back(CrossedSparseMatrix(build, in[i], in[sparse + i], in[2 * sparse + i]));
  }
  for (size_t i = 3 * sparse; i < in.size(); ++i) {
    SIGNET_ASSIGN_OR_RETURN(CrossedFeature feature, CrossedMatrix(build, in, i));
    out.push_back(std::move(feature));
  }
  return out;
}

bool IsText(const CrossedFeature& feature) { return TensorDType(feature.values) == DType::kString; }

// The hash of each value of a feature, where numbers stand for themselves.
Expr HashOf(OpBuilder& build, const CrossedFeature& feature) {
  return IsText(feature) ? build.StringFingerprint(feature.values)
                         : AsUInt64(build, feature.values);
}

Expr TextOf(OpBuilder& build, const CrossedFeature& feature) {
  return IsText(feature) ? feature.values
                         : build.CallOne(std::string_view("tf.AsString"), {feature.values});
}

// All combinations of the values of features, row by row.
struct Crosses {
  Expr splits;
  std::vector<Expr> values;  // of each feature, one per combination
};

StatusOr<Crosses> CrossesOf(OpBuilder& build, const std::vector<CrossedFeature>& features) {
  if (features.empty()) return InvalidArgument("expected at least one feature");
  std::vector<Operand> all_splits;
  for (const CrossedFeature& feature : features) all_splits.push_back(feature.splits);
  auto crossed = build.CrossRows(Operands(all_splits));
  SIGNET_RETURN_IF_ERROR(crossed.status());
  Crosses out{build.AsExpr((*crossed)[0]), {}};
  for (size_t i = 0; i < features.size(); ++i) {
    out.values.push_back(build.Gather(features[i].values, (*crossed)[i + 1], {.axis = 0}));
  }
  return out;
}

// Joins the hashes of each combination after `first`, and returns the number of a bucket. Without
// buckets, the numbers are less than the largest int64.
Expr JoinAllHashes(OpBuilder& build, Operand first, std::span<const Expr> hashes,
                   const Operand& buckets) {
  for (const Expr& hash : hashes) first = JoinHashes(build, first, hash);
  Expr modulus = build.Select(build.Greater(buckets, 0), buckets,
                              Int64Constant(build, std::numeric_limits<int64_t>::max()));
  return AsInt64(build, build.Mod(first, AsUInt64(build, modulus)));
}

Expr JoinAllTexts(OpBuilder& build, std::span<const Expr> texts, const std::string& separator) {
  Expr out = texts[0];
  for (const Expr& text : texts.subspan(1)) {
    out = build.StringConcat(out, text, {.separator = separator});
  }
  return out;
}

// Returns the entries of a sparse matrix with the crosses of each row.
TfOutputs SparseCrosses(OpBuilder& build, const Expr& splits, const Expr& values) {
  Expr rows = build.SegmentIds(splits);
  Expr places = build.Range({DimSize(build, rows, 0)});
  Expr columns = build.Sub(places, build.Gather(splits, rows, {.axis = 0}));
  Expr zero = build.AsExpr(Ints(build, std::vector<int64_t>{0}));
  Expr longest = build.ReduceMax(build.Concat({build.RowLengths(splits), zero}, {.axis = 0}));
  return AllOf({build.Stack({rows, columns}, {.axis = 1}), values,
                build.Stack({build.NumRows(splits), longest})});
}

// Joins the hashes or the texts of the features, with the attributes of SparseCross and
// RaggedCross.
StatusOr<std::pair<Expr, Expr>> CrossValues(OpBuilder& build, const OpCall& call, bool hashes,
                                            std::vector<CrossedFeature> features,
                                            const std::string& separator = "_X_") {
  for (CrossedFeature& feature : features) {
    feature.values = hashes ? HashOf(build, feature) : TextOf(build, feature);
  }
  SIGNET_ASSIGN_OR_RETURN(Crosses crosses, CrossesOf(build, features));
  if (!hashes) {
    return std::pair(crosses.splits, JoinAllTexts(build, crosses.values, separator));
  }
  SIGNET_ASSIGN_OR_RETURN(int64_t buckets, call.attributes.Int("num_buckets"));
  SIGNET_ASSIGN_OR_RETURN(int64_t key, call.attributes.Int("hash_key"));
  if (buckets < 0) return InvalidArgument("`num_buckets`: expected at least 0, found ", buckets);
  const GraphValue first = build.Constant(Tensor::Scalar(static_cast<uint64_t>(key)));
  return std::pair(crosses.splits,
                   JoinAllHashes(build, first, crosses.values, Int64Constant(build, buckets)));
}

// Returns the attribute `N`, with which there are at least 3 * N + `extra` inputs.
StatusOr<size_t> NumSparseFeatures(const OpCall& call, TfInputs in, size_t extra) {
  SIGNET_ASSIGN_OR_RETURN(int64_t count, call.attributes.Int("N"));
  if (count < 0 || count > 4096 || in.size() < 3 * static_cast<size_t>(count) + extra) {
    return InvalidArgument("expected 3 inputs per sparse feature, found ", in.size(), " inputs");
  }
  return static_cast<size_t>(count);
}

TfOutputs ExpandSparseCross(OpBuilder& build, const OpCall& call, TfInputs in) {
  // SparseCrossV2 has a separator after the features.
  const size_t extra = call.op.name == "tf.SparseCross" ? 0 : 1;
  SIGNET_ASSIGN_OR_RETURN(size_t count, NumSparseFeatures(call, in, extra));
  bool hashes = false;
  std::string separator = "_X_";
  if (extra == 0) {
    SIGNET_ASSIGN_OR_RETURN(hashes, call.attributes.Bool("hashed_output"));
  } else {
    SIGNET_ASSIGN_OR_RETURN(separator, FindText(build, call, in, in.size() - 1));
  }
  SIGNET_ASSIGN_OR_RETURN(auto features,
                          CrossedFeatures(build, in.first(in.size() - extra), count));
  SIGNET_ASSIGN_OR_RETURN(auto out,
                          CrossValues(build, call, hashes, std::move(features), separator));
  return SparseCrosses(build, out.first, out.second);
}

// Unlike SparseCross, only the low 32 bits of a number are hashed. There is one exception: a number
// of a dense feature stands for itself, unless the hash has a salt.
TfOutputs ExpandSparseCrossHashed(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(size_t count, NumSparseFeatures(call, in, 3));
  const size_t end = in.size() - 3;  // of the features
  SIGNET_RETURN_IF_ERROR(TensorAt(in, end + 1).status());
  const Tensor* strong = build.LookupConstant(in[end + 1].components[0]);
  if (strong == nullptr) return Unimplemented("`strong_hash`: expected a constant");
  if (strong->dtype() != DType::kBool || strong->num_elements() != 1) {
    return InvalidArgument("`strong_hash`: expected `bool[]`, found `", strong->spec(), "`");
  }
  const bool is_strong = strong->elements<bool>()[0];
  StringFingerprintAttributes hash;
  if (is_strong) {
    SIGNET_ASSIGN_OR_RETURN(auto salt, FindInts(build, call, in, end + 2));
    if (salt.size() != 2) {
      return InvalidArgument("`salt`: expected 2 numbers, found ", salt.size());
    }
    hash = {.method = "siphash", .key = salt};
  }
  SIGNET_ASSIGN_OR_RETURN(auto features, CrossedFeatures(build, in.first(end), count));
  for (size_t i = 0; i < features.size(); ++i) {
    CrossedFeature& feature = features[i];
    if (IsText(feature)) {
      feature.values = build.StringFingerprint(feature.values, hash);
    } else if (i >= count && !is_strong) {
      feature.values = AsUInt64(build, feature.values);
    } else {
      const GraphValue range = build.Constant(Tensor::Scalar(uint64_t{1} << 32));
      Expr low =
          build.Cast(build.Mod(AsUInt64(build, feature.values), range), {.dtype = DType::kUInt32});
      feature.values = build.StringFingerprint(low, hash);
    }
  }
  SIGNET_ASSIGN_OR_RETURN(Crosses crosses, CrossesOf(build, features));
  const std::span<const Expr> hashes = crosses.values;
  return SparseCrosses(
      build, crosses.splits,
      JoinAllHashes(build, hashes[0], hashes.subspan(1), AsScalar(build, AsInt64(build, in[end]))));
}

TfOutputs ExpandRaggedCross(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(std::string order, call.attributes.String("input_order"));
  SIGNET_ASSIGN_OR_RETURN(DType dtype, TfDType(call, "out_values_type"));
  SIGNET_ASSIGN_OR_RETURN(DType splits_dtype, TfDType(call, "out_row_splits_type"));
  if (dtype != DType::kInt64 && dtype != DType::kString) {
    return InvalidArgument("`out_values_type`: expected int64 or string, found `", NameOf(dtype),
                           "`");
  }
  const auto ragged = static_cast<size_t>(std::count(order.begin(), order.end(), 'R'));
  const auto sparse = static_cast<size_t>(std::count(order.begin(), order.end(), 'S'));
  const auto dense = static_cast<size_t>(std::count(order.begin(), order.end(), 'D'));
  if (ragged + sparse + dense != order.size()) {
    return InvalidArgument("`input_order`: expected the letters R, S, and D, found `",
                           Printable(order), "`");
  }
  if (in.size() != 2 * ragged + 3 * sparse + dense) {
    return InvalidArgument("expected ", 2 * ragged + 3 * sparse + dense,
                           " inputs for the features of `input_order`, found ", in.size());
  }
  const TfInputs sparse_parts = in.subspan(2 * ragged);
  std::vector<CrossedFeature> features;
  size_t next_ragged = 0;
  size_t next_sparse = 0;
  size_t next_dense = 2 * ragged + 3 * sparse;
  for (char kind : order) {
    if (kind == 'R') {
      features.push_back({build.AsExpr(in[next_ragged]),
                          build.CheckRowSplits(AsInt64(build, in[ragged + next_ragged]),
                                               DimSize(build, in[next_ragged], 0))});
      ++next_ragged;
    } else if (kind == 'S') {
      const GraphValue& shape = sparse_parts[2 * sparse + next_sparse];
      if (const int64_t rank = KnownSize(shape, 0); rank != 2 && rank != kUnknownDim) {
        return InvalidArgument("expected sparse matrices, found rank ", rank);
      }
      features.push_back(CrossedSparseMatrix(build, sparse_parts[next_sparse],
                                             sparse_parts[sparse + next_sparse], shape));
      ++next_sparse;
    } else {
      SIGNET_ASSIGN_OR_RETURN(CrossedFeature feature, CrossedMatrix(build, in, next_dense++));
      features.push_back(std::move(feature));
    }
  }
  SIGNET_ASSIGN_OR_RETURN(auto out,
                          CrossValues(build, call, dtype == DType::kInt64, std::move(features)));
  return AllOf({out.second, CastTo(build, out.first, splits_dtype)});
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
  add("SparseCrossHashed", "Combines the features of each row in all ways",
      {"indices_values_shapes_dense_buckets_strong_salt..."}, {{"N", AttributeOf(0)}},
      ExpandSparseCrossHashed);
  add("RaggedCross", "Combines the features of each row in all ways",
      {"values_splits_sparse_dense..."},
      {{"input_order"},
       {"num_buckets", AttributeOf(0)},
       {"hash_key", AttributeOf(0)},
       {"out_values_type"},
       {"out_row_splits_type", AttributeOf(DType::kInt64)}},
      ExpandRaggedCross);
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
