// ReductionTable: reductions over plain arrays: functions that update accumulators and compute
// results, for each op and dtype.
//
// Sums of float32 and half-width floats are accumulated in float64, so that their error does not
// grow with the number of rows.

#pragma once

#include <cstddef>
#include <cstdint>

#include "core/kernels/simd/vector/dtypes.h"
#include "core/kernels/simd/vector/isa_level.h"

namespace signet {

struct Reduction {
  size_t accumulator_size = 0;  // in bytes; 0: the dtype is not supported
  void (*start)(void* accumulators, int64_t n) = nullptr;
  // Adds `n` elements to one accumulator.
  void (*run)(const void* x, int64_t n, void* accumulator) = nullptr;
  // Adds one element to each of `n` accumulators.
  void (*rows)(const void* x, int64_t n, void* accumulators) = nullptr;
  // Computes the results of `n` accumulators; each has accumulated `count` elements.
  void (*finish)(const void* accumulators, int64_t n, int64_t count, void* out) = nullptr;
  // Reduces each of `rows` rows of `n` elements.
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
