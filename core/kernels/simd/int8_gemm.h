// Int8GemmTable: products of matrices of 8-bit integers, exact modulo 2^32:
//
//   c[m][n] = sum over k of (a[m][k] - a_zero[m]) * (b[k][n] - b_zero[n])
//
// `b` is packed once; `a` is row-major and is read in place.

#pragma once

#include <cstddef>
#include <cstdint>

#include "core/kernels/simd/vector/isa_level.h"

namespace signet {

struct Int8PackArguments {
  const void* b;
  bool b_signed;
  bool a_signed;  // of the matrix that `b` will be multiplied by
  int64_t k;
  int64_t n;
  int64_t k_step;  // bytes between two elements of a column, and between two columns
  int64_t n_step;
  const int32_t* zero;  // null: 0
  bool zero_each;       // one per column; otherwise one for all
};

struct Int8GemmArguments {
  const void* a;
  bool a_signed;
  int64_t m;
  int64_t n;
  int64_t k;
  int64_t a_stride;
  const int32_t* zero;  // null: 0
  bool zero_each;       // one per row
  const void* packed;
  int32_t* c;
  int64_t c_stride;
  int64_t first_column;  // columns [first, last); `first` is a multiple of `columns`
  int64_t last_column;
};

struct Int8Gemm {
  // Memory is aligned to 64 bytes.
  size_t (*packed_size)(int64_t k, int64_t n) = nullptr;
  void (*pack)(const Int8PackArguments& arguments, void* packed) = nullptr;
  size_t (*scratch_size)(int64_t k) = nullptr;
  void (*run)(const Int8GemmArguments& arguments, void* scratch) = nullptr;
  int64_t columns = 1;  // columns per panel
  double products = 1;  // per nanosecond, on one thread
};

struct Int8GemmTable {
  Int8Gemm pairs;  // for all processors of the level
  Int8Gemm quads;  // for processors with AVX-512 VNNI; empty below v4
};
SIGNET_ISA_TABLE(Int8GemmTable);

}  // namespace signet
