// Operators on sparse values, which are indices, values, and a dense shape in a row, and on ragged
// values, which are values and row splits.

#include <algorithm>

#include "core/frontends/savedmodel/lower/tf_op.h"
#include "core/ops/def/attribute_list.h"

namespace signet {
namespace {

// The parts of a sparse value in a signature.
TfOutputs ExpandSparseParts(OpBuilder& build, const OpCall&, TfInputs in) {
  return build.SparseComponents(in[0]);
}

Expr SparseOf(OpBuilder& build, const GraphValue& indices, const GraphValue& values,
              const Operand& shape) {
  return build.SparseFromEntries(indices, values, AsInt64(build, shape));
}

TfOutputs PartsOf(OpBuilder& build, const Expr& sparse) { return build.SparseComponents(sparse); }

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
  SIGNET_RETURN_IF_ERROR(CheckCondition(
      build,
      build.ReduceAll(build.LogicalAnd(build.GreaterEqual(indices, 0), build.Less(indices, shape))),
      InvalidArgument("expected indices within the shape")));
  if (checks) {
    Expr places = build.RavelIndices(indices, shape);
    Expr first = build.Slice(places, {.starts = {0}, .limits = {-1}, .axes = {0}});
    Expr second = build.Slice(places, {.starts = {1}, .limits = {INT64_MAX}, .axes = {0}});
    SIGNET_RETURN_IF_ERROR(
        CheckCondition(build, build.ReduceAll(build.Less(first, second)),
                       InvalidArgument("expected different indices in ascending order")));
  }
  return build.ScatterNd(dense, indices, values);
}

TfOutputs ExpandSparseReshape(OpBuilder& build, const OpCall&, TfInputs in) {
  Expr old_shape = AsInt64(build, in[1]);
  Expr wanted = build.CompleteShape(old_shape, AsInt64(build, in[2]));
  Expr places = build.RavelIndices(in[0], old_shape);
  return AllOf({build.UnravelIndices(places, wanted), wanted});
}

TfOutputs ExpandFillEmptyRows(OpBuilder& build, const OpCall&, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* indices, TensorAt(in, 0));
  const int64_t rank = indices->shape().has_rank() && indices->shape().rank() == 2
                           ? indices->shape().dim(1)
                           : kUnknownDim;
  if (rank < 1) return Unimplemented("expected indices of known rank, found `", in[0].spec, "`");
  GraphValue axis = Int64Constant(build, 0);
  Expr shape = AsInt64(build, in[2]);
  Expr rows = build.Gather(shape, axis, {.axis = 0});
  Expr row_of = build.Gather(in[0], axis, {.axis = 1});
  Expr counts = build.GroupSum(build.OnesLike(row_of), row_of, rows);
  Expr is_empty = build.Equal(counts, 0);
  // The entries, then one entry per empty row, sorted by row. The order within a row stays.
  Expr empty_rows = build.Gather(build.WhereIndices(is_empty), axis, {.axis = 1});
  std::vector<Operand> columns = {empty_rows};
  for (int64_t i = 1; i < rank; ++i) columns.push_back(build.ZerosLike(empty_rows));
  Expr new_indices =
      build.Concat({in[0], build.Stack(Operands(columns), {.axis = 1})}, {.axis = 0});
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
  Expr rows = build.Gather(AsInt64(build, in[0]), Int64Constant(build, a ? 1 : 0), {.axis = 1});
  Expr columns = build.Gather(AsInt64(build, in[0]), Int64Constant(build, a ? 0 : 1), {.axis = 1});
  Expr count = build.Gather(shape, Int64Constant(build, a ? 1 : 0), {.axis = 0});
  Expr terms =
      build.Mul(build.Gather(dense, columns, {.axis = 0}), build.ExpandDims(in[1], {.axis = 1}));
  return build.GroupSum(terms, rows, count);
}

TfOutputs ExpandSparseReduce(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(bool keep, call.attributes.Bool("keep_dims"));
  SIGNET_ASSIGN_OR_RETURN(auto axes, FindInts(build, call, in, 3));
  Expr dense = build.SparseToDense(SparseOf(build, in[0], in[1], in[2]));
  if (call.op.name == "tf.SparseReduceSum") {
    return build.ReduceSum(dense, {.axes = axes, .keepdims = keep, .empty_is_all = false});
  }
  // Only stored values count; places without any are 0.
  SIGNET_ASSIGN_OR_RETURN(int rank, TensorRank(dense));
  (void)rank;
  Expr ones = build.OnesLike(in[1]);
  SIGNET_ASSIGN_OR_RETURN(GraphValue one_values, ones);
  Expr stored = build.NotEqual(build.SparseToDense(SparseOf(build, in[0], one_values, in[2])),
                               Zero(build, DTypeAt(in, 1)));
  Expr lowest = build.Neg(
      build.AsExpr(build.Constant(Tensor::Scalar(std::numeric_limits<float>::infinity()))));
  if (DTypeAt(in, 1) != DType::kFloat32) {
    return Unimplemented("unsupported dtype `", NameOf(DTypeAt(in, 1)), "` of SparseReduceMax");
  }
  Expr most = build.ReduceMax(build.Select(stored, dense, lowest),
                              {.axes = axes, .keepdims = keep, .empty_is_all = false});
  Expr any = build.ReduceAny(stored, {.axes = axes, .keepdims = keep, .empty_is_all = false});
  return build.Select(any, most, Zero(build, DType::kFloat32));
}

TfOutputs ExpandSparseConcat(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(int64_t axis, call.attributes.Int("concat_dim"));
  if (in.empty() || in.size() % 3 != 0) return InvalidArgument("expected 3 inputs per value");
  const size_t count = in.size() / 3;
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* first, TensorAt(in, 0));
  if (!first->shape().has_rank() || first->shape().rank() != 2 ||
      first->shape().dim(1) == kUnknownDim) {
    return Unimplemented("expected indices whose number of columns is known, found `", in[0].spec,
                         "`");
  }
  const auto rank = static_cast<int>(first->shape().dim(1));
  SIGNET_ASSIGN_OR_RETURN(int at, NormalizeAxis(axis, rank));
  // The index along the axis moves by the sizes of the values before.
  std::vector<int64_t> marks(static_cast<size_t>(rank), 0);
  marks[static_cast<size_t>(at)] = 1;
  Expr mark = build.AsExpr(Ints(build, marks));
  Expr offset = build.AsExpr(Int64Constant(build, 0));
  std::vector<Operand> indices;
  std::vector<Operand> values;
  for (size_t i = 0; i < count; ++i) {
    indices.push_back(build.Add(in[i], build.Mul(mark, offset)));
    values.push_back(in[count + i]);
    Expr shape = AsInt64(build, in[2 * count + i]);
    offset = build.Add(offset, build.Gather(shape, Int64Constant(build, at), {.axis = 0}));
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

// --- ragged values ------------------------------------------------------------------------------

// Row splits from a partition tensor of RaggedTensorToTensor.
StatusOr<std::vector<GraphValue>> PartitionSplits(OpBuilder& build, const OpCall& call,
                                                  TfInputs partitions) {
  SIGNET_ASSIGN_OR_RETURN(auto types, call.attributes.Strings("row_partition_types"));
  if (types.size() != partitions.size()) {
    return InvalidArgument("expected one type per row partition, found ", types.size());
  }
  std::vector<GraphValue> splits;
  Operand rows;  // the number of rows that FIRST_DIM_SIZE states
  for (size_t i = 0; i < types.size(); ++i) {
    Expr given = AsInt64(build, partitions[i]);
    if (types[i] == "ROW_SPLITS") {
      SIGNET_ASSIGN_OR_RETURN(splits.emplace_back(), given);
    } else if (types[i] == "FIRST_DIM_SIZE") {
      rows = AsScalar(build, given);
    } else if (types[i] == "VALUE_ROWIDS") {
      if (!rows.passed()) {
        if (splits.empty()) return InvalidArgument("missing the number of rows");
        rows = build.NumValues(splits.back());
      }
      SIGNET_ASSIGN_OR_RETURN(splits.emplace_back(), build.RowSplitsFromRowIds(given, rows));
      rows = Operand();
    } else {
      return Unimplemented("unsupported row partition `", types[i], "`");
    }
  }
  return splits;
}

TfOutputs ExpandRaggedToTensor(OpBuilder& build, const OpCall& call, TfInputs in) {
  if (in.size() < 4) return InvalidArgument("expected at least 4 inputs, found ", in.size());
  SIGNET_ASSIGN_OR_RETURN(auto splits, PartitionSplits(build, call, in.subspan(3)));
  if (splits.empty()) return InvalidArgument("expected at least one row partition");
  Operand ragged = in[1];
  for (auto split = splits.rbegin(); split != splits.rend(); ++split) {
    ragged = build.RaggedFromRowSplits(ragged, *split);
  }
  Expr dense = build.RaggedToDense(ragged, AsScalar(build, in[2]));
  SIGNET_ASSIGN_OR_RETURN(int rank, TensorRank(dense));
  // A size of -1, or the scalar -1, is as large as needed.
  auto shape = KnownInts(build, in, 0);
  SIGNET_ASSIGN_OR_RETURN(int shape_rank, RankAt(in, 0));
  if (shape_rank == 0) return dense;
  for (int axis = 0; axis < rank; ++axis) {
    Operand size;
    if (shape) {
      if (static_cast<size_t>(axis) >= shape->size()) break;
      if ((*shape)[static_cast<size_t>(axis)] < 0) continue;
      size = Operand(Int64Constant(build, (*shape)[static_cast<size_t>(axis)]));
    } else {
      Expr given = build.Gather(AsInt64(build, in[0]), Int64Constant(build, axis), {.axis = 0});
      size = build.Select(build.Less(given, 0), DimSize(build, dense, axis), given);
    }
    // Cuts, then fills up.
    GraphValue at = Int64Constant(build, axis);
    Expr axes = build.Reshape(at, {.shape = {1}});
    Expr limit = build.Reshape(size, {.shape = {1}});
    dense = build.Slice(dense, build.ZerosLike(limit), limit, axes);
    std::vector<Operand> before;
    std::vector<Operand> after;
    for (int other = 0; other < rank; ++other) {
      before.push_back(Operand(Int64Constant(build, 0)));
      after.push_back(other == axis
                          ? Operand(build.Maximum(build.Sub(size, DimSize(build, dense, axis)), 0))
                          : Operand(Int64Constant(build, 0)));
    }
    dense = build.Pad(dense, AsScalar(build, in[2]), StackScalars(build, before),
                      StackScalars(build, after));
  }
  return dense;
}

TfOutputs ExpandRaggedToSparse(OpBuilder& build, const OpCall&, TfInputs in) {
  if (in.size() < 2) return InvalidArgument("expected at least 2 inputs, found ", in.size());
  Operand ragged = in.back();
  for (size_t i = in.size() - 1; i-- > 0;) {
    ragged = build.RaggedFromRowSplits(ragged, AsInt64(build, in[i]));
  }
  return PartsOf(build, build.RaggedToSparse(ragged));
}

TfOutputs ExpandRaggedRange(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(DType dtype, TfDType(call, "Tsplits"));
  // Scalars apply to all rows.
  std::vector<Operand> bounds;
  Operand rows = Operand(Int64Constant(build, 1));
  for (const GraphValue& bound : in) {
    SIGNET_ASSIGN_OR_RETURN(int rank, TensorRank(Operand(bound)));
    if (rank == 1) rows = DimSize(build, bound, 0);
  }
  for (const GraphValue& bound : in) {
    bounds.push_back(build.BroadcastTo(bound, build.Reshape(rows, {.shape = {1}})));
  }
  auto out = build.RowRanges(bounds[0], bounds[1], bounds[2]);
  SIGNET_RETURN_IF_ERROR(out.status());
  return AllOf({CastTo(build, (*out)[0], dtype), (*out)[1]});
}

TfOutputs ExpandRaggedGather(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(int64_t rank, call.attributes.Int("OUTPUT_RAGGED_RANK"));
  if (in.size() != 3 || rank != 1) {
    return Unimplemented("unsupported RaggedGather of ragged rank ", rank, "; supported: 1");
  }
  Expr indices = AsInt64(build, in[2]);
  auto rows = build.GatherRowSplits(AsInt64(build, in[0]), indices);
  SIGNET_RETURN_IF_ERROR(rows.status());
  return AllOf(
      {CastTo(build, (*rows)[0], DTypeAt(in, 0)), build.Gather(in[1], (*rows)[1], {.axis = 0})});
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
  add("RaggedTensorToTensor", "Converts rows to a tensor", {"shape_values_default_partitions..."},
      {{"row_partition_types"}}, ExpandRaggedToTensor);
  add("RaggedTensorToSparse", "Converts rows to a sparse value", {"splits_and_values..."}, {},
      ExpandRaggedToSparse);
  add("RaggedRange", "Creates ranges of numbers", {"starts", "limits", "deltas"},
      {{"Tsplits", AttributeOf(DType::kInt64)}}, ExpandRaggedRange);
  add("RaggedGather", "Selects rows", {"splits_values_indices..."}, {{"OUTPUT_RAGGED_RANK"}},
      ExpandRaggedGather);
  return ops;
}

}  // namespace signet
