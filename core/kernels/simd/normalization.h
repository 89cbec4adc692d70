// NormalizationTable: normalizations over plain arrays.

#pragma once

#include <cstdint>

#include "core/kernels/simd/vector/dtypes.h"
#include "core/kernels/simd/vector/isa_level.h"
#include "core/kernels/simd/vector/stop_hook.h"

namespace signet {

struct NormalizedRows {
  const void* x;
  const void* scale;  // n elements, or null
  const void* bias;   // n elements, or null
  void* out;
  int64_t rows;
  int64_t n;  // elements per row, at least 1
  double epsilon;
  bool centered;  // whether the mean is subtracted
  StopHook hook;  // checked within long rows; `out` is incomplete if it stops
};

// Computes out[c][i] = x[c][i] / (bias + factor * sum of squares of x[k][i])^beta, where k runs
// over the existing channels from c - (size - 1) / 2 to c + size / 2.
struct NormalizedChannels {
  const void* x;
  void* out;
  int64_t channels;
  int64_t inner;
  int64_t first;  // computes elements [first, end) of the inner dimension
  int64_t end;
  int64_t size;
  double factor;
  double beta;
  double bias;
  StopHook hook;  // checked between channels; `out` is incomplete if it stops
};

struct NormalizationTable {
  void (*rows[kNumDTypes])(const NormalizedRows&);  // by dtype: float32, float64
  void (*channels[kNumDTypes])(const NormalizedChannels&);
};
SIGNET_ISA_TABLE(NormalizationTable);

}  // namespace signet
