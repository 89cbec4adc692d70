// GemmTable: products of matrices over plain arrays.
//
//   c[m][n] = f(a[m][k] * b[k][n] + bias[n] + residual[m][n]), f(x) = min(max(x, low), high)
//
// `a` may be stored as [k][m] and `b` as [n][k]. Matrices are row-major, with a stride between
// rows. The residual has the stride of `c`, and must differ from `c`.

#pragma once

#include <cstddef>
#include <cstdint>

#include "core/kernels/simd/vector/dtypes.h"
#include "core/kernels/simd/vector/isa_level.h"

namespace signet {

struct GemmArguments {
  const void* a;
  const void* b;  // or the result of `pack`; b_stride and transpose_b are then ignored
  void* c;
  int64_t m;
  int64_t n;
  int64_t k;
  int64_t a_stride;
  int64_t b_stride;
  int64_t c_stride;
  bool transpose_a = false;
  bool transpose_b = false;
  bool packed = false;
  // For floats only; may be null.
  const void* bias = nullptr;
  const void* residual = nullptr;
  const float* low = nullptr;
  const float* high = nullptr;
};

struct Gemm {
  // `scratch` has scratch_size(m, n, k) bytes, aligned to 64. An element of the result does not
  // depend on the pieces of rows and columns into which a product is divided.
  void (*run)(const GemmArguments& arguments, void* scratch) = nullptr;
  size_t (*scratch_size)(int64_t m, int64_t n, int64_t k) = nullptr;
  double flops = 1;  // per nanosecond, on one thread, for matrices that are not small
  // Packs a `b` that many products share into `out`, which has packed_size bytes, aligned to 64.
  // Pieces of columns begin at multiples of `panel`. Null if packing is not faster.
  void (*pack)(const void* b, int64_t b_stride, bool transpose_b, int64_t n, int64_t k,
               void* out) = nullptr;
  size_t (*packed_size)(int64_t n, int64_t k) = nullptr;
  int64_t panel = 1;
};

struct GemmTable {
  Gemm by_dtype[kNumDTypes];  // no entries for half-width floats, which are widened first
  void (*widen_float16)(const void* x, float* out, int64_t n);
  void (*widen_bfloat16)(const void* x, float* out, int64_t n);
  void (*narrow_float16)(const float* x, void* out, int64_t n);
  void (*narrow_bfloat16)(const float* x, void* out, int64_t n);
};
SIGNET_ISA_TABLE(GemmTable);

}  // namespace signet
