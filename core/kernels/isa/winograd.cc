#include "core/kernels/isa/winograd.h"

#include "core/kernels/isa/loops.h"
#include "core/kernels/isa/vectors.h"

namespace signet {
namespace {

constexpr int kTile = kWinogradTile;
constexpr int kSize = kWinogradSize;

// The transforms along one dimension, of elements `step` apart.
constexpr double kWeights[kSize][3] = {{1, 0, 0}, {0.5, 0.5, 0.5}, {0.5, -0.5, 0.5}, {0, 0, 1}};
[[gnu::always_inline]] inline void Input(const FloatVector* d, int step, FloatVector* out) {
  out[0] = d[0] - d[2 * step];
  out[step] = d[step] + d[2 * step];
  out[2 * step] = d[2 * step] - d[step];
  out[3 * step] = d[step] - d[3 * step];
}
[[gnu::always_inline]] inline void Output(const FloatVector* m, int step, FloatVector* out) {
  out[0] = m[0] + m[step] + m[2 * step];
  out[step] = m[step] - m[2 * step] - m[3 * step];
}

void TransformInput(const float* from, const int64_t* offsets, int64_t columns, int64_t stride,
                    float* out) {
  for (int64_t j = 0; j < columns; j += kVectorLanes) {
    FloatVector elements[kSize * kSize];
    FloatVector half[kSize * kSize];
    Unrolled<kSize * kSize>([&](auto i) __attribute__((always_inline)) {
      elements[i] = LoadVector(from + offsets[i] + j);
    });
    Unrolled<kSize>([&](auto c)
                        __attribute__((always_inline)) { Input(elements + c, kSize, half + c); });
    Unrolled<kSize>([&](auto r) __attribute__((always_inline)) {
      Input(half + r * kSize, 1, elements + r * kSize);
    });
    Unrolled<kSize * kSize>([&](auto i) __attribute__((always_inline)) {
      StoreVector(elements[i], out + i * stride + j);
    });
  }
}

// a0 b0 a1 b1 ... of the first or the second half.
using IntVector [[gnu::vector_size(4 * kVectorLanes)]] = int;
[[gnu::always_inline]] inline FloatVector Zipped(FloatVector a, FloatVector b, bool second) {
  IntVector order = {};
  Unrolled<kVectorLanes>([&](auto i) __attribute__((always_inline)) {
    constexpr int lane = decltype(i)::value;
    order[lane] = lane % 2 * kVectorLanes + lane / 2 + (second ? kVectorLanes / 2 : 0);
  });
  return __builtin_shuffle(a, b, order);
}

void TransformOutput(const float* from, int64_t stride, int64_t columns, float* out,
                     int64_t row_stride) {
  for (int64_t j = 0; j < columns; j += kVectorLanes) {
    FloatVector sums[kSize * kSize];
    FloatVector half[kSize * kSize];
    Unrolled<kSize * kSize>([&](auto i) __attribute__((always_inline)) {
      sums[i] = LoadVector(from + i * stride + j);
    });
    Unrolled<kSize>([&](auto c)
                        __attribute__((always_inline)) { Output(sums + c, kSize, half + c); });
    Unrolled<kTile>([&](auto r) __attribute__((always_inline)) {
      FloatVector row[kTile];
      Output(half + r * kSize, 1, row);
      float* to = out + r * row_stride + j * kTile;
      StoreVector(Zipped(row[0], row[1], false), to);
      StoreVector(Zipped(row[0], row[1], true), to + kVectorLanes);
    });
  }
}

// In double: this is done once.
void TransformWeights(const float* window, float* out) {
  for (int r = 0; r < kSize; ++r) {
    for (int c = 0; c < kSize; ++c) {
      double sum = 0;
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
          sum += kWeights[r][i] * kWeights[c][j] * static_cast<double>(window[i * 3 + j]);
        }
      }
      out[r * kSize + c] = static_cast<float>(sum);
    }
  }
}

}  // namespace

const WinogradTable& SIGNET_ISA_NAME(WinogradTable)() {
  static constexpr WinogradTable table = {TransformInput, TransformOutput, TransformWeights};
  return table;
}

}  // namespace signet
