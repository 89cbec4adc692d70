// broadcast_to: repeats a tensor along dimensions of size 1. The constraints are those of
// docs/ops.md.

#include "core/ops/all_ops.h"
#include "core/ops/inference.h"
#include "core/ops/int_list.h"

namespace signet {
namespace {

StatusOr<std::vector<TypeSpec>> InferBroadcastTo(const OpCall& call) {
  // C1: input 0 is a tensor; the shape is an attribute or a vector of integers, one of them.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorInput(call, 0));
  SIGNET_ASSIGN_OR_RETURN(IntList list, Labelled("C1", FindIntList(call, "shape", 1)));
  if (!list.given) return InvalidArgument("C1 no `shape`; takes one");
  if (!list.known) {
    bool has_rank = list.length >= 0;
    PartialShape any =
        has_rank ? PartialShape::OfRank(static_cast<int>(list.length)) : PartialShape();
    return OneOutput(TensorType(x->dtype(), std::move(any)));
  }
  // C2: the shape is one of at most 2^31 elements.
  SIGNET_RETURN_IF_ERROR(Labelled("C2", CheckOutputSize(std::span<const int64_t>(*list.known))));
  PartialShape shape{std::span<const int64_t>(*list.known)};
  // C3: the input broadcasts to it: aligned at the right, each dimension is 1 or as long.
  const PartialShape& from = x->shape();
  if (from.has_rank()) {
    int offset = shape.rank() - from.rank();
    for (int axis = 0; axis < from.rank(); ++axis) {
      int64_t size = from.dim(axis);
      if (offset >= 0 && (size == 1 || size == kUnknownDim || size == shape.dim(axis + offset)))
        continue;
      return InvalidArgument("C3 `", call.inputs[0], "` to shape `", shape,
                             "`; takes dimensions of size 1 or of that size, aligned at the right");
    }
  }
  return OneOutput(TensorType(x->dtype(), std::move(shape)));
}

}  // namespace

OpDef BroadcastTo() {
  return {
      .name = "broadcast_to",
      .summary = "Repeats a tensor along dimensions of size 1 until it has a shape",
      .inputs = {"x", "shape?"},
      .attributes = {{"shape", NoneAttribute()}},
      .infer = InferBroadcastTo,
      .own_dtypes = {"shape"},
  };
}

}  // namespace signet
