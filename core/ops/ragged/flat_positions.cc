// flat_positions: converts positions in rows to positions in the flat values of all rows.
//
//   flat_positions([[2, 0], [1]], [0, 3, 5])  =>  [[2, 0], [4]]

#include "core/ops/build/op_builder.h"
#include "core/ops/build/parts.h"
#include "core/ops/build/row_splits.h"
#include "core/ops/build/rows/rows.h"
#include "core/ops/ragged/ragged_ops.h"

namespace signet {
namespace {

// Returns the row splits and the number of dimensions that precede the rows.
StatusOr<std::pair<GraphValue, int>> RowsOf(const GraphValue& value) {
  if (value.spec && value.spec.is(TypeKind::kTensor)) return std::pair(value, 1);
  SIGNET_ASSIGN_OR_RETURN(std::vector<GraphValue> splits, SplitsOfRows(value));
  return std::pair(splits.back(), static_cast<int>(splits.size()));
}

StatusOr<std::vector<GraphValue>> ExpandFlatPositions(OpBuilder& build, const OpCall&,
                                                      std::span<const GraphValue> inputs) {
  // C1: input 1 is row splits, or a value with ragged rows.
  SIGNET_ASSIGN_OR_RETURN(auto rows, RowsOf(inputs[1]));
  // C2: the positions are integers, and their first dimensions are those of the rows.
  const auto* tensor = inputs[0].spec ? inputs[0].spec.As<TensorSpec>() : nullptr;
  const auto* ragged = inputs[0].spec ? inputs[0].spec.As<RaggedSpec>() : nullptr;
  const bool is_integer = (tensor != nullptr && IsIndexDType(tensor->dtype())) ||
                          (ragged != nullptr && IsIndexDType(ragged->dtype()));
  const PartialShape* shape = inputs[0].spec ? inputs[0].spec.shape() : nullptr;
  if (!is_integer || !shape->has_rank() || shape->rank() < rows.second) {
    return WithConstraint(
        "C2", InvalidArgument("input 0: expected int32 or int64 of rank at least ", rows.second,
                              ", with a row of positions per row, found `",
                              inputs[0].spec ? inputs[0].spec.ToString() : "None", "`"));
  }
  // C3: each row has an element at each position. The kernel of row_elements checks this.
  const int depth = shape->rank();
  SIGNET_ASSIGN_OR_RETURN(Opened opened, OpenToTensor(build, inputs[0], depth));
  SIGNET_ASSIGN_OR_RETURN(GraphValue row_ids,
                          RowIdsOf(build, opened.rows, rows.second - 1, depth - 1));
  SIGNET_ASSIGN_OR_RETURN(GraphValue flat, build.RowElements(rows.first, row_ids, opened.elements));
  return OneOutput(CloseRows(build, opened.rows, flat, inputs[0].spec));
}

}  // namespace

OpDef FlatPositions() {
  return {
      .name = "flat_positions",
      .summary = "Converts positions in rows to positions in the flat values",
      .description =
          "Converts positions within rows, such as `segment_top_k`, `sort`, and `argmax` return "
          "them, to positions in the flat values of all rows. `row_splits` is the row splits of "
          "the values, or the ragged value or list of records itself. The positions have one "
          "number, or one row of numbers, per row.",
      .inputs = {"positions", "row_splits"},
      .result = "An int64 value of the form of the positions.",
      .constraints = {"Input 1 is row splits, or a value with ragged rows.",
                      "The positions are int32 or int64, and their first dimensions are those of "
                      "the rows.",
                      "Each row has an element at each of its positions (OUT_OF_RANGE)."},
      .composites = "The positions may be ragged, and the rows may be ragged or records.",
      .expand = ExpandFlatPositions,
      .own_dtypes = {"positions", "row_splits"},
  };
}

}  // namespace signet
