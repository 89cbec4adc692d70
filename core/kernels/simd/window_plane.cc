#include "core/kernels/simd/window_plane.h"

#include <algorithm>

#include "core/kernels/simd/row_finish.h"
#include "core/kernels/simd/vector/vectors.h"

namespace signet {
namespace {

// Without masks in hardware, copying blanks is faster.
constexpr int64_t kMostWidth = kVectorLanes > 4 ? 16 : 0;

// The lanes that are within the input, for vectors that begin at `column`, one mask per column of
// the window. With a stride of 2, a vector of the result is built from two vectors, `low` and
// `high`.
struct Masks {
  LaneMask low[kMostWidth > 0 ? kMostWidth : 1];
  LaneMask high[kMostWidth > 0 ? kMostWidth : 1];
};
Masks MasksAt(const WindowPlane& p, int64_t column) {
  Masks masks;
  for (int64_t kw = 0; kw < p.width.kernel; ++kw) {
    const int64_t at = column * p.width.stride + kw * p.width.dilation - p.width.before;
    auto mask = [&](int64_t first) {
      return MakeMask(std::clamp<int64_t>(-first, 0, kVectorLanes),
                      std::clamp<int64_t>(p.width.size - first, 0, kVectorLanes));
    };
    masks.low[kw] = mask(at);
    masks.high[kw] = mask(at + kVectorLanes);
  }
  return masks;
}

// Adds bias and residual to the sums of `count` rows, and applies the activation.
template <int height>
void Finish(const WindowPlane& p, const FloatVector* sums, int64_t row, int64_t count,
            int64_t column) {
  const int64_t lanes = std::min<int64_t>(kVectorLanes, p.width.out - column);
  VisitFinish(p.finish, [&](auto finish) {
    Unrolled<height>([&](auto r) __attribute__((always_inline)) {
      if (r >= count) return;
      const int64_t at = (row + r) * p.width.out + column;
      FloatVector x = sums[r] + p.bias;
      if (p.residual != nullptr) x += LoadSome(p.residual + at, lanes);
      StoreSome(finish(x), lanes, p.out + at);
    });
  });
}

// Computes elements [column, column + kVectorLanes) of `height` rows of the result, of which
// `count` exist. With `edge`, rows of their windows may be outside of the input.
template <int height, int stride, bool edge>
void RunRows(const WindowPlane& p, int64_t row, int64_t count, int64_t column, const Masks& masks) {
  const LaneMask none = MakeMask(0, 0);
  FloatVector sums[height] = {};
  const float* weights = p.weights;
  for (int64_t kh = 0; kh < p.height.kernel; ++kh, weights += p.width.kernel) {
    const float* from[height];
    bool inside[height];
    Unrolled<height>([&](auto r) __attribute__((always_inline)) {
      const int64_t own = row + std::min<int64_t>(r, count - 1);
      const int64_t at = own * p.height.stride + kh * p.height.dilation - p.height.before;
      from[r] = p.x + at * p.width.size + column * stride - p.width.before;
      inside[r] = !edge || (at >= 0 && at < p.height.size);
    });
    for (int64_t kw = 0; kw < p.width.kernel; kw += stride) {
      Unrolled<height>([&](auto r) __attribute__((always_inline)) {
        const LaneMask low_mask = inside[r] ? masks.low[kw] : none;
        const FloatVector low = LoadMasked(from[r] + kw * p.width.dilation, low_mask);
        if constexpr (stride == 1) {
          sums[r] += weights[kw] * low;
        } else {
          const LaneMask high_mask = inside[r] ? masks.high[kw] : none;
          const FloatVector high = LoadMasked(from[r] + kw + kVectorLanes, high_mask);
          sums[r] += weights[kw] * Evens(low, high, kAllLanes);
          if (kw + 1 < p.width.kernel) sums[r] += weights[kw + 1] * Odds(low, high, kAllLanes);
        }
      });
    }
  }
  Finish<height>(p, sums, row, count, column);
}

// Does the same for square windows with stride 1. A row of the input is read once for all rows of
// the result that depend on it.
template <int height, int kernel, bool edge>
void RunSquare(const WindowPlane& p, int64_t row, int64_t count, int64_t column,
               const Masks& masks) {
  const LaneMask none = MakeMask(0, 0);
  FloatVector sums[height] = {};
  Unrolled<height + kernel - 1>([&](auto i) __attribute__((always_inline)) {
    const int64_t at = row - p.height.before + std::min<int64_t>(i, count + kernel - 2);
    const bool inside = !edge || (at >= 0 && at < p.height.size);
    const float* from = p.x + at * p.width.size + column - p.width.before;
    Unrolled<kernel>([&](auto kw) __attribute__((always_inline)) {
      const FloatVector x = LoadMasked(from + kw, inside ? masks.low[kw] : none);
      Unrolled<kernel>([&](auto kh) __attribute__((always_inline)) {
        constexpr int r = i - kh;
        if constexpr (r >= 0 && r < height) sums[r] += p.weights[kh * kernel + kw] * x;
      });
    });
  });
  Finish<height>(p, sums, row, count, column);
}

// The function for rows that are not at an edge, and for rows that are.
struct RowRuns {
  void (*run[2])(const WindowPlane& p, int64_t row, int64_t count, int64_t column,
                 const Masks& masks);
};
template <int height, int stride>
RowRuns RunsOf(const WindowPlane& p) {
  bool is_square = stride == 1 && p.height.stride == 1 && p.height.dilation == 1 &&
                   p.width.dilation == 1 && p.height.kernel == p.width.kernel;
  switch (is_square ? p.width.kernel : 0) {
    case 3:
      return {{RunSquare<height, 3, false>, RunSquare<height, 3, true>}};
    case 5:
      return {{RunSquare<height, 5, false>, RunSquare<height, 5, true>}};
    case 7:
      return {{RunSquare<height, 7, false>, RunSquare<height, 7, true>}};
    default:
      return {{RunRows<height, stride, false>, RunRows<height, stride, true>}};
  }
}

template <int stride>
void RunOf(const WindowPlane& p) {
  constexpr int kTall = 4;
  const RowRuns runs = RunsOf<kTall, stride>(p);
  const int64_t reach = (p.height.kernel - 1) * p.height.dilation;
  for (int64_t column = 0; column < p.width.out; column += kVectorLanes) {
    const Masks masks = MasksAt(p, column);
    for (int64_t row = 0; row < p.height.out; row += kTall) {
      const int64_t count = std::min<int64_t>(kTall, p.height.out - row);
      const int64_t top = row * p.height.stride - p.height.before;
      const int64_t bottom = (row + count - 1) * p.height.stride - p.height.before + reach;
      runs.run[top < 0 || bottom >= p.height.size](p, row, count, column, masks);
    }
  }
}

void Run(const WindowPlane& p) { p.width.stride == 1 ? RunOf<1>(p) : RunOf<2>(p); }

}  // namespace

const WindowPlaneTable& SIGNET_ISA_NAME(WindowPlaneTable)() {
  static constexpr WindowPlaneTable table = {.most_width = kMostWidth, .run = Run};
  return table;
}

}  // namespace signet
