// matmul: multiplies matrices, with batch dimensions that broadcast.

#include "core/ops/linalg/matmul.h"

#include <algorithm>

#include "core/ops/build/op_builder.h"
#include "core/ops/build/parts.h"
#include "core/ops/build/sparse/sparse_expansions.h"
#include "core/ops/build/sparse/sparse_parts.h"
#include "core/ops/def/dtype_group.h"
#include "core/ops/def/inference.h"
#include "core/ops/linalg/linalg_ops.h"
#include "signet/ragged_spec.h"
#include "signet/sparse_spec.h"

namespace signet {
namespace {

bool IsMultiplied(DType dtype) {
  return IsFloat(dtype) || IsComplex(dtype) ||
         (IsInteger(dtype) && SizeOf(dtype) >= sizeof(int32_t));
}

StatusOr<const TensorSpec*> MatrixInput(const OpCall& call, size_t i, bool transposed) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* input, TensorInput(call, i));
  if (!IsMultiplied(input->dtype())) {
    return WithConstraint(
        "C2", InvalidArgument(
                  "input ", i,
                  ": expected a float or complex dtype, or integers of 32 or 64 bits, found `",
                  call.inputs[i], "`"));
  }
  if (input->shape().has_rank() && input->shape().rank() < (transposed ? 2 : 1)) {
    return WithConstraint(
        "C4", InvalidArgument("input ", i, ": expected rank ",
                              transposed ? "2 or more, to be transposed" : "1 or more", ", found `",
                              call.inputs[i], "`"));
  }
  return input;
}

StatusOr<std::vector<TypeSpec>> InferMatmul(const OpCall& call) {
  SIGNET_ASSIGN_OR_RETURN(bool transpose_a, call.attributes.Bool("transpose_a"));
  SIGNET_ASSIGN_OR_RETURN(bool transpose_b, call.attributes.Bool("transpose_b"));
  // C1: the inputs are tensors. C2: they have a float or complex dtype, or integers of 32 or 64
  // bits. C4: they have rank 1 or more, and rank 2 or more if they are transposed.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* a, MatrixInput(call, 0, transpose_a));
  SIGNET_RETURN_IF_ERROR(MatrixInput(call, 1, transpose_b).status());
  // C3: both inputs have the same dtype.
  SIGNET_RETURN_IF_ERROR(CheckSameDType(call, 0, 1, "C3"));
  SIGNET_ASSIGN_OR_RETURN(PartialShape shape, MatmulShape(call, transpose_a, transpose_b));
  return OneOutput(TensorType(a->dtype(), std::move(shape)));
}

// Multiplies the rows of a ragged tensor by one matrix, by multiplying its flat values.
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
    return WithConstraint("C1", Unimplemented("unsupported structure `", input.spec,
                                              "`; apply `matmul` to its fields"));
  }
  if (!rows) {
    return WithConstraint("C1", InvalidArgument("inputs 0 and 1: expected tensors, or a ragged "
                                                "tensor with a uniform last dimension and "
                                                "a matrix, found `",
                                                inputs[0].spec, "` and `", inputs[1].spec, "`"));
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

// Transposes a matrix, which may be sparse.
StatusOr<GraphValue> TransposeMatrix(OpBuilder& build, const GraphValue& x) {
  return build.Transpose(x);
}

// Multiplies a sparse by a dense matrix: gathers rows of the dense matrix, multiplies them by the
// stored values, and sums them per row of the sparse matrix.
StatusOr<std::vector<GraphValue>> ExpandSparseMatmul(OpBuilder& build, const OpCall& call,
                                                     std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(bool transpose_a, call.attributes.Bool("transpose_a"));
  SIGNET_ASSIGN_OR_RETURN(bool transpose_b, call.attributes.Bool("transpose_b"));
  GraphValue a = inputs[0];
  GraphValue b = inputs[1];
  auto rank_of = [](const GraphValue& x) {
    const PartialShape* shape = x.spec ? x.spec.shape() : nullptr;
    return shape != nullptr && shape->has_rank() ? shape->rank() : -1;
  };
  bool tensor =
      (a.spec && a.spec.is(TypeKind::kTensor)) || (b.spec && b.spec.is(TypeKind::kTensor));
  const GraphValue& sparse = IsSparse(a) ? a : b;
  const GraphValue& dense = IsSparse(a) ? b : a;
  if (!tensor || rank_of(sparse) != 2 || rank_of(dense) < 1 || rank_of(dense) > 2) {
    return Unimplemented("unsupported inputs `", TypesOf(inputs),
                         "`; supported: a sparse matrix and a dense vector or matrix");
  }
  // C4: an input that is transposed is a matrix.
  if ((transpose_a && rank_of(a) < 2) || (transpose_b && rank_of(b) < 2)) {
    return WithConstraint(
        "C4", InvalidArgument("expected matrices to transpose, found `", TypesOf(inputs), "`"));
  }
  // If the second input is sparse, the op uses a b = (b' a')'.
  bool sparse_is_second = !IsSparse(a);
  if (sparse_is_second) {
    std::swap(a, b);
    std::swap(transpose_a, transpose_b);
    transpose_a = !transpose_a;
    transpose_b = rank_of(b) == 2 && !transpose_b;
  }
  if (transpose_a) {
    SIGNET_ASSIGN_OR_RETURN(a, TransposeMatrix(build, a));
  }
  if (transpose_b) {
    SIGNET_ASSIGN_OR_RETURN(b, TransposeMatrix(build, b));
  }
  SIGNET_ASSIGN_OR_RETURN(SparseParts x, SparsePartsOf(build, a, call.op.name));
  // C3: both inputs have the same dtype. C5: the dimensions that are summed over have the same
  // size.
  if (x.values.spec.As<TensorSpec>()->dtype() != b.spec.As<TensorSpec>()->dtype()) {
    return WithConstraint("C3", InvalidArgument("inputs: expected the same dtype, found `",
                                                TypesOf(inputs), "`; convert one with `cast`"));
  }
  Status error = WithConstraint(
      "C5",
      InvalidArgument("inputs `", TypesOf(inputs),
                      "`: expected the same number of elements along the dimensions summed over"));
  if (!PartialShape{x.shape.dim(1)}.IsCompatibleWith(b.spec.shape()->Slice(0, 1))) {
    return error;
  }
  SIGNET_ASSIGN_OR_RETURN(GraphValue summed, SizeAt(build, x, 1));
  SIGNET_ASSIGN_OR_RETURN(GraphValue fits, build.Equal(summed, DimSize(build, b, 0)));
  SIGNET_RETURN_IF_ERROR(CheckThat(build, fits, call.op.name, error));
  auto column = [&](int64_t i) {
    return build.Gather(x.indices, Int64Constant(build, i), {.axis = 1});
  };
  SIGNET_ASSIGN_OR_RETURN(GraphValue row_ids, column(0));
  SIGNET_ASSIGN_OR_RETURN(GraphValue columns, column(1));
  SIGNET_ASSIGN_OR_RETURN(
      GraphValue out, build.CsrMatmul(x.values, columns,
                                      build.RowSplitsFromRowIds(row_ids, SizeAt(build, x, 0)), b));
  if (sparse_is_second && rank_of(b) == 2) {
    SIGNET_ASSIGN_OR_RETURN(out, TransposeMatrix(build, out));
  }
  return std::vector<GraphValue>{out};
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
    return WithConstraint(
        "C5",
        InvalidArgument(
            "inputs `", call.inputs[0], "` and `", call.inputs[1],
            "`: expected the same number of elements along the dimensions summed over, found ",
            from_left, " and ", from_right));
  }
  auto batch =
      BroadcastShapes(left.Slice(0, std::max(p - 2, 0)), right.Slice(0, std::max(q - 2, 0)));
  if (!batch.ok()) return WithConstraint("C6", batch.status());
  PartialShape shape = *batch;
  if (p > 1) shape = shape.Concatenate(PartialShape{left.dim(transpose_a ? p - 1 : p - 2)});
  if (q > 1) shape = shape.Concatenate(PartialShape{right.dim(transpose_b ? q - 2 : q - 1)});
  return shape;
}

OpDef Matmul() {
  return {
      .name = "matmul",
      .summary = "Multiplies matrices",
      .description =
          "Multiplies the matrices in the last two dimensions. The dimensions before them are a "
          "batch and broadcast. As a, a vector is a matrix with one row; as b, a vector is a "
          "matrix with one column; this dimension is removed from the result. With `transpose_a` "
          "or `transpose_b`, the last two dimensions are exchanged first. A sum of no products is "
          "0.",
      .inputs = {"a", "b"},
      .attributes = {{"transpose_a", AttributeOf(false)}, {"transpose_b", AttributeOf(false)}},
      .result =
          "A tensor of the same dtype: the batch dimensions, the rows of a, and the columns of b.",
      .constraints =
          {"The inputs are tensors, or a is ragged and b is a matrix, or one input is sparse.",
           "The dtype is a float or complex dtype, or an integer dtype of 32 or 64 bits.",
           "Both inputs have the same dtype.",
           "The rank is at least 1, and at least 2 for an input that is transposed.",
           "The dimensions that are summed over are equal.", "The batch dimensions broadcast."},
      .composites =
          "A ragged `a` whose last dimension is uniform is multiplied by one matrix row by row. A "
          "sparse matrix is multiplied by a dense matrix or vector, or a dense matrix or vector by "
          "a sparse matrix; the result is a tensor.",
      .infer = InferMatmul,
      .expand = ExpandMatmul,
      .expand_sparse = ExpandSparseMatmul,
  };
}

}  // namespace signet
