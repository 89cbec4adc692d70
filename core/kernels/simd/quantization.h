// Conversions between numbers and small integers over plain arrays.

#pragma once

#include <cstdint>

#include "core/kernels/simd/vector/dtypes.h"
#include "core/kernels/simd/vector/isa_level.h"

namespace signet {

// The scale and zero point of each element of an array, or of all. Zero points are of the range of
// the integers.
struct Scaling {
  const float* scale;
  const int32_t* zero;
  bool each = false;
};
using ScalingFn = void (*)(const void* x, const Scaling& scaling, void* out, int64_t n);

struct QuantizationTable {
  // By the dtypes of `x` and `out`. Half-way cases go to even; results saturate, NaN as the lowest.
  ScalingFn quantize[kNumDTypes][kNumDTypes];    // x / scale + zero
  ScalingFn requantize[kNumDTypes][kNumDTypes];  // x * scale + zero
  ScalingFn dequantize[kNumDTypes][kNumDTypes];  // (x - zero) * scale
  // The least and the largest of `n` numbers and 0.
  void (*range)(const float* x, int64_t n, float* low, float* high);
};
SIGNET_ISA_TABLE(QuantizationTable);

}  // namespace signet
