// tile: repeats a tensor along its dimensions. The constraints are those of docs/ops.md.

#include "core/base/checked_math.h"
#include "core/ops/all_ops.h"
#include "core/ops/inference.h"
#include "core/ops/int_list.h"
#include "core/ops/literal_inputs.h"

namespace signet {
namespace {

StatusOr<std::vector<TypeSpec>> InferTile(const OpCall& call) {
  // C1: input 0 is a tensor; the multiples are an attribute or a vector of integers, one of them.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorInput(call, 0));
  SIGNET_ASSIGN_OR_RETURN(IntList list, Labelled("C1", FindIntList(call, "multiples", 1)));
  if (!list.given) return InvalidArgument("C1 no `multiples`; takes them");
  const PartialShape& shape = x->shape();
  if (!shape.has_rank()) return OneOutput(TensorType(x->dtype(), {}));
  // C2: one multiple a dimension, each at least 0.
  if (list.length >= 0 && list.length != shape.rank()) {
    return InvalidArgument("C2 ", list.length, " multiples for `", call.inputs[0], "`; takes ",
                           shape.rank());
  }
  if (!list.known) return OneOutput(TensorType(x->dtype(), PartialShape::OfRank(shape.rank())));
  PartialShape out = shape;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    int64_t multiple = (*list.known)[static_cast<size_t>(axis)];
    if (multiple < 0)
      return InvalidArgument("C2 multiple ", axis, " is ", multiple, "; takes at least 0");
    if (multiple == 0) out = out.WithDim(axis, 0);
    if (multiple == 0 || shape.dim(axis) == kUnknownDim) continue;
    // C3: the result has at most 2^31 elements.
    auto size = CheckedMultiply(shape.dim(axis), multiple);
    if (!size)
      return ResourceExhausted("C3 dimension ", axis, " of ", shape.dim(axis), " times ", multiple);
    out = out.WithDim(axis, *size);
  }
  SIGNET_RETURN_IF_ERROR(Labelled("C3", CheckOutputSize(out)));
  return OneOutput(TensorType(x->dtype(), std::move(out)));
}

}  // namespace

OpDef Tile() {
  return {
      .name = "tile",
      .summary = "Repeats a tensor along its dimensions",
      .inputs = {"x", "multiples?"},
      .attributes = {{"multiples", NoneAttribute()}},
      .infer = InferTile,
      .expand = ExpandWithInt64Lists,
      .literals_as_tensors = false,
  };
}

}  // namespace signet
