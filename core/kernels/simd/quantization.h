// QuantizationTable: conversions between floats and small integers over plain arrays.

#pragma once

#include <cstdint>

#include "core/kernels/simd/vector/dtypes.h"
#include "core/kernels/simd/vector/isa_level.h"

namespace signet {

// The scale and the zero point of each element, or of all elements. Zero points are in the range of
// the integers.
struct Scaling {
  const float* scale;
  const int32_t* zero;
  bool each = false;
};
using ScalingFn = void (*)(const void* x, const Scaling& scaling, void* out, int64_t n);

struct QuantizationTable {
  // By the dtypes of `x` and `out`. Half-way cases are rounded to even. Results saturate, and NaN
  // is converted to the lowest integer.
  ScalingFn quantize[kNumDTypes][kNumDTypes];    // x / scale + zero
  ScalingFn requantize[kNumDTypes][kNumDTypes];  // x * scale + zero
  ScalingFn dequantize[kNumDTypes][kNumDTypes];  // (x - zero) * scale
  // Computes the minimum and the maximum of `n` numbers and 0.
  void (*range)(const float* x, int64_t n, float* low, float* high);
};
SIGNET_ISA_TABLE(QuantizationTable);

}  // namespace signet
