// select: selects each element from one of two tensors.

#include "core/ops/build/rows/elementwise_rows.h"
#include "core/ops/def/dtype_group.h"
#include "core/ops/def/inference.h"
#include "core/ops/elementwise/elementwise_ops.h"

namespace signet {
namespace {

StatusOr<std::vector<TypeSpec>> InferSelect(const OpCall& call) {
  // C1: the inputs are tensors. C2: the condition is bool.
  SIGNET_RETURN_IF_ERROR(TensorInputOf(call, 0, DTypeGroup::kBool).status());
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorInput(call, 1));
  SIGNET_RETURN_IF_ERROR(TensorInput(call, 2).status());
  // C3: the dtypes of `x` and `y` are equal.
  SIGNET_RETURN_IF_ERROR(CheckSameDType(call, 1, 2, "C3"));
  // C4: the shapes broadcast.
  SIGNET_ASSIGN_OR_RETURN(PartialShape shape, BroadcastInputs(call, "C4"));
  return OneOutput(TensorType(x->dtype(), std::move(shape)));
}

}  // namespace

OpDef Select() {
  return {
      .name = "select",
      .summary = "Chooses between two values element by element",
      .description =
          "Returns the elements of x where the condition is True, and the elements of y elsewhere. "
          "All three inputs broadcast.",
      .inputs = {"condition", "x", "y"},
      .result = "A value of the dtype of x and y, with the broadcast shape.",
      .constraints = {"The inputs are tensors or ragged values.",
                      "The condition has the dtype bool.", "x and y have the same dtype.",
                      "The shapes broadcast."},
      .composites = "Ragged values broadcast as in elementwise ops.",
      .infer = InferSelect,
      .expand = ExpandElementwise,
      .own_dtypes = {"condition"},
  };
}

}  // namespace signet
