#include "core/kernels/isa/window_plane.h"

#include <algorithm>

#include "core/kernels/isa/sigmoid.h"
#include "core/kernels/isa/vectors.h"

namespace signet {
namespace {

// Without masks in hardware, blanks are better copied.
constexpr int64_t kMostWidth = kVectorLanes > 4 ? 16 : 0;

FloatVector Finished(FloatVector x, const FinishArguments& with) {
  const FloatVector zero = {};
  auto clipped = [](FloatVector y, float low, float high) __attribute__((always_inline)) {
    return ClipVector(y, FloatVector{} + low, FloatVector{} + high);
  };
  switch (with.kind) {
    case RowFinish::kAsIs:
      return x;
    case RowFinish::kClip:
      return clipped(x, with.alpha, with.beta);
    case RowFinish::kLeakyRelu:
      return x < zero ? with.alpha * x : x;
    case RowFinish::kHardSigmoid:
      return clipped(with.alpha * x + with.beta, 0, 1);
    case RowFinish::kHardSwish:
      return x * clipped(with.alpha * x + with.beta, 0, 1);
    case RowFinish::kSigmoid:
      return SigmoidOf(x);
    case RowFinish::kSilu:
      return x * SigmoidOf(x);
  }
  __builtin_unreachable();
}

// What is within the input of vectors from `column` on, by column of the window; with a stride of
// 2, of the two vectors that a vector of the result is made of.
struct Masks {
  LaneMask low[kMostWidth > 0 ? kMostWidth : 1];
  LaneMask high[kMostWidth > 0 ? kMostWidth : 1];
};
Masks MasksAt(const WindowPlane& p, int64_t column) {
  Masks masks;
  for (int64_t kw = 0; kw < p.kernel_width; ++kw) {
    const int64_t at = column * p.stride_width + kw * p.dilation_width - p.before_width;
    auto mask = [&](int64_t first) {
      return MakeMask(std::clamp<int64_t>(-first, 0, kVectorLanes),
                      std::clamp<int64_t>(p.width - first, 0, kVectorLanes));
    };
    masks.low[kw] = mask(at);
    masks.high[kw] = mask(at + kVectorLanes);
  }
  return masks;
}

// Elements [column, column + kVectorLanes) of `height` rows of the result, of whose windows rows
// [first, last) are within the input. Rows from `count` on are the last one again.
template <int height, int stride>
void RunRows(const WindowPlane& p, int64_t row, int64_t count, int64_t first, int64_t last,
             int64_t column, const Masks& masks) {
  const float* from[height];
  FloatVector sums[height];
  Unrolled<height>([&](auto r) __attribute__((always_inline)) {
    const int64_t own = row + std::min<int64_t>(r, count - 1);
    const int64_t top = own * p.stride_height + first * p.dilation_height - p.before_height;
    from[r] = p.x + top * p.width + column * stride - p.before_width;
    sums[r] = FloatVector{};
  });
  const float* weights = p.weights + first * p.kernel_width;
  for (int64_t kh = first; kh < last; ++kh, weights += p.kernel_width) {
    for (int64_t kw = 0; kw < p.kernel_width; kw += stride) {
      Unrolled<height>([&](auto r) __attribute__((always_inline)) {
        const FloatVector low = LoadMasked(from[r] + kw * p.dilation_width, masks.low[kw]);
        if constexpr (stride == 1) {
          sums[r] += weights[kw] * low;
        } else {
          const FloatVector high = LoadMasked(from[r] + kw + kVectorLanes, masks.high[kw]);
          sums[r] += weights[kw] * Evens(low, high, kAllLanes);
          if (kw + 1 < p.kernel_width) sums[r] += weights[kw + 1] * Odds(low, high, kAllLanes);
        }
      });
    }
    Unrolled<height>([&](auto r) __attribute__((always_inline)) {
      from[r] += p.dilation_height * p.width;
    });
  }
  const int64_t lanes = std::min<int64_t>(kVectorLanes, p.columns - column);
  Unrolled<height>([&](auto r) __attribute__((always_inline)) {
    const int64_t at = (row + std::min<int64_t>(r, count - 1)) * p.columns + column;
    FloatVector x = sums[r] + p.bias;
    if (p.residual != nullptr) x += LoadSome(p.residual + at, lanes);
    StoreSome(Finished(x, p.finish), lanes, p.out + at);
  });
}

template <int stride>
void RunOf(const WindowPlane& p) {
  constexpr int kTall = 4;
  auto above = [](int64_t n, int64_t by) { return n <= 0 ? 0 : (n + by - 1) / by; };
  // Rows [whole, behind) of the result have windows within the input from top to bottom.
  const int64_t room = p.height - (p.kernel_height - 1) * p.dilation_height + p.before_height;
  const int64_t whole = std::min(above(p.before_height, p.stride_height), p.rows);
  const int64_t behind = std::clamp(above(room, p.stride_height), whole, p.rows);
  for (int64_t column = 0; column < p.columns; column += kVectorLanes) {
    const Masks masks = MasksAt(p, column);
    auto edge = [&](int64_t row) {
      const int64_t outside = p.before_height - row * p.stride_height;  // rows of the window
      const int64_t first = std::min(above(outside, p.dilation_height), p.kernel_height);
      const int64_t last = std::min(above(p.height + outside, p.dilation_height), p.kernel_height);
      RunRows<1, stride>(p, row, 1, first, std::max(first, last), column, masks);
    };
    for (int64_t row = 0; row < whole; ++row) edge(row);
    for (int64_t row = whole; row < behind; row += kTall) {
      RunRows<kTall, stride>(p, row, std::min<int64_t>(kTall, behind - row), 0, p.kernel_height,
                             column, masks);
    }
    for (int64_t row = behind; row < p.rows; ++row) edge(row);
  }
}

void Run(const WindowPlane& p) { p.stride_width == 1 ? RunOf<1>(p) : RunOf<2>(p); }

}  // namespace

const WindowPlaneTable& SIGNET_ISA_NAME(WindowPlaneTable)() {
  static constexpr WindowPlaneTable table = {.most_width = kMostWidth, .run = Run};
  return table;
}

}  // namespace signet
