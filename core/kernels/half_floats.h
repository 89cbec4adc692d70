// Half-width floats, widened to float32 for arithmetic and narrowed again.

#pragma once

#include "core/kernels/isa/gemm.h"
#include "core/kernels/pieces.h"
#include "core/values/tensor.h"

namespace signet {

// The elements of a float16 or bfloat16 tensor, until the run ends.
inline StatusOr<const float*> Widened(KernelContext& context, const Tensor& tensor) {
  const GemmTable& table = SIGNET_ACTIVE_TABLE(GemmTable);
  SIGNET_ASSIGN_OR_RETURN(float* wide, ScratchFloats(context, tensor.num_elements()));
  bool brain = tensor.dtype() == DType::kBFloat16;
  (brain ? table.widen_bfloat16 : table.widen_float16)(tensor.data().data(), wide,
                                                       tensor.num_elements());
  return wide;
}

inline void Narrow(const float* from, Tensor& to) {
  const GemmTable& table = SIGNET_ACTIVE_TABLE(GemmTable);
  bool brain = to.dtype() == DType::kBFloat16;
  (brain ? table.narrow_bfloat16 : table.narrow_float16)(from, to.data().mutable_data(),
                                                         to.num_elements());
}

}  // namespace signet
