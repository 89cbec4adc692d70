// clip: limits elements to the range between two bounds.

#include "core/ops/build/rows/elementwise_rows.h"
#include "core/ops/def/dtype_group.h"
#include "core/ops/def/inference.h"
#include "core/ops/elementwise/elementwise_ops.h"

namespace signet {
namespace {

StatusOr<std::vector<TypeSpec>> InferClip(const OpCall& call) {
  // C1: the inputs are tensors. C2: they have an integer or float dtype.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorInputOf(call, 0, DTypeGroup::kReal));
  for (size_t i = 1; i < call.inputs.size(); ++i) {
    if (!HasInput(call, i)) continue;
    SIGNET_ASSIGN_OR_RETURN(const TensorSpec* bound, TensorInputOf(call, i, DTypeGroup::kReal));
    // C3: their dtypes are equal.
    SIGNET_RETURN_IF_ERROR(CheckSameDType(call, 0, i, "C3"));
    // C4: each bound broadcasts to the shape of input 0.
    auto both = BroadcastShapes(x->shape(), bound->shape());
    if (!both.ok()) return WithConstraint("C4", both.status());
    if (!both->IsCompatibleWith(x->shape())) {
      return WithConstraint(
          "C4", InvalidArgument("input ", i, ": expected a shape that broadcasts to `", x->shape(),
                                "`, found `", call.inputs[i], "`"));
    }
  }
  return OneOutput(TensorType(x->dtype(), x->shape()));
}

}  // namespace

OpDef Clip() {
  return {
      .name = "clip",
      .summary = "Limits elements to a range",
      .description =
          "Returns the minimum of `high` and the maximum of `low` and x. NaN stays NaN. A bound "
          "that is missing does not limit. The bounds broadcast to the shape of x, and x does not "
          "broadcast.",
      .inputs = {"x", "low?", "high?"},
      .result = "A value with the type of x.",
      .constraints = {"The inputs are tensors or ragged values.",
                      "The dtype is an integer or float dtype.", "All inputs have the same dtype.",
                      "Each bound broadcasts to the shape of x."},
      .composites = "Ragged values broadcast as in elementwise ops.",
      .infer = InferClip,
      .expand = ExpandBesideFirst,
      .aliasing = Aliasing::kInPlace,
  };
}

}  // namespace signet
