// Products of matrices over plain arrays.
//
//   c[m][n] = a[m][k] * b[k][n], where `a` may be stored as [k][m] and `b` as [n][k]
//
// Matrices are row-major, with a stride from row to row.

#pragma once

#include <cstddef>
#include <cstdint>

#include "core/kernels/isa/dtypes.h"
#include "core/kernels/isa_level.h"

namespace signet {

struct GemmArguments {
  const void* a;
  const void* b;
  void* c;
  int64_t m;
  int64_t n;
  int64_t k;
  int64_t a_stride;
  int64_t b_stride;
  int64_t c_stride;
  bool transpose_a = false;
  bool transpose_b = false;
};

struct Gemm {
  // `scratch` is of scratch_size(m, n, k) bytes, aligned to 64.
  void (*run)(const GemmArguments& arguments, void* scratch) = nullptr;
  size_t (*scratch_size)(int64_t m, int64_t n, int64_t k) = nullptr;
  double flops = 1;  // a nanosecond, on one thread, of matrices that are not small
};

struct GemmTable {
  Gemm by_dtype[kNumDTypes];  // none for half-width floats, which are widened first
  void (*widen_float16)(const void* x, float* out, int64_t n);
  void (*widen_bfloat16)(const void* x, float* out, int64_t n);
  void (*narrow_float16)(const float* x, void* out, int64_t n);
  void (*narrow_bfloat16)(const float* x, void* out, int64_t n);
};
SIGNET_ISA_TABLE(GemmTable);

}  // namespace signet
