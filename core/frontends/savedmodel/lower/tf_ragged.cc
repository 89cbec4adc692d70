// Operators on ragged values, which are values and row splits.

#include "core/frontends/savedmodel/lower/tf_op.h"
#include "core/ops/def/attribute_list.h"

namespace signet {
namespace {

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
  return build.SparseComponents(build.RaggedToSparse(ragged));
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
  if (in.size() < 3) return InvalidArgument("expected at least 3 inputs, found ", in.size());
  const size_t levels = in.size() - 2;  // of the params, then values and indices
  SIGNET_ASSIGN_OR_RETURN(int index_rank, RankAt(in, in.size() - 1));
  if (index_rank < 1 || rank != static_cast<int64_t>(levels) + index_rank - 1) {
    return InvalidArgument("`OUTPUT_RAGGED_RANK`: expected ",
                           static_cast<int64_t>(levels) + index_rank - 1, ", found ", rank);
  }
  std::vector<GraphValue> out;
  // Each dimension of the indices except for the last one has rows of one length.
  for (int axis = 0; axis + 1 < index_rank; ++axis) {
    Expr rows = DimProduct(build, in.back(), 0, axis + 1);
    Expr splits = build.UniformRowSplits(rows, DimSize(build, in.back(), axis + 1));
    SIGNET_ASSIGN_OR_RETURN(out.emplace_back(), CastTo(build, splits, DTypeAt(in, 0)));
  }
  Operand places = build.Reshape(AsInt64(build, in.back()), {.shape = {-1}});
  for (size_t i = 0; i < levels; ++i) {
    auto rows = build.GatherRowSplits(AsInt64(build, in[i]), places);
    SIGNET_RETURN_IF_ERROR(rows.status());
    SIGNET_ASSIGN_OR_RETURN(out.emplace_back(), CastTo(build, (*rows)[0], DTypeAt(in, 0)));
    places = (*rows)[1];
  }
  SIGNET_ASSIGN_OR_RETURN(out.emplace_back(), build.Gather(in[levels], places, {.axis = 0}));
  return out;
}

// The encoded value is the ragged value itself: as one element, or, for `batched_input`, as one
// element per row.
TfOutputs ExpandRaggedToVariant(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(int64_t rank, call.attributes.Int("RAGGED_RANK"));
  if (rank < 0 || in.size() != static_cast<size_t>(rank) + 1) {
    return InvalidArgument("expected ", rank, " row splits and the values, found ", in.size(),
                           " inputs");
  }
  Operand ragged = in.back();
  for (size_t i = in.size() - 1; i-- > 0;) {
    ragged = build.RaggedFromRowSplits(ragged, AsInt64(build, in[i]));
  }
  return ragged;
}

TfOutputs ExpandRaggedFromVariant(OpBuilder& build, const OpCall& call, TfInputs in) {
  SIGNET_ASSIGN_OR_RETURN(int64_t rank, call.attributes.Int("output_ragged_rank"));
  SIGNET_ASSIGN_OR_RETURN(DType values_dtype, TfDType(call, "Tvalues"));
  SIGNET_ASSIGN_OR_RETURN(DType splits_dtype, TfDType(call, "Tsplits"));
  const TypeSpec& spec = in[0].spec;
  RaggedParts parts{in[0], {}};
  if (spec.is(TypeKind::kRagged)) {
    parts = RaggedPartsOf(in[0]);
  } else if (!spec.is(TypeKind::kTensor)) {
    return InvalidArgument("expected a ragged value, found `", spec, "`");
  }
  if (rank < 0 || parts.splits.size() != static_cast<size_t>(rank)) {
    return Unimplemented("`output_ragged_rank`: expected ", parts.splits.size(),
                         ", the number of ragged dimensions of the value, found ", rank);
  }
  if (TensorDType(parts.values) != values_dtype) {
    return InvalidArgument("expected values of `", NameOf(values_dtype), "`, found `", spec, "`");
  }
  std::vector<GraphValue> out;
  for (const GraphValue& splits : parts.splits) {
    SIGNET_ASSIGN_OR_RETURN(out.emplace_back(), CastTo(build, splits, splits_dtype));
  }
  out.push_back(parts.values);
  return out;
}

}  // namespace

std::vector<OpDef> TfRaggedOps() {
  std::vector<OpDef> ops;
  auto add = [&](const char* name, const char* summary, std::vector<std::string> inputs,
                 std::vector<AttributeDef> attributes, ExpandFn expand) {
    ops.push_back(TfOp(name, summary, std::move(inputs), std::move(attributes), expand));
  };
  add("RaggedTensorToTensor", "Converts rows to a tensor", {"shape_values_default_partitions..."},
      {{"row_partition_types"}}, ExpandRaggedToTensor);
  add("RaggedTensorToSparse", "Converts rows to a sparse value", {"splits_and_values..."}, {},
      ExpandRaggedToSparse);
  add("RaggedRange", "Creates ranges of numbers", {"starts", "limits", "deltas"},
      {{"Tsplits", AttributeOf(DType::kInt64)}}, ExpandRaggedRange);
  add("RaggedGather", "Selects rows", {"splits_values_indices..."}, {{"OUTPUT_RAGGED_RANK"}},
      ExpandRaggedGather);
  add("RaggedTensorToVariant", "Encodes rows as one value", {"rt_nested_splits_and_values..."},
      {{"RAGGED_RANK"}, {"batched_input", AttributeOf(false)}}, ExpandRaggedToVariant);
  ops.push_back(TfOpOnValues("RaggedTensorFromVariant", "Decodes rows", {"encoded_ragged"},
                             {{"input_ragged_rank", AttributeOf(-1)},
                              {"output_ragged_rank"},
                              {"Tvalues"},
                              {"Tsplits", AttributeOf(DType::kInt64)}},
                             ExpandRaggedFromVariant));
  return ops;
}

}  // namespace signet
