// embedding_lookup: looks up rows of a table by id and combines the rows for each row of ids.
//
//   embedding_lookup(table, [[2, 0], []], combiner="sum")  =>  [table[2] + table[0], 0]

#include <numeric>

#include "core/ops/build/literal_inputs.h"
#include "core/ops/build/op_builder.h"
#include "core/ops/build/parts.h"
#include "core/ops/build/rows/rows.h"
#include "core/ops/def/inference.h"
#include "core/ops/ragged/ragged_ops.h"
#include "core/ops/ragged/ragged_sparse.h"
#include "signet/sparse_spec.h"

namespace signet {
namespace {

DType DTypeOf(const TypeSpec& spec) {
  if (const auto* ragged = spec.As<RaggedSpec>()) return ragged->dtype();
  if (const auto* sparse = spec.As<SparseSpec>()) return sparse->dtype();
  return spec.As<TensorSpec>()->dtype();
}

// Returns true if `spec` has rows that can be combined: its known rank is at least 1.
bool HasRows(const TypeSpec& spec) {
  if (!spec || spec.shape() == nullptr || !spec.shape()->has_rank()) return false;
  int rank = spec.shape()->rank();
  if (spec.is(TypeKind::kSparse)) return rank == 2;
  return (spec.is(TypeKind::kTensor) || spec.is(TypeKind::kRagged)) && rank > 0;
}

// Opens all dimensions of ids or weights. Sparse ids or weights are opened as rows of their
// entries.
StatusOr<Opened> OpenAll(OpBuilder& build, const GraphValue& value) {
  if (!value.spec.is(TypeKind::kSparse)) {
    return OpenRows(build, value, value.spec.shape()->rank());
  }
  SIGNET_ASSIGN_OR_RETURN(Entries entries, OpenEntries(build, value));
  return std::move(entries.values);
}

// Expands one number per row to `rank` dimensions, so that it broadcasts with the rows.
StatusOr<GraphValue> ExpandToRank(OpBuilder& build, GraphValue numbers, int rank) {
  for (int axis = 1; axis < rank; ++axis) {
    SIGNET_ASSIGN_OR_RETURN(numbers, build.ExpandDims(numbers, {.axis = axis}));
  }
  return numbers;
}

GraphValue ScalarOf(DType dtype, double value, OpBuilder& build) {
  return *TensorFor(build, {LiteralType(Literal::Float(value)), {}}, dtype);
}

// Scales down each row whose L2 norm exceeds `limit`.
StatusOr<GraphValue> ClipRowNorms(OpBuilder& build, const GraphValue& rows, double limit) {
  const auto& tensor = *rows.spec.As<TensorSpec>();
  std::vector<int64_t> axes(static_cast<size_t>(tensor.shape().rank()) - 1);
  std::iota(axes.begin(), axes.end(), 1);
  SIGNET_ASSIGN_OR_RETURN(
      GraphValue norm,
      build.Sqrt(build.ReduceSum(build.Square(rows), {.axes = axes, .keepdims = true})));
  GraphValue most = ScalarOf(tensor.dtype(), limit, build);
  return rows * (most / build.Maximum(norm, most));
}

// Returns the divisor of the sum of each row.
StatusOr<GraphValue> Divisor(OpBuilder& build, std::string_view combiner, DType dtype,
                             const GraphValue& weights, const GraphValue& splits) {
  bool is_mean = combiner == "mean";
  GraphValue divisor = weights;
  if (!weights.spec) {
    SIGNET_ASSIGN_OR_RETURN(divisor, build.Cast(build.RowLengths(splits), {.dtype = dtype}));
  } else {
    if (!is_mean) {
      SIGNET_ASSIGN_OR_RETURN(divisor, build.Square(divisor));
    }
    SIGNET_ASSIGN_OR_RETURN(divisor, build.SegmentSum(divisor, splits));
  }
  if (is_mean) return divisor;
  return build.Sqrt(divisor);
}

// Returns x / y, or 0 where y is 0. If y `counts` the numbers that x sums up, x is 0 where y is 0.
StatusOr<GraphValue> DivideOrZero(OpBuilder& build, const GraphValue& x, const GraphValue& y,
                                  bool counts) {
  if (counts) {
    return x / build.Maximum(y, build.OnesLike(y));
  }
  SIGNET_ASSIGN_OR_RETURN(GraphValue zero, build.ZerosLike(y));
  SIGNET_ASSIGN_OR_RETURN(GraphValue nothing, build.Equal(y, zero));
  return build.Select(nothing, zero, build.Div(x, y));
}

StatusOr<GraphValue> LookUp(OpBuilder& build, const OpCall& call, const GraphValue& table,
                            const GraphValue& ids, const GraphValue& given_weights) {
  // C1: the table is a tensor of floats, and the ids are int32 or int64. Both have a known rank of
  // at least 1. Sparse ids have rank 2.
  bool fits = table.spec.is(TypeKind::kTensor) && HasRows(table.spec) &&
              IsFloat(DTypeOf(table.spec)) && HasRows(ids.spec) && IsIndexDType(DTypeOf(ids.spec));
  if (!fits) {
    return WithConstraint(
        "C1", InvalidArgument("expected a table of floats and rows of int32 or int64 ids, found `",
                              table.spec ? table.spec.ToString() : "None", "` and `",
                              ids.spec ? ids.spec.ToString() : "None", "`"));
  }
  DType dtype = DTypeOf(table.spec);
  // C2: the combiner is sum, mean, or sqrtn.
  SIGNET_ASSIGN_OR_RETURN(std::string combiner,
                          WithConstraint("C2", call.attributes.String("combiner")));
  if (combiner != "sum" && combiner != "mean" && combiner != "sqrtn") {
    return WithConstraint("C2", InvalidArgument("unsupported combiner `", Printable(combiner),
                                                "`; supported combiners: sum, mean, sqrtn"));
  }
  int rank = ids.spec.shape()->rank();
  SIGNET_ASSIGN_OR_RETURN(Opened opened, OpenAll(build, ids));
  // C3: the weights have the dtype of the table, and there is one weight per id.
  GraphValue weights;
  if (given_weights.spec) {
    if (!HasRows(given_weights.spec) || DTypeOf(given_weights.spec) != dtype ||
        given_weights.spec.shape()->rank() != rank) {
      return WithConstraint(
          "C3", InvalidArgument("weights: expected ", NameOf(dtype), ", one per element of `",
                                ids.spec, "`, found `", given_weights.spec, "`"));
    }
    SIGNET_ASSIGN_OR_RETURN(Opened opened_weights, OpenAll(build, given_weights));
    SIGNET_ASSIGN_OR_RETURN(opened.rows,
                            MergeRows(build, opened.rows, opened_weights.rows, rank, "C3"));
    weights = std::move(opened_weights.elements);
  }
  // C4: `max_norm` is None or greater than 0.
  SIGNET_ASSIGN_OR_RETURN(GraphValue rows, build.Gather(table, opened.elements));
  if (!IsNone(call.attributes, "max_norm")) {
    SIGNET_ASSIGN_OR_RETURN(double limit, WithConstraint("C4", call.attributes.Float("max_norm")));
    if (!(limit > 0))
      return WithConstraint("C4", InvalidArgument("max_norm: expected more than 0, found ", limit));
    SIGNET_ASSIGN_OR_RETURN(rows, ClipRowNorms(build, rows, limit));
  }
  int table_rank = table.spec.shape()->rank();
  if (weights.spec) {
    SIGNET_ASSIGN_OR_RETURN(rows, build.Mul(rows, ExpandToRank(build, weights, table_rank)));
  }
  SIGNET_ASSIGN_OR_RETURN(GraphValue splits, SplitsOf(build, opened.rows, rank - 1));
  SIGNET_ASSIGN_OR_RETURN(GraphValue combined, build.SegmentSum(rows, splits));
  if (combiner != "sum") {
    SIGNET_ASSIGN_OR_RETURN(GraphValue divisor, Divisor(build, combiner, dtype, weights, splits));
    SIGNET_ASSIGN_OR_RETURN(divisor, ExpandToRank(build, divisor, table_rank));
    SIGNET_ASSIGN_OR_RETURN(combined, DivideOrZero(build, combined, divisor, !weights.spec));
  }
  opened.rows.dims.pop_back();
  return CloseRows(build, opened.rows, combined);
}

StatusOr<std::vector<GraphValue>> ExpandEmbeddingLookup(OpBuilder& build, const OpCall& call,
                                                        std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(GraphValue ids, RowsFor(build, inputs[1], DType::kInt64));
  GraphValue weights;
  if (inputs.size() > 2 && inputs[0].spec.is(TypeKind::kTensor)) {
    SIGNET_ASSIGN_OR_RETURN(weights, RowsFor(build, inputs[2], DTypeOf(inputs[0].spec)));
  }
  return OneOutput(LookUp(build, call, inputs[0], ids, weights));
}

}  // namespace

OpDef EmbeddingLookup() {
  return {
      .name = "embedding_lookup",
      .summary = "Combines the rows of a table that ids select",
      .description =
          "Selects the rows of the table at the ids and combines them over the last dimension of "
          "the ids. The `combiner` is `sum`: the sum of the rows times their weights; `mean`: the "
          "sum divided by the sum of the weights; or `sqrtn`: the sum divided by the square root "
          "of the sum of the squares of the weights. A missing weight is 1. If there are no ids, "
          "or if the divisor is 0, the result is 0. With `max_norm`, rows of the table whose L2 "
          "norm is larger are scaled down to it first. Ids that are not in the table are rejected "
          "as OUT_OF_RANGE.",
      .inputs = {"table", "ids", "weights?"},
      .attributes = {{"combiner", AttributeOf("mean")}, {"max_norm", NoneAttribute()}},
      .result =
          "A value of the dtype of the table: the outer dimensions of the ids, followed by the "
          "dimensions of a row.",
      .constraints = {"The table is a tensor of floats. The ids are int32 or int64. Both have a "
                      "known rank of at least 1, and sparse ids have rank 2.",
                      "`combiner` is `sum`, `mean`, or `sqrtn`.",
                      "The weights have the dtype of the table, and there is one per id.",
                      "`max_norm` is None or greater than 0."},
      .composites = "The ids and the weights may be ragged, or a sparse matrix.",
      .expand = ExpandEmbeddingLookup,
      .literals_as_tensors = false,
  };
}

}  // namespace signet
