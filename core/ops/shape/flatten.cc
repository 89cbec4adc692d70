// flatten: merges consecutive dimensions into one.

#include "core/ops/def/inference.h"
#include "core/ops/shape/shape_ops.h"

namespace signet {
namespace {

StatusOr<std::vector<TypeSpec>> InferFlatten(const OpCall& call) {
  // C1: the input is a tensor.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorInput(call, 0));
  const PartialShape& shape = x->shape();
  if (!shape.has_rank()) return OneOutput(TensorType(x->dtype(), {}));
  if (shape.rank() == 0) return OneOutput(TensorType(x->dtype(), {1}));
  // C2: `first` and `last` are dimensions, in this order.
  SIGNET_ASSIGN_OR_RETURN(int first, AxisAttribute(call, "first", shape.rank(), "C2"));
  SIGNET_ASSIGN_OR_RETURN(int last, AxisAttribute(call, "last", shape.rank(), "C2"));
  if (first > last) {
    return WithConstraint("C2", InvalidArgument("expected `first` at or before `last`, found axes ",
                                                first, " and ", last));
  }
  PartialShape merged = {KnownProduct(shape, first, last + 1)};
  return OneOutput(TensorType(x->dtype(), shape.Slice(0, first).Concatenate(merged).Concatenate(
                                              shape.Slice(last + 1, shape.rank()))));
}

}  // namespace

OpDef Flatten() {
  return {
      .name = "flatten",
      .summary = "Merges consecutive dimensions of a tensor into one",
      .description =
          "Merges the dimensions from `first` to `last` into one. A scalar becomes a vector with "
          "one element.",
      .inputs = {"x"},
      .attributes = {{"first", AttributeOf(0)}, {"last", AttributeOf(-1)}},
      .result = "A tensor of the dtype of x.",
      .constraints = {"The input is a tensor.",
                      "`first` and `last` are dimensions, and `first` is not after `last`."},
      .infer = InferFlatten,
      .aliasing = Aliasing::kView,
  };
}

}  // namespace signet
