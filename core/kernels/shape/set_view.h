// SetView: sets an output to the elements of input 0 in another shape.

#pragma once

#include "core/kernels/def/request.h"
#include "core/ops/def/inference.h"

namespace signet {

// Sets output 0 to input 0 with shape `dims`. Returns an error if the number of elements differs.
inline Status SetView(KernelContext& context, std::span<const int64_t> dims) {
  const Tensor& x = context.input(0);
  SIGNET_RETURN_IF_ERROR(WithConstraint("C3", CheckOutputSize(dims)));
  Shape shape(dims);
  if (shape.num_elements() != x.num_elements()) {
    return WithConstraint("C3", InvalidArgument("expected a shape with ", x.num_elements(),
                                                " elements, found `", shape, "`"));
  }
  context.Set(0, x.Reshaped(std::move(shape)));
  return absl::OkStatus();
}

}  // namespace signet
