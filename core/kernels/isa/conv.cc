#include "core/kernels/isa/conv.h"

#include <algorithm>
#include <cstring>

#include "core/kernels/isa/loops.h"
#include "core/kernels/isa/vectors.h"

namespace signet {
namespace {

// A tile's sums stay in registers.
#if defined(__AVX512F__)
constexpr int kRows = 8;
constexpr int kVectors = 3;
#elif defined(__AVX2__)
constexpr int kRows = 4;
constexpr int kVectors = 3;
#else
constexpr int kRows = 4;
constexpr int kVectors = 2;
#endif
constexpr int kColumns = kVectors * kVectorLanes;

template <int vectors>
void MultiplyTile(const float* a, const float* b, float* c, int64_t k, int64_t c_stride, bool add) {
  FloatVector sums[kRows][vectors];
  Unrolled<kRows>([&](auto r) __attribute__((always_inline)) {
    Unrolled<vectors>([&](auto v) __attribute__((always_inline)) {
      sums[r][v] = add ? LoadVector(c + r * c_stride + v * kVectorLanes) : FloatVector{};
    });
  });
  for (int64_t l = 0; l < k; ++l) {
    FloatVector right[vectors];
    Unrolled<vectors>([&](auto v) __attribute__((always_inline)) {
      right[v] = LoadVector(b + v * kVectorLanes);
    });
    Unrolled<kRows>([&](auto r) __attribute__((always_inline)) {
      Unrolled<vectors>([&](auto v)
                            __attribute__((always_inline)) { sums[r][v] += a[r] * right[v]; });
    });
    a += kRows;
    b += vectors * kVectorLanes;
  }
  Unrolled<kRows>([&](auto r) __attribute__((always_inline)) {
    Unrolled<vectors>([&](auto v) __attribute__((always_inline)) {
      StoreVector(sums[r][v], c + r * c_stride + v * kVectorLanes);
    });
  });
}

void Multiply(const float* a, const float* b, float* c, int64_t panels, int64_t columns, int64_t k,
              int64_t c_stride, bool add) {
  int64_t whole = columns / kColumns * kColumns;
  for (int64_t panel = 0; panel < panels; ++panel) {
    const float* left = a + panel * k * kRows;
    float* out = c + panel * kRows * c_stride;
    for (int64_t j = 0; j < whole; j += kColumns) {
      MultiplyTile<kVectors>(left, b + j * k, out + j, k, c_stride, add);
    }
    const float* rest = b + whole * k;
    switch ((columns - whole) / kVectorLanes) {
      case 1:
        MultiplyTile<1>(left, rest, out + whole, k, c_stride, add);
        break;
      case 2:
        MultiplyTile<kVectors == 2 ? 1 : 2>(left, rest, out + whole, k, c_stride, add);
        break;
      default:
        break;
    }
  }
}

void PackColumns(const float* from, const int64_t* offsets, int64_t k, int64_t begin,
                 int64_t columns, int64_t end, float* packed) {
  for (int64_t j = 0; j < columns; j += kColumns) {
    int64_t width = std::min<int64_t>(kColumns, columns - j);
    int64_t there = std::clamp<int64_t>(end - begin - j, 0, width);
    const float* first = from + begin + j;
    if (there == kColumns) {
      for (int64_t l = 0; l < k; ++l, packed += kColumns) {
        const float* row = first + offsets[l];
        Unrolled<kVectors>([&](auto v) __attribute__((always_inline)) {
          StoreVector(LoadVector(row + v * kVectorLanes), packed + v * kVectorLanes);
        });
      }
      continue;
    }
    for (int64_t l = 0; l < k; ++l, packed += width) {
      std::memcpy(packed, first + offsets[l], static_cast<size_t>(there) * sizeof(float));
      std::fill(packed + there, packed + width, 0.0F);
    }
  }
}

// Every `stride`-th element from `position` on; those outside of [0, size) are blank.
void SplitRow(const float* x, int64_t size, int64_t position, int64_t stride, int64_t count,
              float* out) {
  int64_t blank = position < 0 ? std::min(count, (-position + stride - 1) / stride) : 0;
  int64_t last =
      position >= size ? blank : std::min(count, (size - position + stride - 1) / stride);
  last = std::max(last, blank);
  std::fill(out, out + blank, 0.0F);
  if (stride == 1) {
    std::memcpy(out + blank, x + position + blank,
                static_cast<size_t>(last - blank) * sizeof(float));
  } else if (stride == 2) {
    const float* from = x + position;
    for (int64_t i = blank; i < last; ++i) out[i] = from[2 * i];
  } else {
    const float* from = x + position;
    for (int64_t i = blank; i < last; ++i) out[i] = from[stride * i];
  }
  std::fill(out + last, out + count, 0.0F);
}

void Split(const float* x, const PhaseAxis axes[3], float* phases) {
  const PhaseAxis& depth = axes[0];
  const PhaseAxis& height = axes[1];
  const PhaseAxis& width = axes[2];
  int64_t row = width.positions;
  for (int64_t pd = 0; pd < depth.num_phases; ++pd) {
    for (int64_t ph = 0; ph < height.num_phases; ++ph) {
      for (int64_t pw = 0; pw < width.num_phases; ++pw) {
        for (int64_t d = 0; d < depth.positions; ++d) {
          int64_t at_d = d * depth.stride + depth.phases[pd] - depth.before;
          for (int64_t h = 0; h < height.positions; ++h, phases += row) {
            int64_t at_h = h * height.stride + height.phases[ph] - height.before;
            bool inside = at_d >= 0 && at_d < depth.size && at_h >= 0 && at_h < height.size;
            if (!inside) {
              std::fill(phases, phases + row, 0.0F);
              continue;
            }
            SplitRow(x + (at_d * height.size + at_h) * width.size, width.size,
                     width.phases[pw] - width.before, width.stride, row, phases);
          }
        }
      }
    }
  }
}

void Slide(const float* from, const int64_t* offsets, const float* weights, int64_t taps,
           int64_t columns, float* out) {
  constexpr int kAtOnce = 4;
  for (int64_t j = 0; j < columns; j += kAtOnce * kVectorLanes) {
    FloatVector sums[kAtOnce] = {};
    for (int64_t t = 0; t < taps; ++t) {
      const float* row = from + offsets[t] + j;
      float weight = weights[t];
      Unrolled<kAtOnce>([&](auto v) __attribute__((always_inline)) {
        sums[v] += weight * LoadVector(row + v * kVectorLanes);
      });
    }
    Unrolled<kAtOnce>([&](auto v) __attribute__((always_inline)) {
      StoreVector(sums[v], out + j + v * kVectorLanes);
    });
  }
}

template <class Function>
void FinishWith(const float* from, float bias, const float* residual, int64_t n, float* to,
                Function function) {
  if (residual == nullptr) {
    SIGNET_INDEPENDENT
    for (int64_t i = 0; i < n; ++i) to[i] = function(from[i] + bias);
  } else {
    SIGNET_INDEPENDENT
    for (int64_t i = 0; i < n; ++i) to[i] = function(from[i] + bias + residual[i]);
  }
}

// NaN stays.
inline float Clipped(float x, float low, float high) {
  x = x < low ? low : x;
  return x > high ? high : x;
}

void FinishRowOf(const float* from, float bias, const float* residual, FinishArguments with,
                 int64_t n, float* to) {
  float alpha = with.alpha;
  float beta = with.beta;
  switch (with.kind) {
    case RowFinish::kAsIs:
      return FinishWith(from, bias, residual, n, to, [](float x) { return x; });
    case RowFinish::kClip:
      return FinishWith(from, bias, residual, n, to,
                        [=](float x) { return Clipped(x, alpha, beta); });
    case RowFinish::kLeakyRelu:
      return FinishWith(from, bias, residual, n, to,
                        [=](float x) { return x < 0 ? alpha * x : x; });
    case RowFinish::kHardSigmoid:
      return FinishWith(from, bias, residual, n, to,
                        [=](float x) { return Clipped(alpha * x + beta, 0, 1); });
    case RowFinish::kHardSwish:
      return FinishWith(from, bias, residual, n, to,
                        [=](float x) { return x * Clipped(alpha * x + beta, 0, 1); });
  }
}

}  // namespace

const ConvTable& SIGNET_ISA_NAME(ConvTable)() {
  static constexpr ConvTable table = {
      .rows = kRows,
      .lanes = kVectorLanes,
      .columns = kColumns,
      .multiply = Multiply,
      .pack_columns = PackColumns,
      .split = Split,
      .slide = Slide,
      .finish = FinishRowOf,
  };
  return table;
}

}  // namespace signet
