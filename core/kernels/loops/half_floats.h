// HalfFloats: widens half-width floats to float32 for arithmetic, and narrows the results.

#pragma once

#include "core/kernels/loops/pieces.h"
#include "core/kernels/simd/gemm.h"
#include "signet/tensor.h"

namespace signet {

// Returns the elements of a float16 or bfloat16 tensor as float32, valid until the run ends.
inline StatusOr<const float*> Widened(KernelContext& context, const Tensor& tensor) {
  const GemmTable& table = SIGNET_ACTIVE_TABLE(GemmTable);
  SIGNET_ASSIGN_OR_RETURN(float* wide, ScratchFloats(context, tensor.num_elements()));
  const bool brain = tensor.dtype() == DType::kBFloat16;
  const auto widen = brain ? table.widen_bfloat16 : table.widen_float16;
  SIGNET_RETURN_IF_ERROR(
      context.ForInOrder(tensor.num_elements(), 0.5, [&](int64_t begin, int64_t end) {
        widen(tensor.data().data() + 2 * begin, wide + begin, end - begin);
      }));
  return wide;
}

inline Status Narrow(KernelContext& context, const float* from, Tensor& to) {
  const GemmTable& table = SIGNET_ACTIVE_TABLE(GemmTable);
  const bool brain = to.dtype() == DType::kBFloat16;
  const auto narrow = brain ? table.narrow_bfloat16 : table.narrow_float16;
  std::byte* out = to.data().mutable_data();
  return context.ForInOrder(to.num_elements(), 0.5, [&](int64_t begin, int64_t end) {
    narrow(from + begin, out + 2 * begin, end - begin);
  });
}

}  // namespace signet
