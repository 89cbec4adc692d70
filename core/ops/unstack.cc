// unstack: takes a tensor apart along an axis. The constraints are those of docs/ops.md.

#include "core/ops/all_ops.h"
#include "core/ops/inference.h"

namespace signet {
namespace {

constexpr int64_t kMaxParts = 1 << 16;  // outputs of one op

StatusOr<std::vector<TypeSpec>> InferUnstack(const OpCall& call) {
  // C1: the input is a tensor of rank at least 1.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorInput(call, 0));
  // C2: `num` is the size of dimension `axis`; it may be left out where that is known.
  SIGNET_ASSIGN_OR_RETURN(auto num, Labelled("C2", call.attributes.OptionalInt("num")));
  if (num && (*num < 0 || *num > kMaxParts)) {
    return InvalidArgument("C2 num is ", *num, "; takes 0 to ", kMaxParts);
  }
  const PartialShape& shape = x->shape();
  if (!shape.has_rank() && num) {
    return std::vector<TypeSpec>(static_cast<size_t>(*num), TensorType(x->dtype(), {}));
  }
  if (!shape.has_rank() || shape.rank() == 0) {
    return InvalidArgument("C1 input 0 is `", call.inputs[0], "`; takes a rank of at least 1");
  }
  SIGNET_ASSIGN_OR_RETURN(int axis, AxisAttribute(call, "axis", shape.rank(), "C2"));
  int64_t size = shape.dim(axis);
  if (size == kUnknownDim && num) size = *num;
  if (size == kUnknownDim || size > kMaxParts || (num && *num != size)) {
    return InvalidArgument("C2 dimension ", axis, " of `", call.inputs[0], "`; takes one of ",
                           num ? Cat("size ", *num) : Cat("known size, at most ", kMaxParts));
  }
  PartialShape part = shape.Slice(0, axis).Concatenate(shape.Slice(axis + 1, shape.rank()));
  return std::vector<TypeSpec>(static_cast<size_t>(size), TensorType(x->dtype(), part));
}

}  // namespace

OpDef Unstack() {
  return {
      .name = "unstack",
      .summary = "Takes a tensor apart along an axis",
      .inputs = {"x"},
      .attributes = {{"axis", AttributeOf(0)}, {"num", NoneAttribute()}},
      .infer = InferUnstack,
  };
}

}  // namespace signet
