// Reductions over plain arrays: steps from an accumulator to the answer, for each op and dtype.
//
// Sums of float32 and the half-width floats are kept in float64, so that their error does not grow
// with the number of rows.

#pragma once

#include <cstddef>
#include <cstdint>

#include "core/kernels/simd/vector/dtypes.h"
#include "core/kernels/simd/vector/isa_level.h"

namespace signet {

struct Reduction {
  size_t accumulator_size = 0;  // bytes; 0: not for that dtype
  void (*start)(void* accumulators, int64_t n) = nullptr;
  // One accumulator takes in `n` elements.
  void (*run)(const void* x, int64_t n, void* accumulator) = nullptr;
  // Each of `n` accumulators takes in one element.
  void (*rows)(const void* x, int64_t n, void* accumulators) = nullptr;
  // The answers; `count` elements went into each.
  void (*finish)(const void* accumulators, int64_t n, int64_t count, void* out) = nullptr;
  // All of that for each of `rows` rows of `n` elements.
  void (*whole)(const void* x, int64_t rows, int64_t n, void* out) = nullptr;
};

struct ReductionRow {
  const char* op;
  Reduction by_dtype[kNumDTypes];
};
struct ReductionTable {
  ReductionRow rows[7];
};
SIGNET_ISA_TABLE(ReductionTable);

}  // namespace signet
