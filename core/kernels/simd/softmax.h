// SoftmaxTable: softmax over plain arrays.

#pragma once

#include <cstddef>
#include <cstdint>

#include "core/kernels/simd/vector/dtypes.h"
#include "core/kernels/simd/vector/isa_level.h"
#include "core/kernels/simd/vector/stop_hook.h"

namespace signet {

// Computes the softmax over the `n` elements of each of `inner` columns of x[n][inner]. `out` may
// be `x`. `scratch` has 2 * inner numbers, and n * inner more for half-width floats, each of
// `width` bytes. Returns early if `hook` stops.
using SoftmaxFn = void (*)(const void* x, void* out, int64_t n, int64_t inner, void* scratch,
                           const StopHook& hook);

struct SoftmaxLoop {
  SoftmaxFn run = nullptr;
  size_t width = 0;        // bytes per number in scratch memory
  bool converted = false;  // whether the dtype is a half-width float
};

struct SoftmaxTable {
  SoftmaxLoop softmax[kNumDTypes];  // by dtype
  SoftmaxLoop log_softmax[kNumDTypes];
};
SIGNET_ISA_TABLE(SoftmaxTable);

}  // namespace signet
