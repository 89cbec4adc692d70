#include "core/kernels/runs.h"

namespace signet {

Dims StridesOf(const Shape& shape) {
  Dims strides(static_cast<size_t>(shape.rank()), 1);
  for (size_t i = strides.size(); i-- > 1;) {
    strides[i - 1] = strides[i] * shape.dim(static_cast<int>(i));
  }
  return strides;
}

Walk Simplified(const Walk& walk) {
  Walk out;
  out.start = walk.start;
  if (std::find(walk.sizes.begin(), walk.sizes.end(), 0) != walk.sizes.end()) {
    out.Add(0, 1);
    return out;
  }
  for (size_t i = 0; i < walk.sizes.size(); ++i) {
    if (walk.sizes[i] == 1) continue;
    if (!out.sizes.empty() && out.strides.back() == walk.sizes[i] * walk.strides[i]) {
      out.sizes.back() *= walk.sizes[i];
      out.strides.back() = walk.strides[i];
    } else {
      out.Add(walk.sizes[i], walk.strides[i]);
    }
  }
  return out;
}

Status MoveWalk(KernelContext& context, size_t output, const Tensor& from, const Shape& shape,
                const Walk& walk) {
  SIGNET_RETURN_IF_ERROR(CheckOutputSize(shape.dims()));
  Walk simple = Simplified(walk);
  return MoveRuns(context, output, from.dtype(), shape,
                  [&](auto&& run) { WalkRuns(from, simple, run); });
}

}  // namespace signet
