// gather: picks slices of a tensor by index. The constraints are those of docs/ops.md.
//
//   gather(x, indices, axis=1)   x: [a, n, b], indices: [i, j]   =>   [a, i, j, b]
//
// On ragged values and structures it picks whole rows (gather_rows.h).

#include "core/ops/all_ops.h"
#include "core/ops/gather_rows.h"
#include "core/ops/inference.h"
#include "core/ops/literal_inputs.h"

namespace signet {
namespace {

StatusOr<std::vector<TypeSpec>> InferGather(const OpCall& call) {
  // C1: the inputs are tensors; the indices are int32 or int64.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorInput(call, 0));
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* indices, TensorInput(call, 1));
  if (!IsIndexDType(indices->dtype())) {
    return InvalidArgument("C1 input 1 is `", call.inputs[1], "`; takes int32 or int64");
  }
  const PartialShape& shape = x->shape();
  if (!shape.has_rank()) return OneOutput(TensorType(x->dtype(), {}));
  // C2: `axis` is a dimension of the first input.
  if (shape.rank() == 0) {
    return InvalidArgument("C2 input 0 is `", call.inputs[0], "`; takes a rank of at least 1");
  }
  SIGNET_ASSIGN_OR_RETURN(int axis, AxisAttribute(call, "axis", shape.rank(), "C2"));
  PartialShape out = shape.Slice(0, axis).Concatenate(indices->shape());
  if (out.has_rank()) out = out.Concatenate(shape.Slice(axis + 1, shape.rank()));
  SIGNET_RETURN_IF_ERROR(CheckOutputSize(out));
  return OneOutput(TensorType(x->dtype(), std::move(out)));
}

StatusOr<std::vector<GraphValue>> ExpandGather(Expander& expander, const OpCall& call,
                                               std::span<const GraphValue> inputs) {
  for (size_t i = 0; i < 2; ++i) {
    if (!inputs[i].spec) return TensorInput(call, i).status();
  }
  SIGNET_ASSIGN_OR_RETURN(GraphValue indices, TensorFor(expander, inputs[1], DType::kInt64));
  GraphValue x = inputs[0];
  if (IsPlainLiteral(x)) {
    return InvalidArgument("C1 input 0 is `", x.spec, "`; takes a tensor");
  }
  SIGNET_ASSIGN_OR_RETURN(GraphValue out, ExpandGatherRows(expander, call, x, indices));
  return std::vector<GraphValue>{out};
}

}  // namespace

OpDef Gather() {
  return {
      .name = "gather",
      .summary = "Picks slices by index along an axis, or rows of a ragged value or structure",
      .inputs = {"x", "indices"},
      .attributes = {{"axis", AttributeOf(0)}},
      .infer = InferGather,
      .expand = ExpandGather,
      .literals_as_tensors = false,
  };
}

OpDef StructGather() {
  return {
      .name = "struct_gather",
      .summary = "Picks rows of a structure by index",
      .inputs = {"x", "indices"},
      .expand =
          [](Expander& expander, const OpCall&, std::span<const GraphValue> inputs) {
            return expander.Call("gather", inputs, {});
          },
      .literals_as_tensors = false,
  };
}

}  // namespace signet
