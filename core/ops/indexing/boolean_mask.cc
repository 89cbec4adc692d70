// boolean_mask: keeps the rows or elements where a mask is True. Elements stay in their rows.
//
//   boolean_mask([[1, 2], [3]], [True, False])       =>  [[1, 2]]
//   boolean_mask([[1, 2], [3]], [[False, True], [False]])  =>  [[2], []]

#include "core/ops/build/op_builder.h"
#include "core/ops/build/parts.h"
#include "core/ops/build/rows/rows.h"
#include "core/ops/build/sparse/sparse_picks.h"
#include "core/ops/def/inference.h"
#include "core/ops/indexing/indexing_ops.h"

namespace signet {
namespace {

StatusOr<std::vector<GraphValue>> ExpandBooleanMask(OpBuilder& build, const OpCall& call,
                                                    std::span<const GraphValue> inputs) {
  // C1: the mask has dtype bool and a known rank, which is at least 1.
  const TypeSpec& given = call.inputs[1];
  const auto* tensor = given.As<TensorSpec>();
  const auto* ragged = given.As<RaggedSpec>();
  bool fits = ((tensor != nullptr && tensor->dtype() == DType::kBool) ||
               (ragged != nullptr && ragged->dtype() == DType::kBool)) &&
              given.shape()->has_rank() && given.shape()->rank() > 0;
  if (!fits) {
    return WithConstraint(
        "C1", InvalidArgument("input 1: expected bool of known rank, which is at least 1, found `",
                              given ? given.ToString() : "None", "`"));
  }
  // C2: the first input has the dimensions of the mask, with the same rows.
  int depth = given.shape()->rank();
  SIGNET_ASSIGN_OR_RETURN(Opened x, WithConstraint("C2", OpenRows(build, inputs[0], depth)));
  SIGNET_ASSIGN_OR_RETURN(Opened mask, OpenRows(build, inputs[1], depth));
  SIGNET_ASSIGN_OR_RETURN(Rows rows, MergeRows(build, x.rows, mask.rows, depth, "C2"));
  SIGNET_ASSIGN_OR_RETURN(GraphValue kept,
                          build.WhereRows(mask.elements, CountAt(build, rows, depth - 1)));
  SIGNET_ASSIGN_OR_RETURN(GraphValue elements, TakeRows(build, x.elements, kept));
  // Outer dimensions keep their rows. The rows of the innermost dimension lose the masked elements.
  if (depth == 1) {
    SIGNET_ASSIGN_OR_RETURN(GraphValue length, DimSize(build, kept, 0));
    rows.dims[0] = UniformDim(std::move(length));
  } else {
    SIGNET_ASSIGN_OR_RETURN(GraphValue splits,
                            build.MaskRowSplits(SplitsOf(build, rows, depth - 1), mask.elements));
    rows.dims.back() = RaggedDim(std::move(splits));
  }
  return OneOutput(CloseRows(build, rows, elements));
}

StatusOr<std::vector<TypeSpec>> InferWhereRows(const OpCall& call) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* mask, TensorInput(call, 0));
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* rows, TensorInput(call, 1));
  if (mask->dtype() != DType::kBool || rows->dtype() != DType::kInt64) {
    return WithConstraint("C1", InvalidArgument("expected a vector of bool and `int64[]`, found `",
                                                call.inputs[0], "` and `", call.inputs[1], "`"));
  }
  return OneOutput(TensorType(DType::kInt64, {kUnknownDim}));
}

}  // namespace

OpDef BooleanMask() {
  return {
      .name = "boolean_mask",
      .summary = "Keeps the rows or elements that a mask selects",
      .description =
          "With a mask of one dimension, returns the rows of x where the mask is True. With a mask "
          "of more dimensions, returns the selected elements in the outer rows in which they were.",
      .inputs = {"x", "mask"},
      .result =
          "A value of the dtype of x: a tensor for a vector mask on a tensor, otherwise with "
          "ragged rows.",
      .constraints =
          {"The mask has the dtype bool and a known rank of at least 1.",
           "The first dimensions of x are the dimensions of the mask, with the same rows."},
      .composites =
          "x is a tensor, a ragged value, or a structure, and the mask may be ragged. On a sparse "
          "value, the mask is a vector.",
      .expand = ExpandBooleanMask,
      .expand_sparse = ExpandSparseBooleanMask,
      .own_dtypes = {"mask"},
  };
}

OpDef WhereRows() {
  return {
      .name = "where_rows",
      .summary = "Returns the positions at which a mask is True",
      .description =
          "Returns the positions at which the mask is True. `boolean_mask` gathers by them.",
      .inputs = {"mask", "rows"},
      .result = "A vector of int64.",
      .constraints = {"The mask is a vector of bool, and `rows` is `int64[]`.",
                      "The mask has `rows` elements."},
      .infer = InferWhereRows,
      .internal = true,
  };
}

}  // namespace signet
