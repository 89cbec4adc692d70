// VisitFinish: selects the operations on vectors of sums (RowFinish), for all convolutions.

#pragma once

#include "core/kernels/simd/conv.h"
#include "core/kernels/simd/vector/sigmoid.h"
#include "core/kernels/simd/vector/vectors.h"

namespace signet {
namespace {

// Calls run(finish), where finish(x) applies the operations to a vector of sums and keeps NaN. The
// operation is selected once, outside of loops.
template <class Run>
[[gnu::always_inline]] inline void VisitFinish(const FinishArguments& with, Run run) {
  const FloatVector alpha = FloatVector{} + with.alpha;
  const FloatVector beta = FloatVector{} + with.beta;
  const FloatVector zero = {};
  const FloatVector one = zero + 1.0F;
  auto line = [=](FloatVector x) { return ClipVector(alpha * x + beta, zero, one); };
  switch (with.kind) {
    case RowFinish::kAsIs:
      return run([](FloatVector x) { return x; });
    case RowFinish::kClip:
      return run([=](FloatVector x) { return ClipVector(x, alpha, beta); });
    case RowFinish::kLeakyRelu:
      return run([=](FloatVector x) { return x < zero ? alpha * x : x; });
    case RowFinish::kHardSigmoid:
      return run([=](FloatVector x) { return line(x); });
    case RowFinish::kHardSwish:
      return run([=](FloatVector x) { return x * line(x); });
    case RowFinish::kSigmoid:
      return run([](FloatVector x) { return SigmoidOf(x); });
    case RowFinish::kSilu:
      return run([](FloatVector x) { return x * SigmoidOf(x); });
  }
}

}  // namespace
}  // namespace signet
