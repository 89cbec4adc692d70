// StridedCopy: walks (runs.h) over a whole tensor, and over a part of a tensor along one axis.

#pragma once

#include "core/kernels/loops/runs.h"

namespace signet {

// Returns the walk over all elements of `x`, in order.
inline Walk WholeWalk(const Tensor& x) {
  Walk walk;
  walk.sizes.assign(x.shape().dims().begin(), x.shape().dims().end());
  walk.strides = StridesOf(x.shape());
  return walk;
}

// Writes `size` elements of dimension `axis`, from `start` on, to output `i`. Removes the dimension
// if `drop` is true.
inline Status MovePart(KernelContext& context, size_t i, int axis, int64_t start, int64_t size,
                       bool drop) {
  const Tensor& x = context.input(0);
  Walk walk = WholeWalk(x);
  auto at = static_cast<size_t>(axis);
  walk.start = size > 0 ? start * walk.strides[at] : 0;
  walk.sizes[at] = size;
  Shape shape;
  for (int k = 0; k < x.rank(); ++k) {
    if (k != axis) shape.push_back(x.shape().dim(k));
    if (k == axis && !drop) shape.push_back(size);
  }
  return MoveWalk(context, i, x, shape, walk);
}

}  // namespace signet
