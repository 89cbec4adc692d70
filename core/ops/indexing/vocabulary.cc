#include "core/ops/indexing/vocabulary.h"

#include "core/ops/def/inference.h"

namespace signet {

Status CheckVocabulary(const OpCall& call) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* keys, TensorInput(call, 0));
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* words, TensorInput(call, 1));
  bool is_float = keys->dtype() == DType::kFloat32 || keys->dtype() == DType::kFloat64;
  if (keys->dtype() != DType::kString && !IsIndexDType(keys->dtype()) && !is_float) {
    return WithConstraint(
        "C1",
        InvalidArgument("input 0: expected string, int32, int64, float32, or float64, found `",
                        call.inputs[0], "`"));
  }
  if (words->dtype() != keys->dtype()) {
    return WithConstraint(
        "C1", InvalidArgument("input 1: expected the dtype of input 0, `", NameOf(keys->dtype()),
                              "`, found `", call.inputs[1], "`"));
  }
  if (words->shape().has_rank() && words->shape().rank() != 1) {
    return WithConstraint(
        "C2", InvalidArgument("input 1: expected a vector, found `", call.inputs[1], "`"));
  }
  return absl::OkStatus();
}

}  // namespace signet
