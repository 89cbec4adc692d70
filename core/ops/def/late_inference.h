// LateOutput: the output type of an op that depends on the ranks of its inputs while a rank is
// unknown. The op then infers its type when it runs (core/kernels/def/late_kernel.h).

#pragma once

#include "core/ops/def/inference.h"

namespace signet {

// Returns true if all tensor inputs have a known rank.
inline bool KnowsRanks(const OpCall& call) {
  for (const TypeSpec& input : call.inputs) {
    const auto* tensor = input ? input.As<TensorSpec>() : nullptr;
    if (tensor != nullptr && !tensor->shape().has_rank()) return false;
  }
  return true;
}

// Returns one output with the dtype of input 0 and an unknown rank.
inline StatusOr<std::vector<TypeSpec>> LateOutput(const OpCall& call) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorInput(call, 0));
  return OneOutput(TensorType(x->dtype(), PartialShape()));
}

}  // namespace signet
