// reverse: reverses the order of the elements along axes.

#include <algorithm>

#include "core/ops/build/op_builder.h"
#include "core/ops/build/rows/index_rows.h"
#include "core/ops/def/inference.h"
#include "core/ops/shape/shape_ops.h"

namespace signet {
namespace {

// C2: each of `axes` is a dimension, and no axis occurs twice.
StatusOr<std::vector<int>> AxesOf(const OpCall& call, int rank) {
  SIGNET_ASSIGN_OR_RETURN(auto given, WithConstraint("C2", call.attributes.Ints("axes")));
  std::vector<int> axes;
  for (int64_t one : given) {
    SIGNET_ASSIGN_OR_RETURN(int axis, WithConstraint("C2", NormalizeAxis(one, rank)));
    if (std::find(axes.begin(), axes.end(), axis) != axes.end()) {
      return WithConstraint("C2", InvalidArgument("`axes`: duplicate axis ", axis));
    }
    axes.push_back(axis);
  }
  return axes;
}

StatusOr<std::vector<TypeSpec>> InferReverse(const OpCall& call) {
  // C1: the input is a tensor, a ragged value, or a structure.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorInput(call, 0));
  SIGNET_RETURN_IF_ERROR(WithConstraint("C2", call.attributes.Ints("axes")).status());
  if (x->shape().has_rank()) SIGNET_RETURN_IF_ERROR(AxesOf(call, x->shape().rank()).status());
  return OneOutput(call.inputs[0]);
}

StatusOr<std::vector<GraphValue>> ExpandReverse(OpBuilder& build, const OpCall& call,
                                                std::span<const GraphValue> inputs) {
  const TypeSpec& spec = inputs[0].spec;
  if (!spec) return TensorInput(call, 0).status();
  if (!spec.is(TypeKind::kRagged) && !spec.is(TypeKind::kStructured)) {
    return Unimplemented("`reverse`: expected a tensor, a ragged value, or a structure, found `",
                         spec, "`");
  }
  if (!spec.shape()->has_rank()) {
    return Unimplemented("`reverse`: expected a value of known rank, found `", spec, "`");
  }
  SIGNET_ASSIGN_OR_RETURN(auto axes, AxesOf(call, spec.shape()->rank()));
  std::vector<Selector> selectors(static_cast<size_t>(spec.shape()->rank()));
  for (int axis : axes) {
    selectors[static_cast<size_t>(axis)] = {Selector::Kind::kSlice, SliceKey{.step = -1}, {}};
  }
  return OneOutput(IndexRows(build, inputs[0], selectors));
}

}  // namespace

OpDef Reverse() {
  return {
      .name = "reverse",
      .summary = "Reverses the order of elements along axes",
      .description =
          "Reverses the order of the elements along each axis in `axes`. Along a ragged axis, "
          "reverses each row.",
      .inputs = {"x"},
      .attributes = {{"axes"}},
      .result = "A value of the type of x.",
      .constraints = {"The input is a tensor, a ragged value, or a structure.",
                      "Each axis is a dimension, and no axis occurs twice."},
      .composites = "The axes of a structure are its own dimensions.",
      .infer = InferReverse,
      .expand = ExpandReverse,
  };
}

}  // namespace signet
