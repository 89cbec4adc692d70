// boolean_mask: keeps the rows that a mask says. The constraints are those of docs/ops.md.

#include "core/ops/all_ops.h"
#include "core/ops/inference.h"
#include "core/ops/parts.h"

namespace signet {
namespace {

StatusOr<std::vector<GraphValue>> ExpandBooleanMask(Expander& expander, const OpCall& call,
                                                    std::span<const GraphValue> inputs) {
  // C1: the mask is a vector of bool.
  const auto* mask = call.inputs[1] ? call.inputs[1].As<TensorSpec>() : nullptr;
  bool fits = mask != nullptr && mask->dtype() == DType::kBool && mask->shape().has_rank() &&
              mask->shape().rank() == 1;
  if (!fits) {
    return InvalidArgument("C1 input 1 is `", call.inputs[1] ? call.inputs[1].ToString() : "None",
                           "`; takes a vector of bool");
  }
  // C2: it has an entry for each row of the first input.
  SIGNET_ASSIGN_OR_RETURN(GraphValue rows,
                          Labelled("C2", expander.Call1("struct_nrows", {inputs[0]})));
  SIGNET_ASSIGN_OR_RETURN(GraphValue entries, DimSize(expander, inputs[1], 0));
  const Tensor* x = expander.LookupConstant(rows.components[0]);
  const Tensor* y = expander.LookupConstant(entries.components[0]);
  if (x != nullptr && y != nullptr && !SameTensor(*x, *y)) {
    return InvalidArgument("C2 mask of ", y->scalar<int64_t>(), " entries; there are ",
                           x->scalar<int64_t>(), " rows");
  }
  SIGNET_ASSIGN_OR_RETURN(GraphValue kept, expander.Call1("where_rows", {inputs[1], rows}));
  return expander.Call("gather", std::vector<GraphValue>{inputs[0], kept}, {});
}

StatusOr<std::vector<TypeSpec>> InferWhereRows(const OpCall& call) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* mask, TensorInput(call, 0));
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* rows, TensorInput(call, 1));
  if (mask->dtype() != DType::kBool || rows->dtype() != DType::kInt64) {
    return InvalidArgument("C1 inputs are `", call.inputs[0], "` and `", call.inputs[1],
                           "`; takes a vector of bool and `int64[]`");
  }
  return OneOutput(TensorType(DType::kInt64, {kUnknownDim}));
}

}  // namespace

OpDef BooleanMask() {
  return {
      .name = "boolean_mask",
      .summary = "Keeps the rows that a mask says",
      .inputs = {"x", "mask"},
      .expand = ExpandBooleanMask,
      .own_dtypes = {"mask"},
  };
}

OpDef WhereRows() {
  return {
      .name = "where_rows",
      .summary = "Gives the positions that hold in a mask of as many rows",
      .inputs = {"mask", "rows"},
      .infer = InferWhereRows,
  };
}

}  // namespace signet
