// partition_outer_dimension: divides the rows of a value among new rows.
//
//   partition_outer_dimension(x, [0, 2, 3])   x: [{a: int8[]}]   =>  [[{a: int8[]}]]
// The op is an expansion that does not move elements. Nests and extension values are expanded leaf
// by leaf.

#include <numeric>

#include "core/base/checked_math.h"
#include "core/ops/build/op_builder.h"
#include "core/ops/build/parts.h"
#include "core/ops/build/row_splits.h"
#include "core/ops/build/rows/rows.h"
#include "core/ops/build/sparse/sparse_parts.h"
#include "core/ops/def/inference.h"
#include "core/ops/shape/shape_ops.h"

namespace signet {
namespace {

// Returns the rows into which `splits` divides `count` elements.
StatusOr<Rows> RaggedRows(OpBuilder& build, const GraphValue& splits, const GraphValue& count) {
  const auto* spec = splits.spec.As<TensorSpec>();
  if (spec == nullptr || !IsIndexDType(spec->dtype())) {
    return InvalidArgument("input 1: expected row splits, a vector of int32 or int64, found `",
                           splits.spec, "`");
  }
  SIGNET_ASSIGN_OR_RETURN(GraphValue checked, build.CheckRowSplits(splits, count));
  SIGNET_ASSIGN_OR_RETURN(GraphValue rows, build.NumRows(checked));
  int64_t known = KnownRows(*checked.spec.As<TensorSpec>());
  return Rows{{UniformDim(std::move(rows), known), RaggedDim(std::move(checked))}};
}

// Returns rows of one length that contain `count` elements in total. Without `nrows`, the number of
// rows is computed.
StatusOr<Rows> UniformRows(OpBuilder& build, int64_t length, std::optional<int64_t> nrows,
                           const GraphValue& count) {
  if (!nrows && length == 0) nrows = 0;
  int64_t least = nrows.value_or(0);
  bool fits = length >= 0 && least >= 0 && least <= kMaxOutputElements &&
              CheckedMultiply(length, least).has_value();
  if (!fits) {
    return InvalidArgument("expected a length of at least 0 and at most ", kMaxOutputElements,
                           " rows, found ", nrows ? Cat(*nrows, " rows") : "rows", " of length ",
                           length);
  }
  RowDim rows;
  RowDim row = UniformDim(build, length);
  if (nrows) {
    rows = UniformDim(build, *nrows);
  } else {
    SIGNET_ASSIGN_OR_RETURN(rows.length, build.Floordiv(count, row.length));
    const Tensor* known = build.LookupConstant(rows.length.components[0]);
    if (known != nullptr) rows.known_length = known->scalar<int64_t>();
  }
  SIGNET_ASSIGN_OR_RETURN(GraphValue product, build.Mul(rows.length, row.length));
  Status error = WithConstraint("partition_outer_dimension C4",
                                InvalidArgument("`partition_outer_dimension`: rows of length ",
                                                length, " do not divide the rows of the input"));
  SIGNET_RETURN_IF_ERROR(CheckSizes(build, product, count, error));
  return Rows{{std::move(rows), std::move(row)}};
}

// Describes how the rows are divided.
struct Division {
  bool by_splits;
  std::optional<int64_t> length;
  std::optional<int64_t> nrows;
};

// C2: either row splits or a length for all rows is given. `nrows` is given only with a length.
StatusOr<Division> DivisionOf(const OpCall& call) {
  SIGNET_ASSIGN_OR_RETURN(auto length,
                          WithConstraint("C2", call.attributes.OptionalInt("uniform_row_length")));
  SIGNET_ASSIGN_OR_RETURN(auto nrows, WithConstraint("C2", call.attributes.OptionalInt("nrows")));
  const bool by_splits = HasInput(call, 1);
  if (by_splits == length.has_value() || (by_splits && nrows)) {
    return WithConstraint(
        "C2", InvalidArgument(
                  "expected either row splits, or `uniform_row_length` with an optional `nrows`"));
  }
  return Division{by_splits, length, nrows};
}

StatusOr<std::vector<GraphValue>> ExpandPartition(OpBuilder& build, const OpCall& call,
                                                  std::span<const GraphValue> inputs) {
  // C1: input 0 is a tensor, a ragged value, a sparse value, or a structure of rank at least 1.
  SIGNET_ASSIGN_OR_RETURN(Opened x, WithConstraint("C1", OpenRows(build, inputs[0], 1)));
  const GraphValue& count = x.rows.dims[0].length;
  SIGNET_ASSIGN_OR_RETURN(Division by, DivisionOf(call));
  // C3: row splits start at 0, never decrease, and end at the number of rows.
  // C4: rows of one length, at least 0, make up all rows.
  SIGNET_ASSIGN_OR_RETURN(
      Rows rows, by.by_splits
                     ? WithConstraint("C3", RaggedRows(build, inputs[1], count))
                     : WithConstraint("C4", UniformRows(build, *by.length, by.nrows, count)));
  return OneOutput(CloseRows(build, rows, x.elements, inputs[0].spec));
}

StatusOr<std::vector<GraphValue>> ExpandSparsePartitionOuterDimension(
    OpBuilder& build, const OpCall& call, std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(SparseParts x, SparsePartsOf(build, inputs[0], call.op.name));
  if (x.rank() == 0) {
    return WithConstraint("C1", InvalidArgument("input 0: expected a rank of at least 1, found `",
                                                inputs[0].spec, "`"));
  }
  SIGNET_ASSIGN_OR_RETURN(Division by, DivisionOf(call));
  if (by.by_splits) {
    return Unimplemented("`partition_outer_dimension`: `", inputs[0].spec,
                         "` cannot be divided by row splits, because all rows of a sparse value "
                         "have the same length; pass `uniform_row_length`");
  }
  SIGNET_ASSIGN_OR_RETURN(GraphValue count, SizeAt(build, x, 0));
  SIGNET_ASSIGN_OR_RETURN(Rows rows,
                          WithConstraint("C4", UniformRows(build, *by.length, by.nrows, count)));
  std::vector<GraphValue> outer;
  for (const RowDim& dim : rows.dims) outer.push_back(dim.length);
  SIGNET_ASSIGN_OR_RETURN(GraphValue sizes, build.Stack(outer));
  std::vector<int64_t> others(static_cast<size_t>(x.rank()) - 1);
  std::iota(others.begin(), others.end(), 1);
  SIGNET_ASSIGN_OR_RETURN(
      GraphValue dense_shape,
      build.Concat({sizes, build.Gather(x.dense_shape, Int64Vector(build, others))}));
  PartialShape shape =
      PartialShape{rows.dims[0].known_length, *by.length}.Concatenate(x.shape.Slice(1, x.rank()));
  SIGNET_ASSIGN_OR_RETURN(SparseParts made, Reshaped(build, x, dense_shape, std::move(shape)));
  return std::vector<GraphValue>{MakeSparseValue(build, made)};
}

}  // namespace

OpDef PartitionOuterDimension() {
  return {
      .name = "partition_outer_dimension",
      .summary = "Divides the rows of a value among new rows",
      .description =
          "Divides the rows of x among new rows, in all fields of a structure. `merge_dims` of "
          "dimensions 0 and 1 reverses it. With `row_splits`, the new rows are ragged. With "
          "`uniform_row_length`, they all have this length, and dense or sparse values stay dense "
          "or sparse; `nrows` is the number of new rows, which only rows of length 0 do not imply. "
          "So a batch of any type becomes `[m, k]` with `uniform_row_length=k`.",
      .inputs = {"x", "row_splits?"},
      .attributes = {{"uniform_row_length", NoneAttribute()}, {"nrows", NoneAttribute()}},
      .result = "A value of the dtype of x with one more dimension.",
      .constraints =
          {"x is a tensor, a ragged value, a sparse value, or a structure of rank at least 1, or a "
           "nest of such values.",
           "Either `row_splits` or `uniform_row_length` is given. `nrows` is given only with "
           "`uniform_row_length`.",
           "The row splits start at 0, do not decrease, and end at the number of rows of x.",
           "`uniform_row_length` is at least 0 and divides the number of rows of x."},
      .composites = "Sparse values require `uniform_row_length`.",
      .expand = ExpandPartition,
      .expand_sparse = ExpandSparsePartitionOuterDimension,
      .by_leaf = ByLeaf::kFirstInput,
      .own_dtypes = {"row_splits"},
  };
}

}  // namespace signet
