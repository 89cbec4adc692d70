// Late inference: ops that need the ranks of their inputs, and infer when they run where those are
// not known before (core/kernels/def/late_kernel.h).

#pragma once

#include "core/ops/def/inference.h"

namespace signet {

// Whether all tensor inputs have a known rank.
inline bool KnowsRanks(const OpCall& call) {
  for (const TypeSpec& input : call.inputs) {
    const auto* tensor = input ? input.As<TensorSpec>() : nullptr;
    if (tensor != nullptr && !tensor->shape().has_rank()) return false;
  }
  return true;
}

// One output of unknown rank, of input 0's dtype.
inline StatusOr<std::vector<TypeSpec>> LateOutput(const OpCall& call) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorInput(call, 0));
  return OneOutput(TensorType(x->dtype(), PartialShape()));
}

}  // namespace signet
