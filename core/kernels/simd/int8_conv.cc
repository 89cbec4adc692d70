#include "core/kernels/simd/int8_conv.h"

#include <algorithm>

#include "core/kernels/simd/vector/loops.h"

namespace signet {
namespace {

constexpr int64_t kTile = 16;  // rows and columns that are transposed at a time

// Calls run(first row, last row, first column, last column) for each tile.
template <class Run>
void ForEachTile(int64_t rows, int64_t columns, Run run) {
  for (int64_t i = 0; i < rows; i += kTile) {
    for (int64_t j = 0; j < columns; j += kTile) {
      run(i, std::min(i + kTile, rows), j, std::min(j + kTile, columns));
    }
  }
}

void Transpose(const void* px, int64_t rows, int64_t columns, void* pout) {
  const auto* x = static_cast<const uint8_t*>(px);
  auto* out = static_cast<uint8_t*>(pout);
  ForEachTile(rows, columns, [&](int64_t i0, int64_t i1, int64_t j0, int64_t j1) {
    for (int64_t j = j0; j < j1; ++j) {
      for (int64_t i = i0; i < i1; ++i) out[j * rows + i] = x[i * columns + j];
    }
  });
}

void Scatter(const int32_t* x, int64_t rows, int64_t columns, const int32_t* bias, int32_t* out,
             int64_t stride) {
  ForEachTile(rows, columns, [&](int64_t i0, int64_t i1, int64_t j0, int64_t j1) {
    for (int64_t j = j0; j < j1; ++j) {
      auto more = static_cast<uint32_t>(bias == nullptr ? 0 : bias[j]);
      for (int64_t i = i0; i < i1; ++i) {
        out[j * stride + i] =
            static_cast<int32_t>(static_cast<uint32_t>(x[i * columns + j]) + more);
      }
    }
  });
}

template <class T>
void AddOf(const T* x, int64_t step, int32_t zero, int32_t weight, int32_t* sums, int64_t n) {
  auto* out = reinterpret_cast<uint32_t*>(sums);
  if (step == 1) {
    SIGNET_INDEPENDENT
    for (int64_t i = 0; i < n; ++i) out[i] += static_cast<uint32_t>((x[i] - zero) * weight);
    return;
  }
  for (int64_t i = 0; i < n; ++i) out[i] += static_cast<uint32_t>((x[i * step] - zero) * weight);
}

void Add(const void* x, bool is_signed, int64_t step, int32_t zero, int32_t weight, int32_t* sums,
         int64_t n) {
  if (is_signed) {
    AddOf(static_cast<const int8_t*>(x), step, zero, weight, sums, n);
  } else {
    AddOf(static_cast<const uint8_t*>(x), step, zero, weight, sums, n);
  }
}

}  // namespace

const Int8ConvTable& SIGNET_ISA_NAME(Int8ConvTable)() {
  static constexpr Int8ConvTable table = {Transpose, Scatter, Add};
  return table;
}

}  // namespace signet
