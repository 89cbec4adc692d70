#include "core/kernels/simd/winograd.h"

#include <algorithm>

#include "core/kernels/simd/vector/loops.h"
#include "core/kernels/simd/vector/vectors.h"

namespace signet {
namespace {

// The interpolation points of tiles of 4x4 are 0, +-kP, +-kQ, and infinity. Tiles of 2x2 use 0, 1,
// -1, and infinity.
constexpr double kP = 0.625;
constexpr double kQ = 1.5;
constexpr double kPP = kP * kP;
constexpr double kQQ = kQ * kQ;

constexpr double kNumberP = 2 * kPP * (kPP - kQQ);
constexpr double kNumberQ = 2 * kQQ * (kQQ - kPP);
constexpr double kWeights2[4][3] = {{1, 0, 0}, {0.5, 0.5, 0.5}, {0.5, -0.5, 0.5}, {0, 0, 1}};
constexpr double kWeights4[6][3] = {{1 / (kPP * kQQ), 0, 0},
                                    {1 / kNumberP, kP / kNumberP, kPP / kNumberP},
                                    {1 / kNumberP, -kP / kNumberP, kPP / kNumberP},
                                    {1 / kNumberQ, kQ / kNumberQ, kQQ / kNumberQ},
                                    {1 / kNumberQ, -kQ / kNumberQ, kQQ / kNumberQ},
                                    {0, 0, 1}};

// The transforms along one dimension, of elements with distance `step`.
template <int tile>
[[gnu::always_inline]] inline void Input(const FloatVector* d, int step, FloatVector* out) {
  if constexpr (tile == 2) {
    out[0] = d[0] - d[2 * step];
    out[step] = d[step] + d[2 * step];
    out[2 * step] = d[2 * step] - d[step];
    out[3 * step] = d[step] - d[3 * step];
  } else {
    constexpr auto p = static_cast<float>(kP);
    constexpr auto q = static_cast<float>(kQ);
    constexpr auto pp = static_cast<float>(kPP);
    constexpr auto qq = static_cast<float>(kQQ);
    const FloatVector even_p = d[4 * step] - qq * d[2 * step];
    const FloatVector odd_p = p * (d[3 * step] - qq * d[step]);
    const FloatVector even_q = d[4 * step] - pp * d[2 * step];
    const FloatVector odd_q = q * (d[3 * step] - pp * d[step]);
    out[0] = d[4 * step] + (pp * qq * d[0] - (pp + qq) * d[2 * step]);
    out[step] = even_p + odd_p;
    out[2 * step] = even_p - odd_p;
    out[3 * step] = even_q + odd_q;
    out[4 * step] = even_q - odd_q;
    out[5 * step] = d[5 * step] + (pp * qq * d[step] - (pp + qq) * d[3 * step]);
  }
}
template <int tile>
[[gnu::always_inline]] inline void Output(const FloatVector* m, int step, FloatVector* out,
                                          int out_step) {
  if constexpr (tile == 2) {
    out[0] = m[0] + m[step] + m[2 * step];
    out[out_step] = m[step] - m[2 * step] - m[3 * step];
  } else {
    constexpr auto p = static_cast<float>(kP);
    constexpr auto q = static_cast<float>(kQ);
    const FloatVector even_p = m[step] + m[2 * step];
    const FloatVector odd_p = p * (m[step] - m[2 * step]);
    const FloatVector even_q = m[3 * step] + m[4 * step];
    const FloatVector odd_q = q * (m[3 * step] - m[4 * step]);
    out[0] = m[0] + even_p + even_q;
    out[out_step] = odd_p + odd_q;
    out[2 * out_step] = p * p * even_p + q * q * even_q;
    out[3 * out_step] = p * p * odd_p + q * q * odd_q + m[5 * step];
  }
}

// Returns a0 b0 a1 b1 ... of the first or the second half.
template <int half, int... i>
[[gnu::always_inline]] inline FloatVector Zip(FloatVector a, FloatVector b,
                                              std::integer_sequence<int, i...>) {
  return __builtin_shufflevector(a, b, (i % 2 * kVectorLanes + i / 2 + half * kVectorLanes / 2)...);
}
// Returns the first halves of both vectors.
template <int... i>
[[gnu::always_inline]] inline FloatVector Halves(FloatVector a, FloatVector b,
                                                 std::integer_sequence<int, i...>) {
  constexpr int kHalf = kVectorLanes / 2;
  return __builtin_shufflevector(a, b, (i < kHalf ? i : i - kHalf + kVectorLanes)...);
}
template <int... i>
[[gnu::always_inline]] inline FloatVector SecondHalf(FloatVector a,
                                                     std::integer_sequence<int, i...>) {
  constexpr int kHalf = kVectorLanes / 2;
  return __builtin_shufflevector(a, a, (i % kHalf + kHalf)...);
}

// The number of elements in a row of a quad. A row of all quads of a vector has `tile` vectors.
// Each of these contains several quads, or is part of one quad.
template <int tile>
constexpr int kQuadWidth = 4 * tile;
template <int tile>
constexpr bool kSharesVector = kQuadWidth<tile> < kVectorLanes;

// Loads vector v of the row at `row` of all quads, from column `shift` on.
template <int tile>
[[gnu::always_inline]] inline FloatVector QuadRow(const float* row, const WinogradQuad* quads,
                                                  int v, int shift) {
  if constexpr (kSharesVector<tile>) {
    static_assert(2 * kQuadWidth<tile> == kVectorLanes);
    return Halves(LoadVector(row + quads[2 * v].from + shift),
                  LoadVector(row + quads[2 * v + 1].from + shift), kAllLanes);
  } else {
    const int at = v * kVectorLanes;
    return LoadVector(row + quads[at / kQuadWidth<tile>].from + at % kQuadWidth<tile> + shift);
  }
}

template <int tile>
void TransformInput(const float* plane, int64_t row_stride, const WinogradQuad* quads,
                    int64_t stride, float* out) {
  constexpr int kSize = tile + 2;
  FloatVector elements[kSize * kSize];
  FloatVector half[kSize * kSize];
  Unrolled<kSize>([&](auto r) __attribute__((always_inline)) {
    const float* row = plane + r * row_stride;
    FloatVector here[tile];
    FloatVector next[tile];
    Unrolled<tile>([&](auto v) __attribute__((always_inline)) {
      here[v] = QuadRow<tile>(row, quads, v, 0);
      next[v] = QuadRow<tile>(row, quads, v, tile);
    });
    FloatVector* to = elements + r * kSize;
    if constexpr (tile == 2) {
      to[0] = Evens(here[0], here[1], kAllLanes);
      to[1] = Odds(here[0], here[1], kAllLanes);
      to[2] = Evens(next[0], next[1], kAllLanes);
      to[3] = Odds(next[0], next[1], kAllLanes);
    } else {
      const FloatVector evens[2] = {Evens(here[0], here[1], kAllLanes),
                                    Evens(here[2], here[3], kAllLanes)};
      const FloatVector odds[2] = {Odds(here[0], here[1], kAllLanes),
                                   Odds(here[2], here[3], kAllLanes)};
      to[0] = Evens(evens[0], evens[1], kAllLanes);
      to[1] = Evens(odds[0], odds[1], kAllLanes);
      to[2] = Odds(evens[0], evens[1], kAllLanes);
      to[3] = Odds(odds[0], odds[1], kAllLanes);
      to[4] =
          Evens(Evens(next[0], next[1], kAllLanes), Evens(next[2], next[3], kAllLanes), kAllLanes);
      to[5] =
          Evens(Odds(next[0], next[1], kAllLanes), Odds(next[2], next[3], kAllLanes), kAllLanes);
    }
  });
  Unrolled<kSize>([&](auto c) __attribute__((always_inline)) {
    Input<tile>(elements + c, kSize, half + c);
  });
  Unrolled<kSize>([&](auto r) __attribute__((always_inline)) {
    FloatVector row[kSize];
    Input<tile>(half + r * kSize, 1, row);
    Unrolled<kSize>([&](auto c) __attribute__((always_inline)) {
      StoreVector(row[c], out + (r * kSize + c) * stride);
    });
  });
}

// Writes the first lanes of `x` to the columns from `column` on of row `row` of a quad's results.
[[gnu::always_inline]] inline void Emit(FloatVector x, const WinogradQuad& quad, int row,
                                        int column, int lanes, const WinogradResult& result) {
  const int64_t n = std::min<int64_t>(quad.width - column, lanes);
  if (row >= quad.height || n <= 0) return;
  const int64_t at = quad.to + row * result.row_stride + column;
  x += result.bias;
  if (n == kVectorLanes) {
    if (result.residual != nullptr) x += LoadVector(result.residual + at);
  } else {
    if (result.residual != nullptr) x += LoadSome(result.residual + at, n);
  }
  if (result.clips) {
    x = ClipVector(x, FloatVector{} + result.low, FloatVector{} + result.high);
  }
  if (n == kVectorLanes) {
    StoreVector(x, result.out + at);
  } else {
    StoreSome(x, n, result.out + at);
  }
}

template <int tile>
void TransformOutput(const float* sums, int64_t stride, const WinogradQuad* quads,
                     const WinogradResult& result) {
  constexpr int kSize = tile + 2;
  FloatVector half[tile * kSize];
  Unrolled<kSize>([&](auto c) __attribute__((always_inline)) {
    FloatVector column[kSize];
    Unrolled<kSize>([&](auto r) __attribute__((always_inline)) {
      column[r] = LoadVector(sums + (r * kSize + c) * stride);
    });
    Output<tile>(column, 1, half + c, kSize);
  });
  Unrolled<tile>([&](auto r) __attribute__((always_inline)) {
    FloatVector y[tile];
    Output<tile>(half + r * kSize, 1, y, 1);
    FloatVector row[tile];
    if constexpr (tile == 2) {
      row[0] = Zip<0>(y[0], y[1], kAllLanes);
      row[1] = Zip<1>(y[0], y[1], kAllLanes);
    } else {
      const FloatVector evens[2] = {Zip<0>(y[0], y[2], kAllLanes), Zip<1>(y[0], y[2], kAllLanes)};
      const FloatVector odds[2] = {Zip<0>(y[1], y[3], kAllLanes), Zip<1>(y[1], y[3], kAllLanes)};
      row[0] = Zip<0>(evens[0], odds[0], kAllLanes);
      row[1] = Zip<1>(evens[0], odds[0], kAllLanes);
      row[2] = Zip<0>(evens[1], odds[1], kAllLanes);
      row[3] = Zip<1>(evens[1], odds[1], kAllLanes);
    }
    Unrolled<tile>([&](auto v) __attribute__((always_inline)) {
      if constexpr (kSharesVector<tile>) {
        Emit(row[v], quads[2 * v], r, 0, kQuadWidth<tile>, result);
        Emit(SecondHalf(row[v], kAllLanes), quads[2 * v + 1], r, 0, kQuadWidth<tile>, result);
      } else {
        constexpr int at = v * kVectorLanes;
        Emit(row[v], quads[at / kQuadWidth<tile>], r, at % kQuadWidth<tile>, kVectorLanes, result);
      }
    });
  });
}

// Computes in double, because this runs once.
template <int tile>
void TransformWeights(const float* window, float* out) {
  constexpr int kSize = tile + 2;
  auto weight = [](int r, int i) { return tile == 2 ? kWeights2[r % 4][i] : kWeights4[r][i]; };
  for (int r = 0; r < kSize; ++r) {
    for (int c = 0; c < kSize; ++c) {
      double sum = 0;
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
          sum += weight(r, i) * weight(c, j) * static_cast<double>(window[i * 3 + j]);
        }
      }
      out[r * kSize + c] = static_cast<float>(sum);
    }
  }
}

}  // namespace

const WinogradTable& SIGNET_ISA_NAME(WinogradTable)() {
  static constexpr WinogradTable table = {
      {{2, 16, TransformInput<2>, TransformOutput<2>, TransformWeights<2>},
       {4, 36, TransformInput<4>, TransformOutput<4>, TransformWeights<4>}}};
  return table;
}

}  // namespace signet
