// Padded rows: ops that convert between ragged rows and dense rows of one width. The expansions of
// ragged_to_dense and ragged_from_dense call them.

#include "core/ops/build/row_splits.h"
#include "core/ops/ragged/ragged_ops.h"

namespace signet {
namespace {

StatusOr<std::vector<TypeSpec>> InferPadRows(const OpCall& call) {
  // C1: input 1 is row splits, and input 0 has a rank of at least 1. C3: the row splits end at the
  // number of values.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* values, TensorInput(call, 0));
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* splits, SplitsInput(call, 1));
  const PartialShape& shape = values->shape();
  if (shape.has_rank() && shape.rank() == 0) {
    return WithConstraint(
        "C1", InvalidArgument("input 0: expected a rank of at least 1, found a scalar"));
  }
  // C4: `default` has the dtype of the values and the last dimensions of an element. If it is
  // missing, it is 0, False, or "".
  if (HasInput(call, 2)) {
    SIGNET_ASSIGN_OR_RETURN(const TensorSpec* missing, TensorInput(call, 2));
    bool fits = missing->dtype() == values->dtype();
    if (fits && shape.has_rank() && missing->shape().has_rank()) {
      int rank = missing->shape().rank();
      fits = rank < shape.rank() &&
             missing->shape().IsCompatibleWith(shape.Slice(shape.rank() - rank, shape.rank()));
    }
    if (!fits) {
      return WithConstraint(
          "C4",
          InvalidArgument("input 2: expected the dtype and the last dimensions of an element of `",
                          call.inputs[0], "`, found `", call.inputs[2], "`"));
    }
  }
  // C5: `width` is at least 0, and the result has at most 2^31 elements.
  SIGNET_ASSIGN_OR_RETURN(auto width, WithConstraint("C5", call.attributes.OptionalInt("width")));
  if (width && *width < 0)
    return WithConstraint("C5", InvalidArgument("width: expected at least 0, found ", *width));
  if (!shape.has_rank()) return OneOutput(TensorType(values->dtype(), {}));
  PartialShape out = PartialShape{KnownRows(*splits), width.value_or(kUnknownDim)}.Concatenate(
      shape.Slice(1, shape.rank()));
  SIGNET_RETURN_IF_ERROR(WithConstraint("C5", CheckOutputSize(out)));
  return OneOutput(TensorType(values->dtype(), std::move(out)));
}

StatusOr<std::vector<TypeSpec>> InferUnpadRows(const OpCall& call) {
  // C1: input 1 is row splits.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorInput(call, 0));
  SIGNET_RETURN_IF_ERROR(SplitsInput(call, 1).status());
  const PartialShape& shape = x->shape();
  if (!shape.has_rank()) return OneOutput(TensorType(x->dtype(), {}));
  // C2: input 0 has a rank of at least 2. C3: it has the number of rows of the row splits, and no
  // row is longer than its width.
  if (shape.rank() < 2) {
    return WithConstraint("C2", InvalidArgument("input 0: expected a rank of at least 2, found `",
                                                call.inputs[0], "`"));
  }
  PartialShape out = PartialShape{KnownValues(call, 1)}.Concatenate(shape.Slice(2, shape.rank()));
  return OneOutput(TensorType(x->dtype(), std::move(out)));
}

StatusOr<std::vector<TypeSpec>> InferLengthsWithoutPadding(const OpCall& call) {
  // C1: input 0 is a bool tensor of rank 2.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* padding, TensorInput(call, 0));
  const PartialShape& shape = padding->shape();
  if (padding->dtype() != DType::kBool || !shape.IsCompatibleWith(PartialShape::OfRank(2))) {
    return WithConstraint(
        "C1", InvalidArgument("input 0: expected bool of rank 2, found `", call.inputs[0], "`"));
  }
  int64_t rows = shape.has_rank() ? shape.dim(0) : kUnknownDim;
  return OneOutput(TensorType(DType::kInt64, {rows}));
}

StatusOr<std::vector<TypeSpec>> InferClipLengths(const OpCall& call) {
  // C1: the lengths are int32 or int64, and the width is an int64 scalar.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* lengths, TensorInput(call, 0));
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* width, TensorInput(call, 1));
  if (!IsIndexDType(lengths->dtype()) || width->dtype() != DType::kInt64) {
    return WithConstraint(
        "C1", InvalidArgument("expected int32 or int64 lengths and a width `int64[]`, found `",
                              call.inputs[0], "` and `", call.inputs[1], "`"));
  }
  return OneOutput(TensorType(DType::kInt64, lengths->shape()));
}

}  // namespace

std::vector<OpDef> PaddedRowOps() {
  return {
      {
          .name = "pad_rows",
          .summary = "Converts rows to a dense tensor by padding short rows",
          .inputs = {"values", "row_splits", "default?"},
          .attributes = {{"width", NoneAttribute()}},
          .constraints =
              {"Input 1 is row splits. The values have a rank of at least 1.", "",
               "The row splits end at the number of values.",
               "`default` has the dtype of the values and the last dimensions of one value.",
               "`width` is at least 0, and the result has at most 2^31 elements."},
          .infer = InferPadRows,
          .internal = true,
      },
      {
          .name = "unpad_rows",
          .summary = "Returns the start of each row of a dense tensor",
          .inputs = {"x", "row_splits"},
          .constraints = {"The splits are row splits.", "The tensor has a rank of at least 2.",
                          "The tensor has one row per row, and no row is longer than its width."},
          .infer = InferUnpadRows,
          .internal = true,
      },
      {
          .name = "lengths_without_padding",
          .summary = "Returns the length of each row without the padding at its end",
          .inputs = {"is_padding"},
          .constraints = {"The input is a bool matrix that is True at padding."},
          .infer = InferLengthsWithoutPadding,
          .internal = true,
      },
      {
          .name = "clip_lengths",
          .summary = "Limits lengths to the range from 0 to a width",
          .inputs = {"lengths", "width"},

          .infer = InferClipLengths,
          .internal = true,
      },
  };
}

}  // namespace signet
