// cumsum, cumprod, cumulative_logsumexp: compute running sums and products along an axis.

#include "core/ops/build/rows/ragged_axis.h"
#include "core/ops/def/dtype_group.h"
#include "core/ops/def/inference.h"
#include "core/ops/def/int_list.h"
#include "core/ops/reduction/reduction_ops.h"

namespace signet {
namespace {

StatusOr<std::vector<TypeSpec>> InferCumsum(const OpCall& call) {
  // C1: the input is a tensor. C2: it has a numeric dtype, or a float dtype for logarithms.
  const bool is_log = call.op.name == "cumulative_logsumexp";
  SIGNET_ASSIGN_OR_RETURN(
      const TensorSpec* x,
      TensorInputOf(call, 0, is_log ? DTypeGroup::kFloat : DTypeGroup::kNumeric));
  SIGNET_RETURN_IF_ERROR(call.attributes.Bool("exclusive").status());
  SIGNET_RETURN_IF_ERROR(call.attributes.Bool("reverse").status());
  // C3: `axis` is a dimension of the input. It is an attribute or an input.
  SIGNET_ASSIGN_OR_RETURN(IntList axis, WithConstraint("C3", FindIntList(call, "axis", 1)));
  if (!axis.given || (axis.length != 1 && axis.length >= 0)) {
    return WithConstraint("C3", call.attributes.Int("axis").status());
  }
  if (axis.known && x->shape().has_rank()) {
    SIGNET_RETURN_IF_ERROR(
        WithConstraint("C3", NormalizeAxis(axis.known->at(0), x->shape().rank()).status()));
  }
  return OneOutput(TensorType(x->dtype(), x->shape()));
}

// Adds the parts of the definition that all these ops share.
OpDef MakeCumulative(OpDef op) {
  op.inputs = {"x", "axis?"};
  op.attributes = {{"axis", NoneAttribute()},
                   {"exclusive", AttributeOf(false)},
                   {"reverse", AttributeOf(false)}};
  op.infer = InferCumsum;
  op.own_dtypes = {"axis"};
  return op;
}

}  // namespace

OpDef Cumsum() {
  return MakeCumulative({
      .name = "cumsum",
      .summary = "Computes cumulative sums along an axis",
      .description =
          "Returns, for each element, the sum of the elements up to it. With "
          "`exclusive`, the element itself is not included; with `reverse`, the sums start "
          "at the end. `axis` is an attribute, or, on tensors, an input.",
      .result = "A value of the type of x.",
      .constraints = {"The input is a tensor or a ragged value.", "The dtype is numeric.",
                      "`axis` is a dimension of x."},
      .composites =
          "On a ragged value, the op works within each row. Along an outer axis, it works on the "
          "elements at each position of the rows; rows that are too short take no part.",
      .expand = ExpandAlongRows,
  });
}
OpDef Cumprod() {
  return MakeCumulative({
      .name = "cumprod",
      .summary = "Computes cumulative products along an axis",
      .description =
          "Returns, for each element, the product of the elements up to it. With "
          "`exclusive`, the element itself is not included; with `reverse`, the products "
          "start at the end. `axis` is an attribute or an input.",
      .result = "A tensor of the type of x.",
      .constraints = {"The input is a tensor.", "The dtype is numeric.",
                      "`axis` is a dimension of x."},
  });
}
OpDef CumulativeLogsumexp() {
  return MakeCumulative({
      .name = "cumulative_logsumexp",
      .summary = "Computes logarithms of cumulative sums of exponentials along an axis",
      .description =
          "Returns, for each element, the logarithm of the sum of exp(x) of the elements up to it, "
          "without overflow. With `exclusive`, the element itself is not included, and the "
          "logarithm of an empty sum is -inf; with `reverse`, the sums start at the end. `axis` is "
          "an attribute or an input.",
      .result = "A tensor of the type of x.",
      .constraints = {"The input is a tensor.", "The dtype is a float dtype.",
                      "`axis` is a dimension of x."},
  });
}

}  // namespace signet
