// BlankScalar: makes a scalar that is 0, false, or "", depending on its dtype.

#pragma once

#include <cstring>

#include "signet/tensor.h"

namespace signet {

// Returns a scalar of `dtype` that is 0, false, or "".
inline StatusOr<Tensor> BlankScalar(DType dtype) {
  SIGNET_ASSIGN_OR_RETURN(Tensor blank, Tensor::Allocate(dtype, Shape{}));
  std::memset(blank.data().mutable_data(), 0, blank.data().size());
  return blank;
}

}  // namespace signet
