// repeat_rows: repeats the element of each row once per value of the row.
//
//   repeat_rows([10, 20], [0, 2, 3])  =>  [10, 10, 20]

#include "core/ops/build/op_builder.h"
#include "core/ops/build/parts.h"
#include "core/ops/build/row_splits.h"
#include "core/ops/ragged/ragged_ops.h"

namespace signet {
namespace {

StatusOr<std::vector<TypeSpec>> InferRepeatRows(const OpCall& call) {
  // C1: input 1 is row splits.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorInput(call, 0));
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* splits, SplitsInput(call, 1));
  const PartialShape& shape = x->shape();
  if (!shape.has_rank()) return OneOutput(call.inputs[0]);
  // C2: input 0 has one element per row.
  int64_t rows = KnownRows(*splits);
  bool fits = shape.rank() > 0 && PartialShape{rows}.IsCompatibleWith(shape.Slice(0, 1));
  if (!fits) {
    return WithConstraint("C2", InvalidArgument("input 0: expected one element per row of `",
                                                call.inputs[1], "`, found `", call.inputs[0], "`"));
  }
  PartialShape out = shape.WithDim(0, KnownValues(call, 1));
  SIGNET_RETURN_IF_ERROR(CheckOutputSize(out));
  return OneOutput(TensorType(x->dtype(), std::move(out)));
}

// Expands repeat_rows(x, rows) of a ragged value or lists of records. The result is ragged and has
// the rows of input 1.
StatusOr<std::vector<GraphValue>> ExpandRepeatRows(OpBuilder& build, const OpCall& call,
                                                   std::span<const GraphValue> inputs) {
  RaggedParts parts;
  SIGNET_ASSIGN_OR_RETURN(parts.splits, SplitsOfRows(inputs[1]));
  const GraphValue splits = parts.splits.back();
  GraphValue x = inputs[0];
  if (x.spec && x.spec.is(TypeKind::kRagged)) x = ComponentOf(x, 0);
  SIGNET_ASSIGN_OR_RETURN(parts.values, build.CallOne(call.op.name, {x, splits}));
  return OneOutput(MakeRaggedValue(parts));
}

}  // namespace

OpDef RepeatRows() {
  return {
      .name = "repeat_rows",
      .summary = "Repeats each row for each value of its group",
      .description =
          "Returns, for each value, the row of x with the number of the row that contains the "
          "value.",
      .inputs = {"x", "row_splits"},
      .result =
          "A tensor with one row per value. If input 1 is a ragged value or lists of records, the "
          "result has its rows.",
      .constraints = {"Input 1 is row splits, or a value with ragged rows.",
                      "x has one element per row."},
      .composites = "Input 1 may be a ragged value or lists of records.",
      .infer = InferRepeatRows,
      .expand = ExpandRepeatRows,
      .own_dtypes = {"row_splits"},
  };
}

}  // namespace signet
