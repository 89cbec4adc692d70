// partition_outer_dimension: divides the rows of a value among new rows. The constraints are those
// of docs/ops/dimensions.md.
//
//   partition_outer_dimension(x, [0, 2, 3])   x: [{a: int8[]}]   =>  [[{a: int8[]}]]
//
// Expansion only: elements stay where they are.

#include "core/base/checked_math.h"
#include "core/ops/dimension_ops.h"
#include "core/ops/inference.h"
#include "core/ops/parts.h"
#include "core/ops/row_splits.h"
#include "core/ops/rows.h"

namespace signet {
namespace {

// The rows that row splits make of `count`.
StatusOr<Rows> RaggedRows(Expander& expander, const GraphValue& splits, const GraphValue& count) {
  const auto* spec = splits.spec.As<TensorSpec>();
  if (spec == nullptr || !IsIndexDType(spec->dtype())) {
    return InvalidArgument("input 1 is `", splits.spec,
                           "`; takes row splits, a vector of int32 or int64");
  }
  SIGNET_ASSIGN_OR_RETURN(GraphValue checked, expander.Call1("check_row_splits", {splits, count}));
  SIGNET_ASSIGN_OR_RETURN(GraphValue rows, expander.Call1("num_rows", {checked}));
  int64_t known = KnownRows(*checked.spec.As<TensorSpec>());
  return Rows{{UniformDim(std::move(rows), known), RaggedDim(std::move(checked))}};
}

// Rows of one length that make up `count`: `nrows` of them, or as many as that takes.
StatusOr<Rows> UniformRows(Expander& expander, int64_t length, std::optional<int64_t> nrows,
                           const GraphValue& count) {
  if (!nrows && length == 0) nrows = 0;
  int64_t least = nrows.value_or(0);
  bool fits = length >= 0 && least >= 0 && least <= kMaxOutputElements &&
              CheckedMultiply(length, least).has_value();
  if (!fits) {
    return InvalidArgument(nrows ? Cat(*nrows, " rows") : "rows", " of length ", length,
                           "; takes a length of at least 0 and up to ", kMaxOutputElements,
                           " rows");
  }
  RowDim rows;
  RowDim row = UniformDim(expander, length);
  if (nrows) {
    rows = UniformDim(expander, *nrows);
  } else {
    SIGNET_ASSIGN_OR_RETURN(rows.length, expander.Call1("floordiv", {count, row.length}));
    const Tensor* known = expander.LookupConstant(rows.length.components[0]);
    if (known != nullptr) rows.known_length = known->scalar<int64_t>();
  }
  SIGNET_ASSIGN_OR_RETURN(GraphValue product, expander.Call1("mul", {rows.length, row.length}));
  std::string message = Cat("`partition_outer_dimension`: C4 rows of length ", length,
                            " do not make up the rows there are");
  SIGNET_RETURN_IF_ERROR(CheckSizes(expander, product, count, message));
  return Rows{{std::move(rows), std::move(row)}};
}

StatusOr<std::vector<GraphValue>> ExpandPartition(Expander& expander, const OpCall& call,
                                                  std::span<const GraphValue> inputs) {
  // C1: input 0 is a tensor, ragged or structured value of rank at least 1.
  SIGNET_ASSIGN_OR_RETURN(Opened x, Labelled("C1", OpenRows(expander, inputs[0], 1)));
  const GraphValue& count = x.rows.dims[0].length;
  // C2: either row splits or a length for all rows is given; only with a length, `nrows`.
  SIGNET_ASSIGN_OR_RETURN(auto length,
                          Labelled("C2", call.attributes.OptionalInt("uniform_row_length")));
  SIGNET_ASSIGN_OR_RETURN(auto nrows, Labelled("C2", call.attributes.OptionalInt("nrows")));
  bool by_splits = HasInput(call, 1);
  if (by_splits == length.has_value() || (by_splits && nrows)) {
    return InvalidArgument("C2 takes either row splits, or `uniform_row_length` and maybe `nrows`");
  }
  // C3: row splits start at 0, never decrease, and end at the number of rows.
  // C4: rows of one length, at least 0, make up all rows.
  SIGNET_ASSIGN_OR_RETURN(Rows rows,
                          by_splits ? Labelled("C3", RaggedRows(expander, inputs[1], count))
                                    : Labelled("C4", UniformRows(expander, *length, nrows, count)));
  SIGNET_ASSIGN_OR_RETURN(GraphValue made, CloseRows(expander, rows, x.elements, inputs[0].spec));
  return std::vector<GraphValue>{made};
}

}  // namespace

OpDef PartitionOuterDimension() {
  return {
      .name = "partition_outer_dimension",
      .summary = "Divides the rows of a value among new rows",
      .inputs = {"x", "row_splits?"},
      .attributes = {{"uniform_row_length", NoneAttribute()}, {"nrows", NoneAttribute()}},
      .expand = ExpandPartition,
      .own_dtypes = {"row_splits"},
  };
}

}  // namespace signet
