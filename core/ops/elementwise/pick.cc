// pick: selects one of several tensors by index.

#include "core/ops/def/inference.h"
#include "core/ops/elementwise/elementwise_ops.h"

namespace signet {
namespace {

StatusOr<std::vector<TypeSpec>> InferPick(const OpCall& call) {
  // C1: the index is an int32 or int64 scalar.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* index, TensorInput(call, 0));
  if (!IsIndexDType(index->dtype()) || !index->shape().IsCompatibleWith(Shape{})) {
    return WithConstraint("C1", InvalidArgument("input 0: expected `int32[]` or `int64[]`, found `",
                                                call.inputs[0], "`"));
  }
  // C2: there is at least one value, and all values are tensors of the same dtype.
  if (call.inputs.size() < 2)
    return WithConstraint("C2", InvalidArgument("expected at least one value, found none"));
  TypeSpec all = call.inputs[1];
  for (size_t i = 1; i < call.inputs.size(); ++i) {
    SIGNET_RETURN_IF_ERROR(TensorInput(call, i).status());
    all = MostSpecificCommonSupertype(all, call.inputs[i]);
    if (!all) {
      return WithConstraint(
          "C2", InvalidArgument("input ", i, ": expected the dtype of input 1, `", call.inputs[1],
                                "`, found `", call.inputs[i], "`"));
    }
  }
  return OneOutput(std::move(all));
}

}  // namespace

OpDef Pick() {
  return {
      .name = "pick",
      .summary = "Returns one of several tensors by index",
      .description =
          "Returns the value at position `index`. An index below 0 counts from the end. The values "
          "may have different shapes.",
      .inputs = {"index", "values..."},
      .result = "The chosen tensor.",
      .constraints = {"The index is an int32 or int64 scalar.",
                      "There is at least one value, and all values are tensors of the same dtype.",
                      "The index is in range (OUT_OF_RANGE)."},
      .infer = InferPick,
      .own_dtypes = {"index"},
  };
}

}  // namespace signet
