// embedding_lookup: rows of a table by their numbers, those of each row of numbers combined. The
// constraints are those of docs/reference/ops/ragged.md.
//
//   embedding_lookup(table, [[2, 0], []], combiner="sum")  =>  [table[2] + table[0], 0]

#include <numeric>

#include "core/ops/build/literal_inputs.h"
#include "core/ops/build/parts.h"
#include "core/ops/build/rows/rows.h"
#include "core/ops/def/inference.h"
#include "core/ops/ragged/ragged_ops.h"
#include "core/ops/ragged/ragged_sparse.h"
#include "core/types/sparse_spec.h"

namespace signet {
namespace {

DType DTypeOf(const TypeSpec& spec) {
  if (const auto* ragged = spec.As<RaggedSpec>()) return ragged->dtype();
  if (const auto* sparse = spec.As<SparseSpec>()) return sparse->dtype();
  return spec.As<TensorSpec>()->dtype();
}

// Whether `spec` has rows to be combined: elements in its last dimension.
bool HasRows(const TypeSpec& spec) {
  if (!spec || spec.shape() == nullptr || !spec.shape()->has_rank()) return false;
  int rank = spec.shape()->rank();
  if (spec.is(TypeKind::kSparse)) return rank == 2;
  return (spec.is(TypeKind::kTensor) || spec.is(TypeKind::kRagged)) && rank > 0;
}

// All dimensions of ids or weights; of sparse ones, those of their entries.
StatusOr<Opened> OpenAll(Expander& expander, const GraphValue& value) {
  if (!value.spec.is(TypeKind::kSparse)) {
    return OpenRows(expander, value, value.spec.shape()->rank());
  }
  SIGNET_ASSIGN_OR_RETURN(Entries entries, OpenEntries(expander, value));
  return std::move(entries.values);
}

// A number for each row, beside rows of `rank` dimensions.
StatusOr<GraphValue> Beside(Expander& expander, GraphValue numbers, int rank) {
  for (int axis = 1; axis < rank; ++axis) {
    SIGNET_ASSIGN_OR_RETURN(numbers, expander.Call1("expand_dims", {numbers},
                                                    Attributes({{"axis", AttributeOf(axis)}})));
  }
  return numbers;
}

GraphValue ScalarOf(DType dtype, double value, Expander& expander) {
  return *TensorFor(expander, {LiteralType(Literal::Float(value)), {}}, dtype);
}

// Rows whose norm is above `limit`, shortened to it.
StatusOr<GraphValue> Shortened(Expander& expander, const GraphValue& rows, double limit) {
  const auto& tensor = *rows.spec.As<TensorSpec>();
  std::vector<int64_t> axes(static_cast<size_t>(tensor.shape().rank()) - 1);
  std::iota(axes.begin(), axes.end(), 1);
  SIGNET_ASSIGN_OR_RETURN(GraphValue norm, expander.Call1("square", {rows}));
  SIGNET_ASSIGN_OR_RETURN(
      norm, expander.Call1("reduce_sum", {norm},
                           Attributes({{"axes", AttributeOf(std::span<const int64_t>(axes))},
                                       {"keepdims", AttributeOf(true)}})));
  SIGNET_ASSIGN_OR_RETURN(norm, expander.Call1("sqrt", {norm}));
  GraphValue most = ScalarOf(tensor.dtype(), limit, expander);
  SIGNET_ASSIGN_OR_RETURN(norm, expander.Call1("maximum", {norm, most}));
  SIGNET_ASSIGN_OR_RETURN(GraphValue scale, expander.Call1("div", {most, norm}));
  return expander.Call1("mul", {rows, scale});
}

// What the sum of each row is divided by.
StatusOr<GraphValue> Divisor(Expander& expander, std::string_view combiner, DType dtype,
                             const GraphValue& weights, const GraphValue& splits) {
  bool is_mean = combiner == "mean";
  GraphValue divisor = weights;
  if (!weights.spec) {
    SIGNET_ASSIGN_OR_RETURN(divisor, expander.Call1("row_lengths", {splits}));
    SIGNET_ASSIGN_OR_RETURN(
        divisor, expander.Call1("cast", {divisor}, Attributes({{"dtype", AttributeOf(dtype)}})));
  } else {
    if (!is_mean) {
      SIGNET_ASSIGN_OR_RETURN(divisor, expander.Call1("square", {divisor}));
    }
    SIGNET_ASSIGN_OR_RETURN(divisor, expander.Call1("segment_sum", {divisor, splits}));
  }
  if (is_mean) return divisor;
  return expander.Call1("sqrt", {divisor});
}

// x / y, and 0 where y is. Where y `counts` what x sums up, x is so as well.
StatusOr<GraphValue> Divided(Expander& expander, const GraphValue& x, const GraphValue& y,
                             bool counts) {
  if (counts) {
    SIGNET_ASSIGN_OR_RETURN(GraphValue one, expander.Call1("ones_like", {y}));
    SIGNET_ASSIGN_OR_RETURN(one, expander.Call1("maximum", {y, one}));
    return expander.Call1("div", {x, one});
  }
  SIGNET_ASSIGN_OR_RETURN(GraphValue zero, expander.Call1("zeros_like", {y}));
  SIGNET_ASSIGN_OR_RETURN(GraphValue nothing, expander.Call1("equal", {y, zero}));
  SIGNET_ASSIGN_OR_RETURN(GraphValue quotient, expander.Call1("div", {x, y}));
  return expander.Call1("select", {nothing, zero, quotient});
}

StatusOr<GraphValue> LookUp(Expander& expander, const OpCall& call, const GraphValue& table,
                            const GraphValue& ids, const GraphValue& given_weights) {
  // C1: the table is a tensor of floats of known rank, at least 1; ids are int32 or int64, of known
  // rank, at least 1; sparse ones, of rank 2.
  bool fits = table.spec.is(TypeKind::kTensor) && HasRows(table.spec) &&
              IsFloat(DTypeOf(table.spec)) && HasRows(ids.spec) && IsIndexDType(DTypeOf(ids.spec));
  if (!fits) {
    return InvalidArgument("C1 inputs are `", table.spec ? table.spec.ToString() : "None",
                           "` and `", ids.spec ? ids.spec.ToString() : "None",
                           "`; takes a table of floats, and int32 or int64 in rows");
  }
  DType dtype = DTypeOf(table.spec);
  // C2: the combiner is sum, mean or sqrtn.
  SIGNET_ASSIGN_OR_RETURN(std::string combiner, Labelled("C2", call.attributes.String("combiner")));
  if (combiner != "sum" && combiner != "mean" && combiner != "sqrtn") {
    return InvalidArgument("C2 combiner `", Printable(combiner), "`; takes sum, mean or sqrtn");
  }
  int rank = ids.spec.shape()->rank();
  SIGNET_ASSIGN_OR_RETURN(Opened opened, OpenAll(expander, ids));
  // C3: weights are of the dtype of the table, one for each of the ids.
  GraphValue weights;
  if (given_weights.spec) {
    if (!HasRows(given_weights.spec) || DTypeOf(given_weights.spec) != dtype ||
        given_weights.spec.shape()->rank() != rank) {
      return InvalidArgument("C3 weights are `", given_weights.spec, "`; takes ", NameOf(dtype),
                             ", one for each of `", ids.spec, "`");
    }
    SIGNET_ASSIGN_OR_RETURN(Opened beside, OpenAll(expander, given_weights));
    SIGNET_ASSIGN_OR_RETURN(opened.rows, MergeRows(expander, opened.rows, beside.rows, rank, "C3"));
    weights = std::move(beside.elements);
  }
  // C4: `max_norm` is None or above 0.
  SIGNET_ASSIGN_OR_RETURN(GraphValue rows, expander.Call1("gather", {table, opened.elements}));
  if (!IsNone(call.attributes, "max_norm")) {
    SIGNET_ASSIGN_OR_RETURN(double limit, Labelled("C4", call.attributes.Float("max_norm")));
    if (!(limit > 0)) return InvalidArgument("C4 max_norm is ", limit, "; takes more than 0");
    SIGNET_ASSIGN_OR_RETURN(rows, Shortened(expander, rows, limit));
  }
  int table_rank = table.spec.shape()->rank();
  if (weights.spec) {
    SIGNET_ASSIGN_OR_RETURN(GraphValue factors, Beside(expander, weights, table_rank));
    SIGNET_ASSIGN_OR_RETURN(rows, expander.Call1("mul", {rows, factors}));
  }
  SIGNET_ASSIGN_OR_RETURN(GraphValue splits, SplitsOf(expander, opened.rows, rank - 1));
  SIGNET_ASSIGN_OR_RETURN(GraphValue combined, expander.Call1("segment_sum", {rows, splits}));
  if (combiner != "sum") {
    SIGNET_ASSIGN_OR_RETURN(GraphValue divisor,
                            Divisor(expander, combiner, dtype, weights, splits));
    SIGNET_ASSIGN_OR_RETURN(divisor, Beside(expander, divisor, table_rank));
    SIGNET_ASSIGN_OR_RETURN(combined, Divided(expander, combined, divisor, !weights.spec));
  }
  opened.rows.dims.pop_back();
  return CloseRows(expander, opened.rows, combined);
}

StatusOr<std::vector<GraphValue>> ExpandEmbeddingLookup(Expander& expander, const OpCall& call,
                                                        std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(GraphValue ids, RowsFor(expander, inputs[1], DType::kInt64));
  GraphValue weights;
  if (inputs.size() > 2 && inputs[0].spec.is(TypeKind::kTensor)) {
    SIGNET_ASSIGN_OR_RETURN(weights, RowsFor(expander, inputs[2], DTypeOf(inputs[0].spec)));
  }
  SIGNET_ASSIGN_OR_RETURN(GraphValue out, LookUp(expander, call, inputs[0], ids, weights));
  return std::vector<GraphValue>{out};
}

}  // namespace

OpDef EmbeddingLookup() {
  return {
      .name = "embedding_lookup",
      .summary = "Takes rows of a table by number, and combines those of each row of numbers",
      .inputs = {"table", "ids", "weights?"},
      .attributes = {{"combiner", AttributeOf("mean")}, {"max_norm", NoneAttribute()}},
      .expand = ExpandEmbeddingLookup,
      .literals_as_tensors = false,
  };
}

}  // namespace signet
