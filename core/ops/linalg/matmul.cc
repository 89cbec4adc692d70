// matmul: products of matrices, with batch dimensions that broadcast. The constraints are those of
// docs/reference/ops.md.

#include "core/ops/linalg/matmul.h"

#include <algorithm>

#include "core/ops/build/op_builder.h"
#include "core/ops/def/dtype_group.h"
#include "core/ops/def/inference.h"
#include "core/ops/linalg/linalg_ops.h"
#include "signet/ragged_spec.h"

namespace signet {
namespace {

bool IsMultiplied(DType dtype) {
  return IsFloat(dtype) || IsComplex(dtype) ||
         (IsInteger(dtype) && SizeOf(dtype) >= sizeof(int32_t));
}

StatusOr<const TensorSpec*> MatrixInput(const OpCall& call, size_t i, bool transposed) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* input, TensorInput(call, i));
  if (!IsMultiplied(input->dtype())) {
    return InvalidArgument("C2 input ", i, " is `", call.inputs[i],
                           "`; takes a float or complex dtype, or integers of 32 or 64 bits");
  }
  if (input->shape().has_rank() && input->shape().rank() < (transposed ? 2 : 1)) {
    return InvalidArgument("C4 input ", i, " is `", call.inputs[i], "`; takes rank ",
                           transposed ? "2 or more, to be transposed" : "1 or more");
  }
  return input;
}

StatusOr<std::vector<TypeSpec>> InferMatmul(const OpCall& call) {
  SIGNET_ASSIGN_OR_RETURN(bool transpose_a, call.attributes.Bool("transpose_a"));
  SIGNET_ASSIGN_OR_RETURN(bool transpose_b, call.attributes.Bool("transpose_b"));
  // C1: the inputs are tensors. C2: of a float or complex dtype, or wide integers. C4: of rank 1 or
  // more; 2 or more where transposed.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* a, MatrixInput(call, 0, transpose_a));
  SIGNET_RETURN_IF_ERROR(MatrixInput(call, 1, transpose_b).status());
  // C3: their dtypes are equal.
  SIGNET_RETURN_IF_ERROR(CheckSameDType(call, 0, 1, "C3"));
  SIGNET_ASSIGN_OR_RETURN(PartialShape shape, MatmulShape(call, transpose_a, transpose_b));
  return OneOutput(TensorType(a->dtype(), std::move(shape)));
}

// Rows of a ragged tensor times one matrix: its flat values times it.
StatusOr<std::vector<GraphValue>> ExpandMatmul(OpBuilder& build, const OpCall& call,
                                               std::span<const GraphValue> inputs) {
  const auto* a = inputs[0].spec ? inputs[0].spec.As<RaggedSpec>() : nullptr;
  const auto* b = inputs[1].spec ? inputs[1].spec.As<TensorSpec>() : nullptr;
  SIGNET_ASSIGN_OR_RETURN(bool transpose_a, call.attributes.Bool("transpose_a"));
  bool rows = a != nullptr && b != nullptr && !transpose_a && a->shape().has_rank() &&
              a->shape().rank() >= a->ragged_rank() + 2 && b->shape().has_rank() &&
              b->shape().rank() <= 2;
  for (const GraphValue& input : inputs) {
    if (!input.spec || !input.spec.is(TypeKind::kStructured)) continue;
    return Unimplemented("C1 `", input.spec, "`; structures have no arithmetic, their fields do");
  }
  if (!rows) {
    return InvalidArgument("C1 inputs are `", inputs[0].spec, "` and `", inputs[1].spec,
                           "`; takes tensors, or a ragged tensor with a uniform last dimension "
                           "and a matrix");
  }
  SIGNET_ASSIGN_OR_RETURN(
      GraphValue values,
      build.CallOne("matmul",
                    {GraphValue{a->FlatValuesSpec(), {inputs[0].components[0]}}, inputs[1]},
                    call.attributes));
  GraphValue out = inputs[0];
  out.components[0] = values.components[0];
  const PartialShape& result = *values.spec.shape();
  SIGNET_ASSIGN_OR_RETURN(
      out.spec,
      MakeRaggedType(a->dtype(),
                     a->shape()
                         .Slice(0, a->ragged_rank() + 1)
                         .Concatenate(result.has_rank() ? result.Slice(1, result.rank()) : result),
                     a->ragged_rank(), a->splits_dtype()));
  return std::vector<GraphValue>{std::move(out)};
}

}  // namespace

StatusOr<PartialShape> MatmulShape(const OpCall& call, bool transpose_a, bool transpose_b) {
  const PartialShape& left = *call.inputs[0].shape();
  const PartialShape& right = *call.inputs[1].shape();
  if (!left.has_rank() || !right.has_rank()) return PartialShape();
  int p = left.rank();
  int q = right.rank();
  int64_t from_left = left.dim(p == 1 || !transpose_a ? p - 1 : p - 2);
  int64_t from_right = right.dim(q == 1 || transpose_b ? q - 1 : q - 2);
  if (from_left != from_right && from_left != kUnknownDim && from_right != kUnknownDim) {
    return InvalidArgument("C5 inputs `", call.inputs[0], "` and `", call.inputs[1],
                           "` are summed over ", from_left, " and ", from_right,
                           " elements; takes as many of both");
  }
  auto batch =
      BroadcastShapes(left.Slice(0, std::max(p - 2, 0)), right.Slice(0, std::max(q - 2, 0)));
  if (!batch.ok()) return Labelled("C6", batch.status());
  PartialShape shape = *batch;
  if (p > 1) shape = shape.Concatenate(PartialShape{left.dim(transpose_a ? p - 1 : p - 2)});
  if (q > 1) shape = shape.Concatenate(PartialShape{right.dim(transpose_b ? q - 2 : q - 1)});
  return shape;
}

OpDef Matmul() {
  return {
      .name = "matmul",
      .summary = "Multiplies matrices",
      .inputs = {"a", "b"},
      .attributes = {{"transpose_a", AttributeOf(false)}, {"transpose_b", AttributeOf(false)}},
      .infer = InferMatmul,
      .expand = ExpandMatmul,
  };
}

}  // namespace signet
