// Operators on sparse values, which are indices, values, and a dense shape in a row.

#include <algorithm>

#include "core/frontends/savedmodel/lower/tf_op.h"
#include "core/ops/def/attribute_list.h"

namespace signet {
namespace {

Expr ConjugateOf(OpBuilder& build, const Operand& x) {
  const ComplexParts parts = ComplexPartsOf(build, x);
  return ComplexOf(build, {parts.real, build.Neg(parts.imaginary)});
}

// The parts of a sparse value in a signature.
TfOutputs ExpandSparseParts(OpBuilder& build, const OpCall&, TfInputs in) {
  return build.SparseComponents(in[0]);
}

Expr SparseOf(OpBuilder& build, const GraphValue& indices, const GraphValue& values,
              const Operand& shape) {
  return build.SparseFromEntries(indices, values, AsInt64(build, shape));
}

TfOutputs ExpandSparseToDense(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(bool checks, call.attributes.Bool("validate_indices"));
  SIGNET_ASSIGN_OR_RETURN(int index_rank, RankAt(in, 0));
  SIGNET_ASSIGN_OR_RETURN(int value_rank, RankAt(in, 2));
  Expr indices = AsInt64(build, in[0]);
  if (index_rank == 0) indices = build.Reshape(indices, {.shape = {1, 1}});
  if (index_rank == 1) indices = build.ExpandDims(indices, {.axis = 1});
  Expr shape = AsInt64(build, in[1]);
  Expr values = build.AsExpr(in[2]);
  if (value_rank == 0) {
    values = build.BroadcastTo(in[2], build.Reshape(DimSize(build, indices, 0), {.shape = {1}}));
  }
  Expr dense = build.BroadcastTo(AsScalar(build, in[3]), shape);
  if (auto dims = KnownInts(build, in, 1)) {
    dense = build.BroadcastTo(AsScalar(build, in[3]), {.shape = *dims});
  }
  SIGNET_RETURN_IF_ERROR(CheckSparseIndices(build, indices, shape, checks));
  return build.ScatterNd(dense, indices, values);
}

TfOutputs ExpandSparseReshape(OpBuilder& build, const OpCall&, TfInputs in) {
  Expr old_shape = AsInt64(build, in[1]);
  Expr wanted = build.CompleteShape(old_shape, AsInt64(build, in[2]));
  Expr places = build.RavelIndices(in[0], old_shape);
  return AllOf({build.UnravelIndices(places, wanted), wanted});
}

TfOutputs ExpandFillEmptyRows(OpBuilder& build, const OpCall&, TfInputs in) {
  GraphValue axis = Int64Constant(build, 0);
  Expr shape = AsInt64(build, in[2]);
  Expr rows = build.Gather(shape, axis, {.axis = 0});
  Expr row_of = build.Gather(in[0], axis, {.axis = 1});
  Expr counts = build.GroupSum(build.OnesLike(row_of), row_of, rows);
  Expr is_empty = build.Equal(counts, 0);
  // The entries, then one entry per empty row, sorted by row. The order within a row stays.
  Expr empty_rows = build.Gather(build.WhereIndices(is_empty), axis, {.axis = 1});
  Expr is_first = build.Equal(build.Range({DimSize(build, in[0], 1)}), 0);
  Expr more = build.Mul(build.ExpandDims(empty_rows, {.axis = 1}), AsInt64(build, is_first));
  Expr new_indices = build.Concat({in[0], more}, {.axis = 0});
  Expr defaults = build.BroadcastTo(AsScalar(build, in[3]),
                                    build.Reshape(DimSize(build, empty_rows, 0), {.shape = {1}}));
  Expr new_values = build.Concat({in[1], defaults}, {.axis = 0});
  auto order = build.GroupOrder(build.Concat({row_of, empty_rows}, {.axis = 0}), rows);
  SIGNET_RETURN_IF_ERROR(order.status());
  Expr from = build.AsExpr((*order)[1]);  // the entry at each position of the result
  Expr count = DimSize(build, in[0], 0);
  Expr places = build.ScatterNd(build.ZerosLike(from), build.ExpandDims(from, {.axis = 1}),
                                build.Range({DimSize(build, from, 0)}));
  Expr reverse = build.Slice(places, build.AsExpr(Ints(build, std::vector<int64_t>{0})),
                             build.Reshape(count, {.shape = {1}}),
                             build.AsExpr(Ints(build, std::vector<int64_t>{0})));
  return AllOf({build.Gather(new_indices, from, {.axis = 0}),
                build.Gather(new_values, from, {.axis = 0}), is_empty, reverse});
}

TfOutputs ExpandSparseReorder(OpBuilder& build, const OpCall&, TfInputs in) {
  Expr places = build.RavelIndices(in[0], AsInt64(build, in[2]));
  auto order = build.Sort(places);
  SIGNET_RETURN_IF_ERROR(order.status());
  const GraphValue& from = (*order)[1];
  return AllOf({build.Gather(in[0], from, {.axis = 0}), build.Gather(in[1], from, {.axis = 0})});
}

TfOutputs ExpandSparseDenseMatMul(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(bool a, call.attributes.Bool("adjoint_a"));
  SIGNET_ASSIGN_OR_RETURN(bool b, call.attributes.Bool("adjoint_b"));
  Expr shape = AsInt64(build, in[2]);
  Expr dense = b ? build.Transpose(in[3], {.perm = {1, 0}}) : build.AsExpr(in[3]);
  Expr values = build.AsExpr(in[1]);
  if (IsComplex(DTypeAt(in, 1))) {
    if (a) values = ConjugateOf(build, values);
    if (b) dense = ConjugateOf(build, dense);
  }
  Expr rows = build.Gather(AsInt64(build, in[0]), Int64Constant(build, a ? 1 : 0), {.axis = 1});
  Expr columns = build.Gather(AsInt64(build, in[0]), Int64Constant(build, a ? 0 : 1), {.axis = 1});
  Expr count = build.Gather(shape, Int64Constant(build, a ? 1 : 0), {.axis = 0});
  Expr terms =
      build.Mul(build.Gather(dense, columns, {.axis = 0}), build.ExpandDims(values, {.axis = 1}));
  return build.GroupSum(terms, rows, count);
}

TfOutputs ExpandSparseReduce(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(bool keep, call.attributes.Bool("keep_dims"));
  SIGNET_ASSIGN_OR_RETURN(auto axes, FindInts(build, call, in, 3));
  Expr sparse = SparseOf(build, in[0], in[1], in[2]);
  if (call.op.name == "tf.SparseReduceSum") {
    return build.ReduceSum(build.SparseToDense(sparse),
                           {.axes = axes, .keepdims = keep, .empty_is_all = false});
  }
  // Only stored values count; places without any are 0.
  SIGNET_ASSIGN_OR_RETURN(GraphValue lowest, ExtremeNumber(build, DTypeAt(in, 1), true));
  SIGNET_ASSIGN_OR_RETURN(GraphValue marks, CastTo(build, build.OnesLike(in[1]), DType::kInt32));
  Expr stored = build.NotEqual(build.SparseToDense(SparseOf(build, in[0], marks, in[2])), 0);
  Expr most = build.ReduceMax(build.SparseToDense(sparse, lowest),
                              {.axes = axes, .keepdims = keep, .empty_is_all = false});
  Expr any = build.ReduceAny(stored, {.axes = axes, .keepdims = keep, .empty_is_all = false});
  return build.Select(any, most, Zero(build, DTypeAt(in, 1)));
}

// Combines the entries with the same indices in the dimensions that are kept.
TfOutputs ExpandSparseReduceSparse(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(bool keep, call.attributes.Bool("keep_dims"));
  SIGNET_ASSIGN_OR_RETURN(auto axes, FindInts(build, call, in, 3));
  int64_t rank = KnownSize(in[0], 1);
  if (rank == kUnknownDim) rank = KnownSize(in[2], 0);
  if (rank == kUnknownDim) return Unimplemented("`input_shape`: expected a known number of sizes");
  std::vector<bool> is_kept(static_cast<size_t>(rank), true);
  for (int64_t axis : axes) {
    if (axis < -rank || axis >= rank) {
      return InvalidArgument("`reduction_axes`: expected ", -rank, " to ", rank - 1, ", found ",
                             axis);
    }
    is_kept[static_cast<size_t>(axis < 0 ? axis + rank : axis)] = false;
  }
  std::vector<int64_t> kept;
  std::vector<int64_t> columns;  // of the kept dimensions, and after them of a 0 or 1
  const auto num_kept = std::count(is_kept.begin(), is_kept.end(), true);
  for (size_t axis = 0; axis < is_kept.size(); ++axis) {
    columns.push_back(is_kept[axis] ? static_cast<int64_t>(kept.size()) : num_kept);
    if (is_kept[axis]) kept.push_back(static_cast<int64_t>(axis));
  }
  Expr indices = AsInt64(build, in[0]);
  Expr shape = AsInt64(build, in[2]);
  SIGNET_RETURN_IF_ERROR(CheckSparseIndices(build, indices, shape, false));
  Expr sizes = build.Gather(shape, Ints(build, kept), {.axis = 0});
  Expr places = build.RavelIndices(build.Gather(indices, Ints(build, kept), {.axis = 1}), sizes);
  auto found = build.Unique(places, {.sorted = true});
  SIGNET_RETURN_IF_ERROR(found.status());
  Expr count = DimSize(build, (*found)[0], 0);
  Expr values = call.op.name == "tf.SparseReduceSumSparse"
                    ? build.GroupSum(in[1], (*found)[2], count)
                    : build.GroupMax(in[1], (*found)[2], count);
  Expr out = build.UnravelIndices((*found)[0], sizes);
  if (keep) {
    Expr zeros = build.ExpandDims(build.ZerosLike((*found)[0]), {.axis = 1});
    GraphValue order = Ints(build, columns);
    out = build.Gather(build.Concat({out, zeros}, {.axis = 1}), order, {.axis = 1});
    GraphValue one = Ints(build, std::vector<int64_t>{1});
    sizes = build.Gather(build.Concat({sizes, one}, {.axis = 0}), order, {.axis = 0});
  }
  return AllOf({out, values, sizes});
}

TfOutputs ExpandSparseConcat(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(int64_t axis, call.attributes.Int("concat_dim"));
  if (in.empty() || in.size() % 3 != 0) return InvalidArgument("expected 3 inputs per value");
  const size_t count = in.size() / 3;
  Expr rank = DimSize(build, in[0], 1);
  // The index along the axis moves by the sizes of the values before.
  Expr at = axis < 0 ? build.Add(rank, axis) : build.AsExpr(Int64Constant(build, axis));
  Expr mark = AsInt64(build, build.Equal(build.Range({rank}), at));
  Expr offset = build.AsExpr(Int64Constant(build, 0));
  std::vector<Operand> indices;
  std::vector<Operand> values;
  for (size_t i = 0; i < count; ++i) {
    indices.push_back(build.Add(in[i], build.Mul(mark, offset)));
    values.push_back(in[count + i]);
    Expr shape = AsInt64(build, in[2 * count + i]);
    offset = build.Add(offset, build.Gather(shape, at, {.axis = 0}));
  }
  Expr sizes = AsInt64(build, in[2 * count]);
  Expr shape = build.Select(build.Equal(mark, 1), offset, sizes);
  Expr all = build.Concat(Operands(indices), {.axis = 0});
  Expr all_values = build.Concat(Operands(values), {.axis = 0});
  auto order = build.Sort(build.RavelIndices(all, shape));
  SIGNET_RETURN_IF_ERROR(order.status());
  const GraphValue& from = (*order)[1];
  return AllOf(
      {build.Gather(all, from, {.axis = 0}), build.Gather(all_values, from, {.axis = 0}), shape});
}

TfOutputs ExpandSparseSlice(OpBuilder& build, const OpCall&, TfInputs in) {
  Expr shape = AsInt64(build, in[2]);
  Expr start = AsInt64(build, in[3]);
  Expr size = build.Maximum(build.Minimum(AsInt64(build, in[4]), build.Sub(shape, start)), 0);
  Expr end = build.Add(start, size);
  Expr inside = build.ReduceAll(
      build.LogicalAnd(build.GreaterEqual(in[0], start), build.Less(in[0], end)), {.axes = {1}});
  return AllOf(
      {build.Sub(build.BooleanMask(in[0], inside), start), build.BooleanMask(in[1], inside), size});
}

TfOutputs ExpandSparseDenseCwise(OpBuilder& build, const OpCall& call, TfInputs in) {
  const std::string how = call.op.name.substr(std::string_view("tf.SparseDenseCwise").size());
  Expr dense = build.BroadcastTo(in[3], AsInt64(build, in[2]));
  Expr other = build.GatherNd(dense, in[0]);
  if (how == "Mul") return build.Mul(in[1], other);
  if (how == "Add") return build.Add(in[1], other);
  return build.Div(in[1], other);
}

TfOutputs ExpandSparseSoftmax(OpBuilder& build, const OpCall&, TfInputs in) {
  // Entries of one row share all indices except the last one.
  Expr shape = AsInt64(build, in[2]);
  Expr last = build.Gather(shape, build.Sub(DimSize(build, shape, 0), 1), {.axis = 0});
  Expr rows = build.Floordiv(build.RavelIndices(in[0], shape), build.Maximum(last, 1));
  Expr count = build.Floordiv(build.ReduceProd(shape), build.Maximum(last, 1));
  Expr most = build.Gather(build.GroupMax(in[1], rows, count), rows, {.axis = 0});
  Expr powers = build.Exp(build.Sub(in[1], most));
  return build.Div(powers, build.Gather(build.GroupSum(powers, rows, count), rows, {.axis = 0}));
}

TfOutputs ExpandSparseTensorDenseAdd(OpBuilder& build, const OpCall&, TfInputs in) {
  return build.ScatterNd(in[3], AsInt64(build, in[0]), in[1], {.reduction = "add"});
}

// Cuts along an axis. The first parts have one more row if the size is not a multiple of their
// number.
TfOutputs ExpandSparseSplit(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(int64_t count, call.attributes.Int("num_split"));
  if (count < 1 || count > 4096) return InvalidArgument("`num_split`: expected 1 to 4096 parts");
  Expr shape = AsInt64(build, in[3]);
  Expr rank = DimSize(build, shape, 0);
  Expr given = AsScalar(build, AsInt64(build, in[0]));
  Expr axis = build.Select(build.Less(given, 0), build.Add(given, rank), given);
  Expr mark = AsInt64(build, build.Equal(build.Range({rank}), axis));
  Expr whole = build.Gather(shape, axis, {.axis = 0});
  SIGNET_RETURN_IF_ERROR(
      CheckCondition(build, build.GreaterEqual(whole, count),
                     InvalidArgument("`num_split`: expected at most the size of the axis")));
  Expr part = build.Floordiv(whole, count);
  Expr longer = build.Mod(whole, count);
  Expr column = build.Gather(AsInt64(build, in[1]), axis, {.axis = 1});
  std::vector<GraphValue> lists[3];
  for (int64_t i = 0; i < count; ++i) {
    Expr begin = build.Add(build.Mul(part, i), build.Minimum(longer, i));
    Expr end = build.Add(build.Mul(part, i + 1), build.Minimum(longer, i + 1));
    Expr inside = build.LogicalAnd(build.GreaterEqual(column, begin), build.Less(column, end));
    Expr size = build.Sub(end, begin);
    SIGNET_ASSIGN_OR_RETURN(lists[0].emplace_back(),
                            build.Sub(build.BooleanMask(in[1], inside), build.Mul(mark, begin)));
    SIGNET_ASSIGN_OR_RETURN(lists[1].emplace_back(), build.BooleanMask(in[2], inside));
    SIGNET_ASSIGN_OR_RETURN(lists[2].emplace_back(),
                            build.Select(build.Equal(mark, 1), size, shape));
  }
  std::vector<GraphValue> out;
  for (const auto& list : lists) out.insert(out.end(), list.begin(), list.end());
  return out;
}

// The places of the entries of two sparse values of one shape, each once and ascending; and, for
// each entry of `a` and then of `b`, the number of its place.
struct JoinedPlaces {
  Expr places;
  Expr of_a;
  Expr of_b;
  Expr count;
};

StatusOr<JoinedPlaces> JoinPlaces(OpBuilder& build, const GraphValue& a, const GraphValue& b,
                                  const Expr& shape, const Expr& other) {
  SIGNET_RETURN_IF_ERROR(CheckCondition(build, build.ReduceAll(build.Equal(shape, other)),
                                        InvalidArgument("expected two values of one shape")));
  Expr first = build.RavelIndices(AsInt64(build, a), shape);
  Expr second = build.RavelIndices(AsInt64(build, b), shape);
  auto found = build.Unique(build.Concat({first, second}, {.axis = 0}), {.sorted = true});
  SIGNET_RETURN_IF_ERROR(found.status());
  Expr places = build.AsExpr((*found)[0]);
  Expr middle = build.Reshape(DimSize(build, first, 0), {.shape = {1}});
  Expr end = build.Reshape(DimSize(build, (*found)[2], 0), {.shape = {1}});
  Expr zero = build.AsExpr(Ints(build, std::vector<int64_t>{0}));
  return JoinedPlaces{places, build.Slice((*found)[2], zero, middle, zero),
                      build.Slice((*found)[2], middle, end, zero), DimSize(build, places, 0)};
}

TfOutputs ExpandSparseAdd(OpBuilder& build, const OpCall&, TfInputs in) {
  Expr shape = AsInt64(build, in[2]);
  SIGNET_ASSIGN_OR_RETURN(JoinedPlaces joined,
                          JoinPlaces(build, in[0], in[3], shape, AsInt64(build, in[5])));
  Expr sums = build.Add(build.GroupSum(in[1], joined.of_a, joined.count),
                        build.GroupSum(in[4], joined.of_b, joined.count));
  // Sums below the threshold are left out.
  Expr keep = build.LessEqual(AsScalar(build, in[6]), build.Abs(sums));
  return AllOf({build.BooleanMask(build.UnravelIndices(joined.places, shape), keep),
                build.BooleanMask(sums, keep), shape});
}

TfOutputs ExpandSparseExtreme(OpBuilder& build, const OpCall& call, TfInputs in) {
  Expr shape = AsInt64(build, in[2]);
  SIGNET_ASSIGN_OR_RETURN(JoinedPlaces joined,
                          JoinPlaces(build, in[0], in[3], shape, AsInt64(build, in[5])));
  // A place without an entry is 0, as a sum of no numbers.
  Expr a = build.GroupSum(in[1], joined.of_a, joined.count);
  Expr b = build.GroupSum(in[4], joined.of_b, joined.count);
  return AllOf({build.UnravelIndices(joined.places, shape),
                call.op.name.ends_with("Maximum") ? build.Maximum(a, b) : build.Minimum(a, b)});
}

}  // namespace

std::vector<OpDef> TfSparseOps() {
  std::vector<OpDef> ops;
  auto add = [&](const char* name, const char* summary, std::vector<std::string> inputs,
                 std::vector<AttributeDef> attributes, ExpandFn expand) {
    ops.push_back(TfOp(name, summary, std::move(inputs), std::move(attributes), expand));
  };
  ops.push_back(TfOpOnValues("SparseParts", "Returns the parts of a sparse value", {"x"}, {},
                             ExpandSparseParts));
  add("SparseToDense", "Creates a dense tensor from entries",
      {"sparse_indices", "output_shape", "sparse_values", "default_value"},
      {{"validate_indices", AttributeOf(true)}}, ExpandSparseToDense);
  add("SparseReshape", "Changes the dense shape", {"input_indices", "input_shape", "new_shape"}, {},
      ExpandSparseReshape);
  add("SparseFillEmptyRows", "Adds an entry to each empty row",
      {"indices", "values", "dense_shape", "default_value"}, {}, ExpandFillEmptyRows);
  add("SparseReorder", "Sorts entries by their indices",
      {"input_indices", "input_values", "input_shape"}, {}, ExpandSparseReorder);
  add("SparseTensorDenseMatMul", "Multiplies a sparse matrix by a dense matrix",
      {"a_indices", "a_values", "a_shape", "b"},
      {{"adjoint_a", AttributeOf(false)}, {"adjoint_b", AttributeOf(false)}},
      ExpandSparseDenseMatMul);
  for (const char* name : {"SparseReduceSum", "SparseReduceMax"}) {
    add(name, "Combines stored values along axes",
        {"input_indices", "input_values", "input_shape", "reduction_axes"},
        {{"keep_dims", AttributeOf(false)}}, ExpandSparseReduce);
  }
  for (const char* name : {"SparseReduceSumSparse", "SparseReduceMaxSparse"}) {
    add(name, "Combines stored values along axes",
        {"input_indices", "input_values", "input_shape", "reduction_axes"},
        {{"keep_dims", AttributeOf(false)}}, ExpandSparseReduceSparse);
  }
  add("SparseConcat", "Joins sparse values", {"indices_and_values_and_shapes..."}, {{"concat_dim"}},
      ExpandSparseConcat);
  add("SparseSlice", "Selects a range of each dimension",
      {"indices", "values", "shape", "start", "size"}, {}, ExpandSparseSlice);
  for (const char* name : {"SparseDenseCwiseMul", "SparseDenseCwiseAdd", "SparseDenseCwiseDiv"}) {
    add(name, "Combines stored values with dense elements",
        {"sp_indices", "sp_values", "sp_shape", "dense"}, {}, ExpandSparseDenseCwise);
  }
  add("SparseSoftmax", "Computes the softmax of the stored values of rows",
      {"sp_indices", "sp_values", "sp_shape"}, {}, ExpandSparseSoftmax);
  add("SparseTensorDenseAdd", "Adds a sparse value to a tensor",
      {"a_indices", "a_values", "a_shape", "b"}, {}, ExpandSparseTensorDenseAdd);
  add("SparseSplit", "Cuts a sparse value into parts", {"split_dim", "indices", "values", "shape"},
      {{"num_split"}}, ExpandSparseSplit);
  const std::vector<std::string> two = {"a_indices", "a_values", "a_shape",
                                        "b_indices", "b_values", "b_shape"};
  std::vector<std::string> with_threshold = two;
  with_threshold.push_back("thresh");
  add("SparseAdd", "Adds two sparse values", with_threshold, {}, ExpandSparseAdd);
  for (const char* name : {"SparseSparseMaximum", "SparseSparseMinimum"}) {
    add(name, "Chooses the greater or the lesser entry at each place", two, {},
        ExpandSparseExtreme);
  }
  return ops;
}

}  // namespace signet
