// Sparse entries: ops on the entries of sparse values, which the expansions of other ops call.
//
//   ravel_indices([[0, 1], [1, 0]], [2, 3])  =>  [1, 3]

#include "core/ops/build/row_splits.h"
#include "core/ops/build/slice_ranges.h"
#include "core/ops/build/sparse/sparse_parts.h"
#include "core/ops/def/inference.h"
#include "core/ops/sparse/sparse_ops.h"

namespace signet {
namespace {

TypeSpec Int64(PartialShape shape) { return TensorType(DType::kInt64, std::move(shape)); }

// Returns the shape of input `i`, which has a known rank. C1: the input is int64 of rank `rank`.
StatusOr<PartialShape> Int64Input(const OpCall& call, size_t i, int rank) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* input, TensorInput(call, i));
  PartialShape wanted = PartialShape::OfRank(rank);
  auto merged = input->shape().MergeWith(wanted);
  if (input->dtype() != DType::kInt64 || !merged.ok()) {
    return WithConstraint("C1", InvalidArgument("input ", i, ": expected `", Int64(wanted),
                                                "`, found `", call.inputs[i], "`"));
  }
  return merged;
}

// C1: input 0 contains the indices, and input 1 is the dense shape. C2: the indices have one column
// per dimension.
StatusOr<std::pair<int64_t, int64_t>> IndicesInput(const OpCall& call) {
  SIGNET_ASSIGN_OR_RETURN(PartialShape indices, Int64Input(call, 0, 2));
  SIGNET_ASSIGN_OR_RETURN(PartialShape sizes, Int64Input(call, 1, 1));
  auto rank = sizes.MergeWith({indices.dim(1)});
  if (!rank.ok()) {
    return WithConstraint("C2",
                          InvalidArgument("indices: expected ", sizes.dim(0),
                                          " columns, one per dimension, found ", indices.dim(1)));
  }
  return std::pair(indices.dim(0), rank->dim(0));
}

// C3: no size is less than 0, and the number of elements fits in int64. C4: the indices are within
// the dense shape. The kernel checks both.
StatusOr<std::vector<TypeSpec>> InferRavel(const OpCall& call) {
  SIGNET_ASSIGN_OR_RETURN(auto entries, IndicesInput(call));
  return OneOutput(Int64({entries.first}));
}

StatusOr<std::vector<TypeSpec>> InferUnravel(const OpCall& call) {
  SIGNET_ASSIGN_OR_RETURN(PartialShape positions, Int64Input(call, 0, 1));
  SIGNET_ASSIGN_OR_RETURN(PartialShape sizes, Int64Input(call, 1, 1));
  return OneOutput(Int64({positions.dim(0), sizes.dim(0)}));
}

// C2: the numbers never decrease. The kernel checks this.
StatusOr<std::vector<TypeSpec>> InferGroupEqual(const OpCall& call) {
  SIGNET_RETURN_IF_ERROR(Int64Input(call, 0, 1).status());
  return OneOutput(Int64({kUnknownDim}));
}

StatusOr<std::vector<TypeSpec>> InferScatterDense(const OpCall& call) {
  SIGNET_ASSIGN_OR_RETURN(PartialShape positions, Int64Input(call, 0, 1));
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* values, TensorInput(call, 1));
  SIGNET_ASSIGN_OR_RETURN(PartialShape sizes, Int64Input(call, 2, 1));
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* missing, TensorInput(call, 3));
  // C2: there is one value per position.
  if (!values->shape().IsCompatibleWith(positions)) {
    return WithConstraint("C2", InvalidArgument("input 1: expected one value per element of `",
                                                call.inputs[0], "`, found `", call.inputs[1], "`"));
  }
  // C5: the default is a scalar of the dtype of the values.
  if (missing->dtype() != values->dtype() || !missing->shape().IsCompatibleWith(Shape{})) {
    return WithConstraint(
        "C5", InvalidArgument("input 3: expected `", TensorType(values->dtype(), Shape{}),
                              "`, found `", call.inputs[3], "`"));
  }
  const Tensor* known = call.constant(2);
  PartialShape shape = known != nullptr ? KnownSizes(*known)
                       : sizes.dim(0) == kUnknownDim
                           ? PartialShape()
                           : PartialShape::OfRank(static_cast<int>(sizes.dim(0)));
  if (shape.has_rank()) SIGNET_RETURN_IF_ERROR(WithConstraint("C3", CheckOutputSize(shape)));
  return OneOutput(TensorType(values->dtype(), std::move(shape)));
}

// C2: `starts` is given with `limits`, `sizes`, or neither, and each list has the length of `axes`.
// C3: each axis is a dimension, and no axis occurs twice. C4: no size is less than -1. The kernel
// checks these.
StatusOr<std::vector<TypeSpec>> InferWindow(const OpCall& call) {
  SIGNET_ASSIGN_OR_RETURN(PartialShape sizes, Int64Input(call, 0, 1));
  SIGNET_ASSIGN_OR_RETURN(SliceRequest request, ReadSlice(call));
  std::vector<TypeSpec> out = OneOutput(Int64(sizes));
  out.push_back(Int64(std::move(sizes)));
  return out;
}

StatusOr<std::vector<TypeSpec>> InferCutEntries(const OpCall& call) {
  SIGNET_ASSIGN_OR_RETURN(auto entries, IndicesInput(call));
  SIGNET_RETURN_IF_ERROR(Int64Input(call, 2, 1).status());
  std::vector<TypeSpec> out = OneOutput(Int64({kUnknownDim}));
  out.push_back(Int64({kUnknownDim, entries.second}));
  return out;
}

// C2: the sizes are at least 0, except for one that may be -1. C3: the number of elements stays the
// same. The kernel checks both.
StatusOr<std::vector<TypeSpec>> InferCompleteShape(const OpCall& call) {
  SIGNET_RETURN_IF_ERROR(Int64Input(call, 0, 1).status());
  SIGNET_ASSIGN_OR_RETURN(PartialShape wanted, Int64Input(call, 1, 1));
  return OneOutput(Int64(std::move(wanted)));
}

// C3: the rank is at least 1, and the rows that are filled have a first element. The kernel checks
// this.
StatusOr<std::vector<TypeSpec>> InferFillRows(const OpCall& call) {
  SIGNET_ASSIGN_OR_RETURN(auto entries, IndicesInput(call));
  std::vector<TypeSpec> out = OneOutput(Int64({kUnknownDim, entries.second}));
  out.push_back(Int64({kUnknownDim}));
  out.push_back(TensorType(DType::kBool, {kUnknownDim}));
  return out;
}

StatusOr<std::vector<TypeSpec>> InferBoundingShape(const OpCall& call) {
  SIGNET_ASSIGN_OR_RETURN(PartialShape indices, Int64Input(call, 0, 2));
  return OneOutput(Int64({indices.dim(1)}));
}

StatusOr<std::vector<TypeSpec>> InferCsrMatmul(const OpCall& call) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* values, TensorInput(call, 0));
  SIGNET_ASSIGN_OR_RETURN(PartialShape columns, Int64Input(call, 1, 1));
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* splits, SplitsInput(call, 2));
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* dense, TensorInput(call, 3));
  // C2: there is one column per value.
  if (!values->shape().IsCompatibleWith(columns)) {
    return WithConstraint("C2", InvalidArgument("input 0: expected one value per element of `",
                                                call.inputs[1], "`, found `", call.inputs[0], "`"));
  }
  // C3: the inputs have the same dtype, which a matrix product accepts. C4: the other input is a
  // vector or a matrix. C5: each column is the index of one of its rows. The kernel checks C5.
  DType dtype = values->dtype();
  bool multiplied =
      IsFloat(dtype) || IsComplex(dtype) || (IsInteger(dtype) && SizeOf(dtype) >= sizeof(int32_t));
  if (!multiplied || dense->dtype() != dtype) {
    return WithConstraint(
        "C3",
        InvalidArgument(
            "inputs 0 and 3: expected the same dtype, which is a float dtype, a complex dtype, or "
            "an integer dtype of 32 or 64 bits, found `",
            call.inputs[0], "` and `", call.inputs[3], "`"));
  }
  const PartialShape& shape = dense->shape();
  if (shape.has_rank() && shape.rank() != 1 && shape.rank() != 2) {
    return WithConstraint("C4", InvalidArgument("input 3: expected a vector or a matrix, found `",
                                                call.inputs[3], "`"));
  }
  if (!shape.has_rank()) return OneOutput(TensorType(dtype, {}));
  PartialShape out = PartialShape{KnownRows(*splits)}.Concatenate(shape.Slice(1, shape.rank()));
  SIGNET_RETURN_IF_ERROR(CheckOutputSize(out));
  return OneOutput(TensorType(dtype, std::move(out)));
}

}  // namespace

std::vector<OpDef> SparseEntryOps() {
  return {
      {
          .name = "ravel_indices",
          .summary = "Converts indices to row-major positions",
          .inputs = {"indices", "dense_shape"},

          .constraints = {"Indices are `int64[n, rank]`, and the dense shape is `int64[rank]`.",
                          "There is one column per dimension.",
                          "No size is less than 0, and int64 can hold the number of elements.",
                          "The indices are within the dense shape."},
          .infer = InferRavel,
          .internal = true,
      },
      {
          .name = "unravel_indices",
          .summary = "Converts row-major positions to indices",
          .inputs = {"positions", "dense_shape"},

          .constraints = {"Positions are `int64[n]`, and the dense shape is `int64[rank]`.", "",
                          "No size is less than 0, and int64 can hold the number of elements.",
                          "The positions are within the dense shape."},
          .infer = InferUnravel,
          .internal = true,
      },
      {
          .name = "group_equal",
          .summary = "Returns the row splits of runs of equal numbers",
          .inputs = {"sorted"},

          .constraints = {"The input is a vector of int64.", "The numbers are in ascending order."},
          .infer = InferGroupEqual,
          .internal = true,
      },
      {
          .name = "scatter_dense",
          .summary = "Creates a tensor from values at ascending positions",
          .inputs = {"positions", "values", "dense_shape", "default"},

          .constraints = {"Positions are `int64[n]`, and the dense shape is `int64[rank]`.",
                          "There is one value per position.",
                          "No size is less than 0, and int64 can hold the number of elements.",
                          "The positions are within the dense shape.",
                          "The default is a scalar of the dtype of the values."},
          .infer = InferScatterDense,
          .internal = true,
      },
      {
          .name = "sparse_window",
          .summary = "Returns the starts and sizes of a slice, cut to a dense shape",
          .inputs = {"dense_shape"},
          .attributes = {{"starts", NoneAttribute()},
                         {"limits", NoneAttribute()},
                         {"sizes", NoneAttribute()},
                         {"steps", NoneAttribute()},
                         {"axes", NoneAttribute()}},

          .outputs = {"starts", "sizes"},
          .constraints = {"The dense shape is `int64[rank]`."},
          .infer = InferWindow,
          .internal = true,
      },
      {
          .name = "cut_entries",
          .summary = "Returns the entries inside a window, and their indices in it",
          .inputs = {"indices", "starts", "sizes"},

          .outputs = {"positions", "indices"},
          .constraints =
              {"Indices are `int64[n, rank]`, and the starts and sizes are `int64[rank]`.",
               "There is one column per dimension."},
          .infer = InferCutEntries,
          .internal = true,
      },
      {
          .name = "complete_shape",
          .summary = "Replaces -1 in a shape by the size that it stands for",
          .inputs = {"dense_shape", "shape"},

          .constraints = {"Both shapes are vectors of int64.", "",
                          "No size is less than 0 except for one -1, and int64 can hold the number "
                          "of elements; it stays the same."},
          .infer = InferCompleteShape,
          .internal = true,
      },
      {
          .name = "fill_rows",
          .summary = "Adds an index to each empty row",
          .inputs = {"indices", "dense_shape"},

          .outputs = {"indices", "positions", "is_empty"},
          .constraints = {"Indices are `int64[n, rank]`, and the dense shape is `int64[rank]`.",
                          "There is one column per dimension.",
                          "No size is less than 0, int64 can hold the number of elements, and rows "
                          "have a first element."},
          .infer = InferFillRows,
          .internal = true,
      },
      {
          .name = "bounding_shape",
          .summary = "Returns the smallest dense shape that contains indices",
          .inputs = {"indices"},

          .constraints = {"Indices are `int64[n, rank]`."},
          .infer = InferBoundingShape,
          .internal = true,
      },
      {.name = "csr_matmul",
       .summary = "Multiplies a sparse matrix in compressed rows by a dense matrix",
       .description =
           "Multiplies a matrix of compressed rows (CSR) by a vector or a matrix. `values` and "
           "`columns` describe the entries of all rows, and `row_splits` divides them into rows.",
       .inputs = {"values", "columns", "row_splits", "dense"},
       .result = "A tensor of the dtype of the values, with one row per row of the sparse matrix.",
       .constraints =
           {"The columns are a vector of int64, and the row splits start at 0 and do not decrease.",
            "There is one column per value, and the row splits end at their number.",
            "Both matrices have the same dtype, which `matmul` accepts.",
            "The dense input has rank 1 or 2.",
            "Each column is a row of the dense input (OUT_OF_RANGE)."},
       .infer = InferCsrMatmul,
       .own_dtypes = {"columns", "row_splits"}},
  };
}

}  // namespace signet
