// cumsum, cumprod: sums and products of all elements up to each along an axis. The constraints are
// those of docs/reference/ops.md.

#include "core/ops/build/rows/ragged_axis.h"
#include "core/ops/def/dtype_group.h"
#include "core/ops/def/inference.h"
#include "core/ops/def/int_list.h"
#include "core/ops/reduction/reduction_ops.h"

namespace signet {
namespace {

StatusOr<std::vector<TypeSpec>> InferCumsum(const OpCall& call) {
  // C1: the input is a tensor. C2: of a numeric dtype.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorInputOf(call, 0, DTypeGroup::kNumeric));
  SIGNET_RETURN_IF_ERROR(call.attributes.Bool("exclusive").status());
  SIGNET_RETURN_IF_ERROR(call.attributes.Bool("reverse").status());
  // C3: `axis` is one of the input's; an attribute or an input.
  SIGNET_ASSIGN_OR_RETURN(IntList axis, Labelled("C3", FindIntList(call, "axis", 1)));
  if (!axis.given || (axis.length != 1 && axis.length >= 0)) {
    return Labelled("C3", call.attributes.Int("axis").status());
  }
  if (axis.known && x->shape().has_rank()) {
    SIGNET_RETURN_IF_ERROR(
        Labelled("C3", NormalizeAxis(axis.known->at(0), x->shape().rank()).status()));
  }
  return OneOutput(TensorType(x->dtype(), x->shape()));
}

OpDef Make(std::string name, std::string summary, ExpandFn expand) {
  return {
      .name = std::move(name),
      .summary = std::move(summary),
      .inputs = {"x", "axis?"},
      .attributes = {{"axis", NoneAttribute()},
                     {"exclusive", AttributeOf(false)},
                     {"reverse", AttributeOf(false)}},
      .infer = InferCumsum,
      .expand = expand,
      .own_dtypes = {"axis"},
  };
}

}  // namespace

OpDef Cumsum() {
  return Make("cumsum", "Sums all elements up to each along an axis", ExpandAlongRows);
}
OpDef Cumprod() {
  return Make("cumprod", "Multiplies all elements up to each along an axis", nullptr);
}

}  // namespace signet
