// where: returns the coordinates where a condition is True, or selects elements of two values by a
// condition.
//
//   where([[True, False], [True]])              =>  [[0, 0], [1, 0]]
//   where([True, False], [[1, 2], [3]], [[4], [5]])  =>  [[1, 2], [5]]

#include <algorithm>

#include "core/ops/build/op_builder.h"
#include "core/ops/build/parts.h"
#include "core/ops/build/rows/coordinates.h"
#include "core/ops/build/rows/rows.h"
#include "core/ops/build/sparse/sparse_picks.h"
#include "core/ops/def/inference.h"
#include "core/ops/indexing/indexing_ops.h"

namespace signet {
namespace {

// Returns the positions of the elements that are True in a condition of which all dimensions are
// opened.
StatusOr<GraphValue> TruePositions(OpBuilder& build, const Opened& condition) {
  SIGNET_ASSIGN_OR_RETURN(GraphValue count,
                          CountAt(build, condition.rows, condition.rows.depth() - 1));
  return build.WhereRows(condition.elements, count);
}

StatusOr<GraphValue> Coordinates(OpBuilder& build, const GraphValue& condition, int rank) {
  if (condition.spec.is(TypeKind::kTensor)) return build.WhereIndices(condition);
  SIGNET_ASSIGN_OR_RETURN(Opened opened, OpenRows(build, condition, rank));
  SIGNET_ASSIGN_OR_RETURN(GraphValue positions, TruePositions(build, opened));
  return CoordinatesOf(build, opened.rows, positions);
}

// Selects elements of `x` and `y`, which have the rows of the condition.
StatusOr<GraphValue> SelectElements(OpBuilder& build, const Opened& condition, const GraphValue& x,
                                    const GraphValue& y) {
  auto is_vector = [](const GraphValue& value) {
    return value.spec.is(TypeKind::kTensor) && value.spec.shape()->rank() == 1;
  };
  if (is_vector(x) && is_vector(y)) return build.Select(condition.elements, x, y);
  int last = condition.rows.depth() - 1;
  SIGNET_ASSIGN_OR_RETURN(GraphValue from_x, RowIdsOf(build, condition.rows, last, last));
  SIGNET_ASSIGN_OR_RETURN(GraphValue positions,
                          build.Select(condition.elements, from_x,
                                       build.Add(from_x, CountAt(build, condition.rows, last))));
  const GraphValue both[] = {x, y};
  SIGNET_ASSIGN_OR_RETURN(GraphValue joined, JoinRows(build, both));
  return TakeRows(build, joined, positions);
}

StatusOr<std::vector<GraphValue>> ExpandWhere(OpBuilder& build, const OpCall& call,
                                              std::span<const GraphValue> inputs) {
  // C1: the condition has dtype bool and a known rank.
  const TypeSpec& given = call.inputs[0];
  const auto* tensor = given.As<TensorSpec>();
  const auto* ragged = given.As<RaggedSpec>();
  bool fits = (tensor != nullptr && tensor->dtype() == DType::kBool) ||
              (ragged != nullptr && ragged->dtype() == DType::kBool);
  if (!fits || !given.shape()->has_rank()) {
    return WithConstraint("C1", InvalidArgument("input 0: expected bool of known rank, found `",
                                                given ? given.ToString() : "None", "`"));
  }
  int depth = given.shape()->rank();
  // C2: either both `x` and `y` are given, or neither is.
  bool has_x = HasInput(call, 1);
  bool has_y = HasInput(call, 2);
  if (has_x != has_y) {
    return WithConstraint("C2",
                          InvalidArgument("expected both `x` and `y` or neither, found only `",
                                          has_x ? "x" : "y", "`"));
  }
  if (!has_x) {
    return OneOutput(Coordinates(build, inputs[0], depth));
  }
  // C3: `x` and `y` have the same rank. The condition has this rank, is a scalar, or is a vector
  // that selects rows.
  SIGNET_ASSIGN_OR_RETURN(Opened condition, OpenRows(build, inputs[0], depth));
  SIGNET_ASSIGN_OR_RETURN(Opened x, WithConstraint("C3", OpenRows(build, inputs[1], depth)));
  SIGNET_ASSIGN_OR_RETURN(Opened y, WithConstraint("C3", OpenRows(build, inputs[2], depth)));
  int rank = inputs[1].spec.shape()->rank();
  if (inputs[2].spec.shape()->rank() != rank || (depth > 1 && depth != rank)) {
    return WithConstraint(
        "C3",
        InvalidArgument(
            "expected values of the same rank, and a condition that has this rank, is a vector, or "
            "is a scalar, found condition `",
            given, "` and values `", call.inputs[1], "` and `", call.inputs[2], "`"));
  }
  // C4: `x` and `y` have the dimensions of the condition. Nothing broadcasts.
  SIGNET_ASSIGN_OR_RETURN(Rows both, MergeRows(build, x.rows, y.rows, depth, "C4"));
  SIGNET_ASSIGN_OR_RETURN(condition.rows, MergeRows(build, condition.rows, both, depth, "C4"));
  // C5: `x` and `y` have the same dtype, or the same fields with the same dtypes.
  SIGNET_ASSIGN_OR_RETURN(
      GraphValue chosen,
      WithConstraint("C5", SelectElements(build, condition, x.elements, y.elements)));
  return OneOutput(CloseRows(build, condition.rows, chosen, call.inputs[1]));
}

}  // namespace

OpDef Where() {
  return {
      .name = "where",
      .summary = "Finds where a condition is true, or chooses between two values",
      .description =
          "With one input, returns the coordinates at which the condition is True, in row-major "
          "order. With three inputs, returns the elements of x where the condition is True and the "
          "elements of y elsewhere. If the condition is a vector, it chooses whole rows; if it is "
          "a scalar, it chooses all of x or all of y. Rows that are chosen whole may have "
          "different lengths. Nothing broadcasts; use `select` to broadcast.",
      .inputs = {"condition", "x?", "y?"},
      .result =
          "With one input, `int64[n, rank]`. With three inputs, a value of the dtype of x and y.",
      .constraints = {"The condition has the dtype bool and a known rank.",
                      "Both x and y are given, or neither.",
                      "x and y have the same rank. The condition has this rank, too, unless it is "
                      "a vector or a scalar.",
                      "The dimensions of the condition are equal in all inputs.",
                      "x and y have the same dtype, or are structures with the same fields."},
      .composites =
          "All inputs may be ragged. On structures, the elements are those of the dimensions of "
          "the structure. If the condition is sparse, the result holds the coordinates of the "
          "stored True values. If x and y are sparse and have the same dense shape (C4), the "
          "condition is a tensor, and the result is sparse.",
      .expand = ExpandWhere,
      .expand_sparse = ExpandSparseWhere,
      .own_dtypes = {"condition"},
  };
}

}  // namespace signet
