// argmax, argmin: find the position of the largest or smallest element along an axis.

#include "core/ops/build/rows/ragged_axis.h"
#include "core/ops/def/axis_set.h"
#include "core/ops/def/dtype_group.h"
#include "core/ops/def/inference.h"
#include "core/ops/reduction/reduction_ops.h"

namespace signet {
namespace {

StatusOr<std::vector<TypeSpec>> InferArg(const OpCall& call) {
  // C1: the input is a tensor. C2: it has an integer or float dtype.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorInputOf(call, 0, DTypeGroup::kReal));
  SIGNET_ASSIGN_OR_RETURN(bool keepdims, call.attributes.Bool("keepdims"));
  SIGNET_RETURN_IF_ERROR(call.attributes.Bool("last").status());
  // C3: `axis` is a dimension of the input.
  SIGNET_RETURN_IF_ERROR(WithConstraint("C3", call.attributes.Int("axis").status()));
  if (!x->shape().has_rank()) return OneOutput(TensorType(DType::kInt64, PartialShape()));
  SIGNET_ASSIGN_OR_RETURN(int axis, AxisAttribute(call, "axis", x->shape().rank(), "C3"));
  // C4: the axis has at least one element, unless the output has no elements.
  PartialShape shape = ReducedShape(x->shape(), AxisSet{1} << axis, keepdims);
  if (x->shape().dim(axis) == 0 && shape.num_elements().value_or(0) > 0) {
    return WithConstraint(
        "C4", InvalidArgument("input 0: expected at least one element along axis ", axis,
                              ", found `", call.inputs[0], "`"));
  }
  return OneOutput(TensorType(DType::kInt64, std::move(shape)));
}

// Adds the parts of the definition that both ops share.
OpDef MakeArg(OpDef op) {
  op.inputs = {"x"};
  op.attributes = {{"axis"}, {"keepdims", AttributeOf(false)}, {"last", AttributeOf(false)}};
  op.infer = InferArg;
  op.expand = ExpandArgAlongRows;
  return op;
}

}  // namespace

OpDef Argmax() {
  return MakeArg({
      .name = "argmax",
      .summary = "Finds the position of the largest element along an axis",
      .description =
          "Returns the position of the largest element along `axis`. Of equal elements, the first "
          "is chosen, or the last with `last`. If there is a NaN, the first NaN is chosen.",
      .result = "A value of int64 without dimension `axis`, which has size 1 with `keepdims`.",
      .constraints =
          {"The input is a tensor or a ragged value.", "The dtype is an integer or float dtype.",
           "`axis` is a dimension of x.",
           "The axis has an element, unless the result has none. No ragged row is empty."},
      .composites = "On a ragged value, the op finds the position within each row. Along an outer "
                    "axis, it works on the elements at each position of the rows; rows that are "
                    "too short take no part.",
  });
}

OpDef Argmin() {
  return MakeArg({
      .name = "argmin",
      .summary = "Finds the position of the smallest element along an axis",
      .description =
          "Returns the position of the smallest element along `axis`. Of equal elements, the first "
          "is chosen, or the last with `last`. If there is a NaN, the first NaN is chosen.",
      .result = "A value of int64 without dimension `axis`, which has size 1 with `keepdims`.",
      .constraints =
          {"The input is a tensor or a ragged value.", "The dtype is an integer or float dtype.",
           "`axis` is a dimension of x.",
           "The axis has an element, unless the result has none. No ragged row is empty."},
      .composites = "On a ragged value, the op finds the position within each row. Along an outer "
                    "axis, it works on the elements at each position of the rows; rows that are "
                    "too short take no part.",
  });
}

}  // namespace signet
