// squeeze: drops dimensions of size 1. The constraints are those of docs/ops.md.

#include <algorithm>

#include "core/ops/all_ops.h"
#include "core/ops/inference.h"

namespace signet {
namespace {

StatusOr<std::vector<TypeSpec>> InferSqueeze(const OpCall& call) {
  // C1: the input is a tensor.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorInput(call, 0));
  const PartialShape& shape = x->shape();
  SIGNET_ASSIGN_OR_RETURN(auto axes, Labelled("C2", OptionalInts(call.attributes, "axes")));
  if (!shape.has_rank()) return OneOutput(TensorType(x->dtype(), {}));
  std::vector<bool> dropped(static_cast<size_t>(shape.rank()), false);
  if (axes) {
    for (int64_t given : *axes) {
      // C2: each of `axes` is a dimension of size 1.
      SIGNET_ASSIGN_OR_RETURN(int axis, Labelled("C2", NormalizeAxis(given, shape.rank())));
      if (shape.dim(axis) != 1 && shape.dim(axis) != kUnknownDim) {
        return InvalidArgument("C2 dimension ", axis, " of `", call.inputs[0],
                               "`; takes one of size 1");
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

}  // namespace

OpDef Squeeze() {
  return {
      .name = "squeeze",
      .summary = "Drops dimensions of size 1",
      .inputs = {"x"},
      .attributes = {{"axes", NoneAttribute()}},
      .infer = InferSqueeze,
      .aliasing = Aliasing::kView,
  };
}

}  // namespace signet
