// ZeroScalar: makes a scalar that is 0, false, or "", depending on its dtype.

#pragma once

#include <cstring>

#include "signet/tensor.h"

namespace signet {

// Returns a scalar of `dtype` that is 0, false, or "".
inline StatusOr<Tensor> ZeroScalar(DType dtype) {
  SIGNET_ASSIGN_OR_RETURN(Tensor zero, Tensor::Allocate(dtype, Shape{}));
  std::memset(zero.data().mutable_data(), 0, zero.data().size());
  return zero;
}

}  // namespace signet
