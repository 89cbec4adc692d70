// squeeze: removes dimensions of size 1.

#include <algorithm>

#include "core/ops/build/op_builder.h"
#include "core/ops/build/parts.h"
#include "core/ops/build/rows/rows.h"
#include "core/ops/build/sparse/sparse_structure.h"
#include "core/ops/def/inference.h"
#include "core/ops/shape/shape_ops.h"

namespace signet {
namespace {

StatusOr<std::vector<TypeSpec>> InferSqueeze(const OpCall& call) {
  // C1: the input is a tensor.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorInput(call, 0));
  const PartialShape& shape = x->shape();
  SIGNET_ASSIGN_OR_RETURN(auto axes, WithConstraint("C2", OptionalInts(call.attributes, "axes")));
  if (!shape.has_rank()) return OneOutput(TensorType(x->dtype(), {}));
  std::vector<bool> dropped(static_cast<size_t>(shape.rank()), false);
  if (axes) {
    for (int64_t given : *axes) {
      // C2: each of `axes` is a dimension of size 1.
      SIGNET_ASSIGN_OR_RETURN(int axis, WithConstraint("C2", NormalizeAxis(given, shape.rank())));
      if (shape.dim(axis) != 1 && shape.dim(axis) != kUnknownDim) {
        return WithConstraint(
            "C2",
            InvalidArgument("dimension ", axis, ": expected size 1, found `", call.inputs[0], "`"));
      }
      dropped[static_cast<size_t>(axis)] = true;
    }
  } else {
    for (int axis = 0; axis < shape.rank(); ++axis) {
      // Without `axes`, an unknown size leaves the rank of the result unknown.
      if (shape.dim(axis) == kUnknownDim) return OneOutput(TensorType(x->dtype(), {}));
      dropped[static_cast<size_t>(axis)] = shape.dim(axis) == 1;
    }
  }
  std::vector<int64_t> kept;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (!dropped[static_cast<size_t>(axis)]) kept.push_back(shape.dim(axis));
  }
  return OneOutput(TensorType(x->dtype(), PartialShape(std::span<const int64_t>(kept))));
}

// Rejects the call unless each row of dims[axis] has length 1.
Status CheckOne(OpBuilder& build, const GraphValue& x, const Rows& rows, int axis) {
  const RowDim& dim = rows.dims[static_cast<size_t>(axis)];
  if (dim.known_length == 1) return absl::OkStatus();
  if (dim.known_length != kUnknownDim) {
    return WithConstraint(
        "C2", InvalidArgument("dimension ", axis, ": expected size 1, found `", x.spec, "`"));
  }
  GraphValue lengths = dim.length;
  if (!dim.is_uniform()) {
    SIGNET_ASSIGN_OR_RETURN(lengths, build.RowLengths(dim.splits));
  }
  Status error =
      WithConstraint("squeeze C2", InvalidArgument("`squeeze`: dimension ", axis, " of `", x.spec,
                                                   "`: expected size 1, found a different size"));
  return CheckSizes(build, lengths, Int64Constant(build, 1), error);
}

StatusOr<std::vector<GraphValue>> ExpandSqueeze(OpBuilder& build, const OpCall& call,
                                                std::span<const GraphValue> inputs) {
  // C1: the input is a tensor, a ragged value, or a structure.
  const GraphValue& x = inputs[0];
  SIGNET_ASSIGN_OR_RETURN(int rank, WithConstraint("C1", RankOf(x)));
  // C2: `axes` is given, and each of the axes is a dimension of size 1.
  SIGNET_ASSIGN_OR_RETURN(auto axes, WithConstraint("C2", OptionalInts(call.attributes, "axes")));
  if (!axes)
    return WithConstraint("C2",
                          InvalidArgument("missing `axes`, which are required for `", x.spec, "`"));
  std::vector<bool> dropped(static_cast<size_t>(rank), false);
  int depth = 0;
  for (int64_t given : *axes) {
    SIGNET_ASSIGN_OR_RETURN(int axis, WithConstraint("C2", NormalizeAxis(given, rank)));
    dropped[static_cast<size_t>(axis)] = true;
    depth = std::max(depth, axis + 1);
  }
  if (depth == 0) return std::vector<GraphValue>{x};
  SIGNET_ASSIGN_OR_RETURN(Opened opened, OpenRows(build, x, depth));
  Rows kept;
  for (int axis = 0; axis < depth; ++axis) {
    if (dropped[static_cast<size_t>(axis)]) {
      SIGNET_RETURN_IF_ERROR(CheckOne(build, x, opened.rows, axis));
      continue;
    }
    RowDim dim = opened.rows.dims[static_cast<size_t>(axis)];
    // The elements of the only row of the removed dimensions become dimension 0.
    if (kept.depth() == 0) {
      SIGNET_ASSIGN_OR_RETURN(GraphValue length, CountAt(build, opened.rows, axis));
      dim = UniformDim(std::move(length), dim.known_length);
    }
    kept.dims.push_back(std::move(dim));
  }
  return OneOutput(CloseRows(build, kept, opened.elements, x.spec));
}

}  // namespace

OpDef Squeeze() {
  return {
      .name = "squeeze",
      .summary = "Removes dimensions of size 1",
      .description =
          "Removes the dimensions of size 1 in `axes`, or all of them if `axes` is None. Nothing "
          "is copied.",
      .inputs = {"x"},
      .attributes = {{"axes", NoneAttribute()}},
      .result = "A value of the dtype of x.",
      .constraints =
          {"The input is a tensor, a ragged value, a sparse value, or a structure.",
           "Each of `axes` is a dimension of size 1. Without `axes`, the input is a tensor."},
      .composites =
          "A ragged dimension can be removed if each row has length 1. The axes of a structure are "
          "its own dimensions.",
      .infer = InferSqueeze,
      .expand = ExpandSqueeze,
      .expand_sparse = ExpandSparseSqueeze,
      .aliasing = Aliasing::kView,
  };
}

}  // namespace signet
