// cumsum: sums of all elements up to each along an axis. The constraints are those of docs/ops.md.

#include "core/ops/all_ops.h"
#include "core/ops/elementwise.h"
#include "core/ops/inference.h"
#include "core/ops/ragged_axis.h"

namespace signet {
namespace {

StatusOr<std::vector<TypeSpec>> InferCumsum(const OpCall& call) {
  // C1: the input is a tensor. C2: of a numeric dtype.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorInputOf(call, 0, DTypeGroup::kNumeric));
  SIGNET_RETURN_IF_ERROR(call.attributes.Bool("exclusive").status());
  SIGNET_RETURN_IF_ERROR(call.attributes.Bool("reverse").status());
  // C3: `axis` is one of the input's.
  SIGNET_RETURN_IF_ERROR(Labelled("C3", call.attributes.Int("axis").status()));
  if (x->shape().has_rank()) {
    SIGNET_RETURN_IF_ERROR(AxisAttribute(call, "axis", x->shape().rank(), "C3").status());
  }
  return OneOutput(TensorType(x->dtype(), x->shape()));
}

}  // namespace

OpDef Cumsum() {
  return {
      .name = "cumsum",
      .summary = "Sums all elements up to each along an axis",
      .inputs = {"x"},
      .attributes = {{"axis"}, {"exclusive", AttributeOf(false)}, {"reverse", AttributeOf(false)}},
      .infer = InferCumsum,
      .expand = ExpandAlongRows,
  };
}

}  // namespace signet
