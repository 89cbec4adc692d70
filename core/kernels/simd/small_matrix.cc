// Small matrices: several vectors of columns stay in registers while the row is multiplied.

#include "core/kernels/simd/small_matrix.h"

#include <algorithm>
#include <cstring>

#include "core/kernels/simd/vector/vectors.h"

namespace signet {
namespace {

constexpr int64_t kShortSum = 8;

static_assert(kSmallMatrixLanes % kVectorLanes == 0);

// Stores the first `n` elements of the vectors.
template <int vectors>
[[gnu::always_inline]] inline void StoreSome(const FloatVector (&sums)[vectors], int64_t n,
                                             float* out) {
  if (n >= vectors * kVectorLanes) {
    Unrolled<vectors>([&](auto v) { StoreVector(sums[v], out + v * kVectorLanes); });
    return;
  }
  float all[vectors * kVectorLanes];
  Unrolled<vectors>([&](auto v) { StoreVector(sums[v], all + v * kVectorLanes); });
  std::memcpy(out, all, static_cast<size_t>(n) * sizeof(float));
}

struct Multiply {
  [[gnu::always_inline]] static void Add(FloatVector& sum, const FloatVector& column, float x) {
    sum += column * x;
  }
};

struct Distance {
  [[gnu::always_inline]] static void Add(FloatVector& sum, const FloatVector& column, float x) {
    FloatVector difference = x - column;
    sum += difference * difference;
  }
};

// Computes the sums of the next columns.
template <int vectors, class Step>
[[gnu::always_inline]] inline void Columns(const float* x, const float* matrix, int64_t k,
                                           int64_t n, int64_t stride, float* out) {
  FloatVector sums[vectors] = {};
  for (int64_t i = 0; i < k; ++i) {
    const float* row = matrix + i * stride;
    Unrolled<vectors>(
        [&](auto v) { Step::Add(sums[v], LoadVector(row + v * kVectorLanes), x[i]); });
  }
  StoreSome(sums, n, out);
}

// Does the same for one vector of columns, with several independent sums.
template <class Step>
[[gnu::always_inline]] inline void FewColumns(const float* x, const float* matrix, int64_t k,
                                              int64_t n, int64_t stride, float* out) {
  FloatVector sums[4] = {};
  int64_t i = 0;
  for (; i + 4 <= k; i += 4) {
    Unrolled<4>(
        [&](auto v) { Step::Add(sums[v], LoadVector(matrix + (i + v) * stride), x[i + v]); });
  }
  for (; i < k; ++i) Step::Add(sums[0], LoadVector(matrix + i * stride), x[i]);
  const FloatVector all[1] = {(sums[0] + sums[1]) + (sums[2] + sums[3])};
  StoreSome(all, n, out);
}

template <class Step>
void ByColumns(const float* x, const float* matrix, int64_t k, int64_t n, int64_t stride,
               float* out) {
  constexpr int64_t kMany = int64_t{4} * kVectorLanes;
  int64_t j = 0;
  for (; n - j > kVectorLanes; j += kMany) {
    // After the last column there may be fewer than four vectors.
    if (stride - j < kMany) break;
    Columns<4, Step>(x, matrix + j, k, n - j, stride, out + j);
  }
  for (; j < n; j += kVectorLanes) {
    // Short sums are computed in order, like the sums of many rows.
    if (k <= kShortSum) {
      Columns<1, Step>(x, matrix + j, k, n - j, stride, out + j);
    } else {
      FewColumns<Step>(x, matrix + j, k, n - j, stride, out + j);
    }
  }
}

[[gnu::always_inline]] inline float Total(const FloatVector& sum) {
  float lanes[kVectorLanes];
  StoreVector(sum, lanes);
  for (int half = kVectorLanes / 2; half > 0; half /= 2) {
    for (int i = 0; i < half; ++i) lanes[i] += lanes[i + half];
  }
  return lanes[0];
}

// Computes the dot products with `columns` rows of the matrix, as independent sums.
template <int columns>
[[gnu::always_inline]] inline void SomeDots(const float* x, const FloatVector& rest,
                                            const float* matrix, int64_t whole, bool has_rest,
                                            int64_t stride, float* out) {
  FloatVector sums[columns] = {};
  for (int64_t i = 0; i < whole; i += kVectorLanes) {
    const FloatVector part = LoadVector(x + i);
    Unrolled<columns>([&](auto c) { sums[c] += part * LoadVector(matrix + c * stride + i); });
  }
  if (has_rest) {
    Unrolled<columns>([&](auto c) { sums[c] += rest * LoadVector(matrix + c * stride + whole); });
  }
  Unrolled<columns>([&](auto c) { out[c] = Total(sums[c]); });
}

// Computes the dot product with one row, with several independent sums.
[[gnu::always_inline]] inline float OneDot(const float* x, const FloatVector& rest,
                                           const float* row, int64_t whole, bool has_rest) {
  constexpr int64_t kStep = int64_t{4} * kVectorLanes;
  FloatVector sums[4] = {};
  int64_t i = 0;
  for (; i + kStep <= whole; i += kStep) {
    Unrolled<4>([&](auto v) {
      const int64_t at = i + v * kVectorLanes;
      sums[v] += LoadVector(x + at) * LoadVector(row + at);
    });
  }
  for (; i < whole; i += kVectorLanes) sums[0] += LoadVector(x + i) * LoadVector(row + i);
  if (has_rest) sums[1] += rest * LoadVector(row + whole);
  return Total((sums[0] + sums[1]) + (sums[2] + sums[3]));
}

void Dots(const float* x, const float* matrix, int64_t k, int64_t n, int64_t stride, float* out) {
  const int64_t whole = k / kVectorLanes * kVectorLanes;
  float padded[kVectorLanes] = {};
  std::memcpy(padded, x + whole, static_cast<size_t>(k - whole) * sizeof(float));
  const FloatVector rest = LoadVector(padded);
  int64_t j = 0;
  for (; j + 4 <= n; j += 4) {
    SomeDots<4>(x, rest, matrix + j * stride, whole, whole < k, stride, out + j);
  }
  for (; j < n; ++j) out[j] = OneDot(x, rest, matrix + j * stride, whole, whole < k);
}

}  // namespace

const SmallMatrixTable& SIGNET_ISA_NAME(SmallMatrixTable)() {
  static constexpr SmallMatrixTable table = {ByColumns<Multiply>, Dots, ByColumns<Distance>};
  return table;
}

}  // namespace signet
