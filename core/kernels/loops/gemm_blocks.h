// RunGemm: computes a matrix product in blocks, and checks between blocks whether its call must
// end.

#pragma once

#include <algorithm>

#include "core/kernels/def/stop_poll.h"
#include "core/kernels/simd/gemm.h"

namespace signet {

inline const std::byte* MoveBy(const void* array, int64_t elements, size_t size) {
  return static_cast<const std::byte*>(array) + elements * static_cast<int64_t>(size);
}

// Restricts a product of elements of `size` bytes to rows [begin, end).
inline void TakeRows(int64_t begin, int64_t end, size_t size, GemmArguments& part) {
  const int64_t at = begin * part.c_stride;
  part.c = const_cast<std::byte*>(MoveBy(part.c, at, size));
  if (part.residual != nullptr) part.residual = MoveBy(part.residual, at, size);
  part.a = MoveBy(part.a, begin * (part.transpose_a ? 1 : part.a_stride), size);
  part.m = end - begin;
}

// Restricts the product to columns [begin, end). `begin` is a multiple of Gemm::panel if `b` is
// packed.
inline void TakeColumns(int64_t begin, int64_t end, size_t size, GemmArguments& part) {
  part.c = const_cast<std::byte*>(MoveBy(part.c, begin, size));
  if (part.residual != nullptr) part.residual = MoveBy(part.residual, begin, size);
  const int64_t column = part.packed ? part.k : part.transpose_b ? part.b_stride : 1;
  part.b = MoveBy(part.b, begin * column, size);
  if (part.bias != nullptr) part.bias = MoveBy(part.bias, begin, size);
  part.n = end - begin;
}

// Returns the minimum time in nanoseconds to read and write the elements of a product, which is
// most of the time of a product with few elements per row or column.
inline double MemoryCost(int64_t rows, int64_t columns, int64_t k) {
  const auto m = static_cast<double>(rows);
  const auto n = static_cast<double>(columns);
  return 20 + m * n + (m + n) * static_cast<double>(k) / 4;
}

// Computes `whole`, with elements of `size` bytes. A long product is divided into blocks of few
// columns and many rows, because each block packs its columns again. Returns false if the call must
// end.
inline bool RunGemm(StopPoll& poll, const Gemm& gemm, const GemmArguments& whole, size_t size,
                    void* scratch) {
  constexpr double kBlock = 5e6;  // nanoseconds
  constexpr int64_t kMostRows = 768;
  constexpr int64_t kLeastRows = 8;
  constexpr int64_t kColumns = 64;  // a multiple of every panel
  auto cost = [&](int64_t rows, int64_t columns) {
    return 2.0 * static_cast<double>(rows) * static_cast<double>(columns) *
           static_cast<double>(whole.k) / gemm.flops;
  };
  int64_t rows = whole.m;
  int64_t columns = whole.n;
  if (cost(rows, columns) > kBlock) {
    rows = std::min(rows, kMostRows);
    const double fits = kBlock / std::max(cost(rows, kColumns), 1.0);
    columns = std::min(columns, kColumns * std::max<int64_t>(1, static_cast<int64_t>(fits)));
    while (rows > kLeastRows && cost(rows, columns) > 2 * kBlock) rows = (rows + 1) / 2;
    while (columns > gemm.panel && cost(rows, columns) > 2 * kBlock) {
      columns = (columns / 2 + gemm.panel - 1) / gemm.panel * gemm.panel;
      if (columns <= gemm.panel) break;
    }
  }
  constexpr double kMostMemory = 2e6;  // nanoseconds
  while (rows > kMostRows && MemoryCost(rows, columns, 0) > kMostMemory) rows = (rows + 1) / 2;
  const double memory = MemoryCost(std::min(rows, whole.m), std::min(columns, whole.n), whole.k);
  const auto nanoseconds = static_cast<int64_t>(std::max(cost(rows, columns), memory / 4));
  for (int64_t column = 0; column < whole.n; column += columns) {
    GemmArguments strip = whole;
    TakeColumns(column, std::min(whole.n, column + columns), size, strip);
    for (int64_t row = 0; row < whole.m; row += rows) {
      if (poll.Stops(nanoseconds)) return false;
      GemmArguments block = strip;
      TakeRows(row, std::min(whole.m, row + rows), size, block);
      gemm.run(block, scratch);
    }
  }
  return true;
}

}  // namespace signet
