#include "core/kernels/simd/direct_conv.h"

#include "core/kernels/simd/vector/vectors.h"

namespace signet {
namespace {

// The sums fit in registers. There are enough sums to hide the latency of a multiply-add.
#if defined(__AVX512F__)
constexpr int kRows = 8;
constexpr int VectorsOf(int rows) { return rows == 8 ? 3 : rows == 4 ? 6 : 8; }
#elif defined(__AVX2__)
constexpr int kRows = 4;
constexpr int VectorsOf(int rows) { return rows == 4 ? 3 : rows == 2 ? 5 : 8; }
#else
constexpr int kRows = 4;
constexpr int VectorsOf(int rows) { return rows == 4 ? 2 : rows == 2 ? 4 : 6; }
#endif

// Rows of weights to prefetch, enough for weights that come from memory.
constexpr int kAhead = 256;

// Computes the columns from `j` on.
template <int rows, int vectors>
void MultiplyTile(const DirectArguments& with, int64_t j) {
  FloatVector sums[rows][vectors];
  Unrolled<rows>([&](auto r) __attribute__((always_inline)) {
    Unrolled<vectors>([&](auto v) __attribute__((always_inline)) {
      sums[r][v] = FloatVector{} + (with.bias == nullptr ? 0.0F : with.bias[r]);
    });
  });
  const float* weights = with.weights;
  const float* from = with.from + j;
  for (int64_t l = 0; l < with.k; ++l, weights += rows) {
    __builtin_prefetch(weights + kAhead * rows);
    const float* window = from + with.offsets[l];
    FloatVector right[vectors];
    Unrolled<vectors>([&](auto v) __attribute__((always_inline)) {
      right[v] = LoadVector(window + v * kVectorLanes);
    });
    Unrolled<rows>([&](auto r) __attribute__((always_inline)) {
      Unrolled<vectors>([&](auto v) __attribute__((always_inline)) {
        sums[r][v] += weights[r] * right[v];
      });
    });
  }
  FloatVector low = FloatVector{} + with.low;
  FloatVector high = FloatVector{} + with.high;
  Unrolled<rows>([&](auto r) __attribute__((always_inline)) {
    Unrolled<vectors>([&](auto v) __attribute__((always_inline)) {
      int64_t at = r * with.stride + j + v * kVectorLanes;
      FloatVector sum = sums[r][v];
      if (with.residual != nullptr) sum += LoadVector(with.residual + at);
      sum = sum < low ? low : sum;  // keeps NaN
      sum = sum > high ? high : sum;
      StoreVector(sum, with.out + at);
    });
  });
}

// Computes the last `left` vectors of columns, at most `vectors`.
template <int rows, int vectors>
void MultiplyRest(const DirectArguments& with, int64_t j, int64_t left) {
  if constexpr (vectors > 0) {
    if (left == vectors) return MultiplyTile<rows, vectors>(with, j);
    MultiplyRest<rows, vectors - 1>(with, j, left);
  }
}

template <int rows>
void MultiplyRows(const DirectArguments& with) {
  constexpr int kVectors = VectorsOf(rows);
  int64_t j = 0;
  for (; j + kVectors * kVectorLanes <= with.columns; j += kVectors * kVectorLanes) {
    MultiplyTile<rows, kVectors>(with, j);
  }
  // A partial last vector begins earlier, so that some sums are computed twice.
  int64_t left = (with.columns - j + kVectorLanes - 1) / kVectorLanes;
  int64_t begin = with.columns - left * kVectorLanes;
  if (begin >= 0) return MultiplyRest<rows, kVectors>(with, begin, left);
  MultiplyRest<rows, kVectors>(with, j, left - 1);
  MultiplyTile<rows, 1>(with, with.columns - kVectorLanes);
}

void Multiply(int64_t rows, const DirectArguments& with) {
  switch (rows) {
    case 1:
      return MultiplyRows<1>(with);
    case 2:
      return MultiplyRows<2>(with);
    case 4:
      return MultiplyRows<4>(with);
    default:
      return MultiplyRows<kRows>(with);
  }
}

void Join(const float* from, int64_t stride, int64_t rows, int64_t width, float* to) {
  for (int64_t row = 0; row < rows; ++row, from += stride, to += width) {
    const bool is_last = row + 1 == rows;
    for (int64_t i = 0; i < width; i += kVectorLanes) {
      // Writing beyond a row is safe if another row follows. Beyond the last row, another thread
      // may write.
      if (is_last && i + kVectorLanes > width) {
        StoreSome(LoadSome(from + i, width - i), width - i, to + i);
      } else {
        StoreVector(LoadVector(from + i), to + i);
      }
    }
  }
}

}  // namespace

const DirectTable& SIGNET_ISA_NAME(DirectTable)() {
  static constexpr DirectTable table = {
      .rows = kRows, .lanes = kVectorLanes, .multiply = Multiply, .join = Join};
  return table;
}

}  // namespace signet
