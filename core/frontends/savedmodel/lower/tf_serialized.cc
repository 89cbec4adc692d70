// Operators that write tensors and sparse values as serialized TensorProto messages, and read them.
// A sparse value is three messages: its indices, its values, and its dense shape.

#include "core/frontends/savedmodel/lower/tf_op.h"

namespace signet {
namespace {

TfOutputs ExpandSerializeTensor(OpBuilder& build, const OpCall&, TfInputs in) {
  return build.SerializeTensor(in[0]);
}

TfOutputs ExpandParseTensor(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(DType dtype, TfDType(call, "out_type"));
  return build.ParseTensor(in[0], {.dtype = dtype});
}

// Checks the inputs of SerializeSparse and SerializeManySparse: indices, values, and a shape.
Status CheckSparseParts(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(DType dtype, TfDType(call, "out_type"));
  if (dtype != DType::kString) {
    return Unimplemented("`out_type`: expected string, found `", NameOf(dtype), "`");
  }
  constexpr int kRanks[] = {2, 1, 1};
  for (size_t i = 0; i < 3; ++i) {
    SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(in, i));
    if (rank != kRanks[i]) {
      return InvalidArgument("input ", i, ": expected rank ", kRanks[i], ", found `", in[i].spec,
                             "`");
    }
  }
  SIGNET_ASSIGN_OR_RETURN(GraphValue num_indices, DimSize(build, in[0], 0));
  SIGNET_ASSIGN_OR_RETURN(GraphValue num_values, DimSize(build, in[1], 0));
  SIGNET_RETURN_IF_ERROR(CheckSameSize(build, num_indices, num_values,
                                       InvalidArgument("expected one index per value")));
  SIGNET_ASSIGN_OR_RETURN(GraphValue num_columns, DimSize(build, in[0], 1));
  SIGNET_ASSIGN_OR_RETURN(GraphValue rank, DimSize(build, in[2], 0));
  return CheckSameSize(build, num_columns, rank,
                       InvalidArgument("expected one column of indices per dimension"));
}

TfOutputs ExpandSerializeSparse(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_RETURN_IF_ERROR(CheckSparseParts(build, call, in));
  return build.Stack({build.SerializeTensor(AsInt64(build, in[0])), build.SerializeTensor(in[1]),
                      build.SerializeTensor(AsInt64(build, in[2]))});
}

// The first dimension is that of the rows. Each row is a sparse value of the other dimensions.
TfOutputs ExpandSerializeManySparse(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_RETURN_IF_ERROR(CheckSparseParts(build, call, in));
  Expr indices = AsInt64(build, in[0]);
  Expr shape = AsInt64(build, in[2]);
  SIGNET_RETURN_IF_ERROR(
      CheckCondition(build, build.GreaterEqual(DimSize(build, shape, 0), 2),
                     InvalidArgument("expected a sparse value of rank 2 or more")));
  Expr rows = build.Gather(shape, Int64Constant(build, 0), {.axis = 0});
  Expr splits =
      build.RowSplitsFromRowIds(build.Gather(indices, Int64Constant(build, 0), {.axis = 1}), rows);
  Expr inner = build.Slice(indices, {.starts = {1}, .limits = {INT64_MAX}, .axes = {1}});
  Expr inner_shape = build.Slice(shape, {.starts = {1}, .limits = {INT64_MAX}, .axes = {0}});
  Expr all_shapes =
      build.BroadcastTo(build.SerializeTensor(inner_shape), build.Reshape(rows, {.shape = {1}}));
  return build.Stack({build.SerializeTensorRows(inner, splits),
                      build.SerializeTensorRows(in[1], splits), all_shapes},
                     {.axis = 1});
}

// Reads sparse values, which are the rows of the last dimension. The other dimensions precede those
// of the result, whose sizes are the largest of all values.
TfOutputs ExpandDeserializeSparse(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(DType dtype, TfDType(call, "dtype"));
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(in, 0));
  const bool is_many = call.op.name == "tf.DeserializeManySparse";
  if (rank < 1 || (is_many && rank != 2)) {
    return InvalidArgument("`serialized_sparse`: expected ", is_many ? "rank 2" : "rank 1 or more",
                           ", found `", in[0].spec, "`");
  }
  SIGNET_ASSIGN_OR_RETURN(GraphValue num_parts, DimSize(build, in[0], rank - 1));
  SIGNET_RETURN_IF_ERROR(
      CheckSameSize(build, num_parts, Int64Constant(build, 3),
                    InvalidArgument("`serialized_sparse`: expected 3 strings per sparse value")));
  Expr count = DimProduct(build, in[0], 0, rank - 1);
  SIGNET_RETURN_IF_ERROR(
      CheckCondition(build, build.GreaterEqual(count, 1),
                     InvalidArgument("`serialized_sparse`: expected at least one sparse value")));
  Expr all = build.Reshape(in[0], {.shape = {-1, 3}});
  auto part = [&](int64_t i) { return build.Gather(all, Int64Constant(build, i), {.axis = 1}); };
  auto indices = build.ParseTensorRows(part(0), {.dtype = DType::kInt64, .rank = 2});
  SIGNET_RETURN_IF_ERROR(indices.status());
  auto values = build.ParseTensorRows(part(1), {.dtype = dtype, .rank = 1});
  SIGNET_RETURN_IF_ERROR(values.status());
  auto shapes = build.ParseTensorRows(part(2), {.dtype = DType::kInt64, .rank = 1});
  SIGNET_RETURN_IF_ERROR(shapes.status());
  SIGNET_RETURN_IF_ERROR(
      CheckCondition(build, build.ReduceAll(build.Equal((*indices)[1], (*values)[1])),
                     InvalidArgument("expected one index per value of each sparse value")));
  Expr columns = DimSize(build, (*indices)[0], 1);
  SIGNET_RETURN_IF_ERROR(CheckCondition(
      build, build.ReduceAll(build.Equal(build.RowLengths((*shapes)[1]), columns)),
      InvalidArgument("expected one column of indices per dimension of each sparse value")));
  Expr sizes = build.ReduceMax(ReshapeTo(build, (*shapes)[0], {count, columns}), {.axes = {0}});
  if (rank == 1) return AllOf({(*indices)[0], (*values)[0], sizes});
  Expr batch = DimSizes(build, in[0], 0, rank - 1);
  Expr places = build.UnravelIndices(build.SegmentIds((*indices)[1]), batch);
  return AllOf({build.Concat({places, (*indices)[0]}, {.axis = 1}), (*values)[0],
                build.Concat({batch, sizes}, {.axis = 0})});
}

}  // namespace

std::vector<OpDef> TfSerializedOps() {
  std::vector<OpDef> ops;
  auto add = [&](const char* name, const char* summary, std::vector<std::string> inputs,
                 std::vector<AttributeDef> attributes, ExpandFn expand) {
    ops.push_back(TfOp(name, summary, std::move(inputs), std::move(attributes), expand));
  };
  add("SerializeTensor", "Writes a tensor as a message", {"tensor"}, {}, ExpandSerializeTensor);
  add("ParseTensor", "Reads a tensor from a message", {"serialized"}, {{"out_type"}},
      ExpandParseTensor);
  const std::vector<std::string> sparse = {"sparse_indices", "sparse_values", "sparse_shape"};
  const AttributeDef out_type = {"out_type", AttributeOf(DType::kString)};
  add("SerializeSparse", "Writes a sparse value as messages", sparse, {out_type},
      ExpandSerializeSparse);
  add("SerializeManySparse", "Writes the rows of a sparse value as messages", sparse, {out_type},
      ExpandSerializeManySparse);
  for (const char* name : {"DeserializeSparse", "DeserializeManySparse"}) {
    add(name, "Reads sparse values from messages", {"serialized_sparse"}, {{"dtype"}},
        ExpandDeserializeSparse);
  }
  return ops;
}

}  // namespace signet
