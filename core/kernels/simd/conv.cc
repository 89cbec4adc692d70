#include "core/kernels/simd/conv.h"

#include <algorithm>
#include <array>
#include <span>

#include "core/kernels/simd/row_finish.h"
#include "core/kernels/simd/vector/loops.h"
#include "core/kernels/simd/vector/vectors.h"

namespace signet {
namespace {

// The sums of a tile fit in registers. Tiles of fewer rows have kMostVectors vectors.
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
constexpr int kMostVectors = 4;
// Rows of weights to prefetch, enough for weights that come from memory.
constexpr int kAhead = 256;
constexpr int kColumns = kVectors * kVectorLanes;

// Prefetches what a tile adds to its sums, while the sums are computed.
template <int rows, int vectors>
[[gnu::always_inline]] inline void Fetch(const ConvProduct& p, const float* from) {
  constexpr int kLine = 16;
  Unrolled<rows>([&](auto r) __attribute__((always_inline)) {
    const float* row = from + r * p.c_stride;
    Unrolled<vectors * kVectorLanes / kLine + 1>([&](auto line) __attribute__((always_inline)) {
      __builtin_prefetch(row + line * kLine);
    });
  });
}

// Computes one tile at the beginning of the matrices. Its last vector of columns may be partial.
template <int rows, int vectors>
void MultiplyTile(const ConvProduct& p) {
  FloatVector sums[rows][vectors];
  Unrolled<rows>([&](auto r) __attribute__((always_inline)) {
    Unrolled<vectors>([&](auto v) __attribute__((always_inline)) { sums[r][v] = FloatVector{}; });
  });
  Fetch<rows, vectors>(p, p.c);
  if (p.residual != nullptr) Fetch<rows, vectors>(p, p.residual);
  const float* a = p.a;
  for (int64_t l = 0; l < p.k; ++l, a += kRows) {
    __builtin_prefetch(a + kAhead * kRows);
    const float* row = p.b + p.offsets[l];
    FloatVector right[vectors];
    Unrolled<vectors>([&](auto v) __attribute__((always_inline)) {
      right[v] = LoadVector(row + v * kVectorLanes);
    });
    Unrolled<rows>([&](auto r) __attribute__((always_inline)) {
      Unrolled<vectors>([&](auto v)
                            __attribute__((always_inline)) { sums[r][v] += a[r] * right[v]; });
    });
  }
  // Each step after the sums is decided once, not for each vector.
  const int64_t last = p.columns - (vectors - 1) * kVectorLanes;  // lanes of the last vector
  auto add_all = [&](const float* from) __attribute__((always_inline)) {
    Unrolled<rows>([&](auto r) __attribute__((always_inline)) {
      if (r >= p.rows) return;
      const float* row = from + r * p.c_stride;
      Unrolled<vectors>([&](auto v) __attribute__((always_inline)) {
        const float* x = row + v * kVectorLanes;
        sums[r][v] += v + 1 < vectors ? LoadVector(x) : LoadSome(x, last);
      });
    });
  };
  if (p.add) add_all(p.c);
  if (p.bias != nullptr) {
    Unrolled<rows>([&](auto r) __attribute__((always_inline)) {
      if (r >= p.rows) return;
      Unrolled<vectors>([&](auto v) __attribute__((always_inline)) { sums[r][v] += p.bias[r]; });
    });
  }
  if (p.residual != nullptr) add_all(p.residual);
  if (p.clips) {
    const FloatVector low = FloatVector{} + p.low;
    const FloatVector high = FloatVector{} + p.high;
    Unrolled<rows>([&](auto r) __attribute__((always_inline)) {
      Unrolled<vectors>([&](auto v) __attribute__((always_inline)) {
        sums[r][v] = ClipVector(sums[r][v], low, high);
      });
    });
  }
  Unrolled<rows>([&](auto r) __attribute__((always_inline)) {
    if (r >= p.rows) return;
    float* row = p.c + r * p.c_stride;
    Unrolled<vectors>([&](auto v) __attribute__((always_inline)) {
      float* to = row + v * kVectorLanes;
      if constexpr (v + 1 < vectors) {
        StoreVector(sums[r][v], to);
      } else {
        StoreSome(sums[r][v], last, to);
      }
    });
  });
}

using TileFn = void (*)(const ConvProduct&);
template <int rows, int... vectors>
constexpr std::array<TileFn, sizeof...(vectors)> TilesOf(std::integer_sequence<int, vectors...>) {
  return {MultiplyTile<rows, vectors + 1>...};
}
template <int rows>
constexpr auto kTiles =
    TilesOf<rows>(std::make_integer_sequence<int, rows == kRows ? kVectors : kMostVectors>());

// Computes all columns of a panel, in tiles of at most as many vectors as `tiles` has elements.
void MultiplyPanel(const ConvProduct& panel, std::span<const TileFn> tiles) {
  const auto most = static_cast<int64_t>(tiles.size());
  const int64_t vectors = (panel.columns + kVectorLanes - 1) / kVectorLanes;
  const int64_t count = (vectors + most - 1) / most;
  ConvProduct tile = panel;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t first = vectors * i / count;
    const int64_t end = vectors * (i + 1) / count;
    const int64_t column = first * kVectorLanes;
    tile.b = panel.b + column;
    tile.c = panel.c + column;
    if (panel.residual != nullptr) tile.residual = panel.residual + column;
    tile.columns = std::min(panel.columns, end * kVectorLanes) - column;
    tiles[static_cast<size_t>(end - first - 1)](tile);
  }
}

void Multiply(const ConvProduct& product) {
  ConvProduct panel = product;
  for (int64_t row = 0; row < product.rows; row += kRows) {
    panel.rows = std::min<int64_t>(kRows, product.rows - row);
    if (panel.rows == 1) {
      MultiplyPanel(panel, kTiles<1>);
    } else if (panel.rows == 2) {
      MultiplyPanel(panel, kTiles<2>);
    } else if (panel.rows <= 4) {
      MultiplyPanel(panel, kTiles<4>);
    } else {
      MultiplyPanel(panel, kTiles<kRows>);
    }
    panel.a += product.k * kRows;
    panel.c += kRows * product.c_stride;
    if (product.bias != nullptr) panel.bias += kRows;
    if (product.residual != nullptr) panel.residual += kRows * product.c_stride;
  }
}

void PackColumns(const float* from, const int64_t* offsets, int64_t k, const ColumnRun* runs,
                 int64_t num_runs, int64_t width, float* packed) {
  for (int64_t l = 0; l < k; ++l, packed += width) {
    const float* row = from + offsets[l];
    float* to = packed;
    for (int64_t i = 0; i < num_runs; ++i) {
      const float* source = row + runs[i].column;
      const int64_t count = runs[i].count;
      int64_t j = 0;
      for (; j + kVectorLanes <= count; j += kVectorLanes) {
        StoreVector(LoadVector(source + j), to + j);
      }
      if (j < count) StoreVector(LoadSome(source + j, count - j), to + j);
      to += count;
    }
    // Prefetches the columns of the next tile, which is packed after all weights have been
    // multiplied by this tile.
    const float* next = row + runs[num_runs - 1].column + runs[num_runs - 1].count;
    Unrolled<kColumns / 16>([&](auto line) __attribute__((always_inline)) {
      __builtin_prefetch(next + line * 16, 0, 2);
    });
  }
}

// Stores the first `n` lanes. Also stores the other lanes if they are before `end`, because that is
// faster.
[[gnu::always_inline]] inline void StoreUpTo(FloatVector x, int64_t n, float* out,
                                             const float* end) {
  if (out + kVectorLanes <= end) {
    StoreVector(x, out);
  } else {
    StoreSome(x, n, out);
  }
}

void FillZeros(int64_t n, float* out, const float* end) {
  for (int64_t i = 0; i < n; i += kVectorLanes) {
    StoreUpTo(FloatVector{}, std::min<int64_t>(kVectorLanes, n - i), out + i, end);
  }
}

// A row of a phase: elements with distance `stride`, of which [first, last) are within the input.
struct PhaseRow {
  int64_t position;  // of element 0
  int64_t stride;
  int64_t first;
  int64_t last;
  int64_t count;
};
PhaseRow PhaseRowOf(const PhaseAxis& width, int64_t phase) {
  const int64_t position = width.phases[phase] - width.before;
  const int64_t stride = width.stride;
  const int64_t count = width.positions;
  auto clamped = [&](int64_t n) { return std::clamp<int64_t>(n, 0, count); };
  const int64_t first = clamped(position < 0 ? (-position + stride - 1) / stride : 0);
  const int64_t end =
      clamped(position < width.size ? (width.size - position + stride - 1) / stride : 0);
  return {position, stride, first, std::max(first, end), count};
}

// Writes zeros and elements to a row. May write beyond the row, up to `end`.
void SplitRow(const PhaseRow& row, const float* x, int64_t size, float* out, const float* end) {
  const float* from = x + row.position;
  int64_t i = row.first;
  FillZeros(i, out, end);
  if (row.stride == 1) {
    for (; i + kVectorLanes <= row.last; i += kVectorLanes) {
      StoreVector(LoadVector(from + i), out + i);
    }
    if (i < row.last) {
      StoreUpTo(LoadSome(from + i, row.last - i), row.last - i, out + i, end);
    }
  } else if (row.stride == 2) {
    // Elements i for which 2 * i + 1 is also within the input.
    const int64_t most = (size - row.position) / 2;
    for (; i + kVectorLanes <= std::min(row.last, most); i += kVectorLanes) {
      const FloatVector low = LoadVector(from + 2 * i);
      const FloatVector high = LoadVector(from + 2 * i + kVectorLanes);
      StoreVector(Evens(low, high, kAllLanes), out + i);
    }
    for (; i < row.last; i += kVectorLanes) {
      const int64_t read = size - row.position - 2 * i;
      const FloatVector low = LoadSome(from + 2 * i, std::min<int64_t>(kVectorLanes, read));
      FloatVector high = {};
      if (read > kVectorLanes) {
        high = LoadSome(from + 2 * i + kVectorLanes,
                        std::min<int64_t>(kVectorLanes, read - kVectorLanes));
      }
      StoreUpTo(Evens(low, high, kAllLanes), std::min<int64_t>(kVectorLanes, row.last - i), out + i,
                end);
    }
  } else {
    for (; i < row.last; ++i) out[i] = from[row.stride * i];
  }
  FillZeros(row.count - row.last, out + row.last, end);
}

void Split(const float* x, const PhaseAxis axes[3], float* phases) {
  const PhaseAxis& depth = axes[0];
  const PhaseAxis& height = axes[1];
  const PhaseAxis& width = axes[2];
  const float* end = phases;
  end += depth.num_phases * depth.positions * height.num_phases * height.positions *
         width.num_phases * width.positions;
  for (int64_t pd = 0; pd < depth.num_phases; ++pd) {
    for (int64_t ph = 0; ph < height.num_phases; ++ph) {
      for (int64_t pw = 0; pw < width.num_phases; ++pw) {
        const PhaseRow row = PhaseRowOf(width, pw);
        for (int64_t d = 0; d < depth.positions; ++d) {
          int64_t at_d = d * depth.stride + depth.phases[pd] - depth.before;
          for (int64_t h = 0; h < height.positions; ++h, phases += row.count) {
            int64_t at_h = h * height.stride + height.phases[ph] - height.before;
            bool inside = at_d >= 0 && at_d < depth.size && at_h >= 0 && at_h < height.size;
            if (inside) {
              SplitRow(row, x + (at_d * height.size + at_h) * width.size, width.size, phases, end);
            } else {
              FillZeros(row.count, phases, end);
            }
          }
        }
      }
    }
  }
}

// Computes `height` rows. Rows from `rows` on repeat the last row.
template <int height, int vectors>
void SlideTile(const ConvSlide& s, int64_t rows) {
  const float* from[height];
  int64_t to[height];
  FloatVector sums[height][vectors];
  Unrolled<height>([&](auto r) __attribute__((always_inline)) {
    const int64_t row = std::min<int64_t>(r, rows - 1);
    from[r] = s.from + row * s.from_stride;
    to[r] = row * s.out_stride;
    Unrolled<vectors>([&](auto v) __attribute__((always_inline)) { sums[r][v] = FloatVector{}; });
  });
  for (int64_t t = 0; t < s.taps; ++t) {
    const float weight = s.weights[t];
    const int64_t offset = s.offsets[t];
    Unrolled<height>([&](auto r) __attribute__((always_inline)) {
      Unrolled<vectors>([&](auto v) __attribute__((always_inline)) {
        sums[r][v] += weight * LoadVector(from[r] + offset + v * kVectorLanes);
      });
    });
  }
  const int64_t last = s.columns - (vectors - 1) * kVectorLanes;
  Unrolled<height>([&](auto r) __attribute__((always_inline)) {
    Unrolled<vectors>([&](auto v) __attribute__((always_inline)) {
      const int64_t lanes = v + 1 < vectors ? kVectorLanes : last;
      const int64_t at = to[r] + v * kVectorLanes;
      FloatVector x = sums[r][v] + s.bias;
      if (s.residual != nullptr) x += LoadSome(s.residual + at, lanes);
      if (s.clips) x = ClipVector(x, FloatVector{} + s.low, FloatVector{} + s.high);
      if constexpr (v + 1 < vectors) {
        StoreVector(x, s.out + at);
      } else {
        StoreSome(x, lanes, s.out + at);
      }
    });
  });
}

// If there are few columns, registers suffice for more rows.
void Slide(const ConvSlide& slide) {
  constexpr int64_t kMost = 4;
  const int64_t vectors = (slide.columns + kVectorLanes - 1) / kVectorLanes;
  const int64_t count = (vectors + kMost - 1) / kMost;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t first = vectors * i / count * kVectorLanes;
    const int64_t end = vectors * (i + 1) / count * kVectorLanes;
    const int64_t width = (end - first) / kVectorLanes;
    const int64_t height = width > 2 ? 2 : 4;
    ConvSlide tile = slide;
    tile.columns = std::min(slide.columns, end) - first;
    for (int64_t row = 0; row < slide.rows; row += height) {
      const int64_t rows = std::min(height, slide.rows - row);
      const int64_t at = row * slide.out_stride + first;
      tile.from = slide.from + row * slide.from_stride + first;
      tile.out = slide.out + at;
      if (slide.residual != nullptr) tile.residual = slide.residual + at;
      switch (width) {
        case 1:
          SlideTile<4, 1>(tile, rows);
          break;
        case 2:
          SlideTile<4, 2>(tile, rows);
          break;
        case 3:
          SlideTile<2, 3>(tile, rows);
          break;
        default:
          SlideTile<2, 4>(tile, rows);
          break;
      }
    }
  }
}

void FinishRow(const float* from, float bias, const float* residual, FinishArguments with,
               int64_t n, float* to) {
  VisitFinish(with, [&](auto finish) {
    int64_t i = 0;
    for (; i + kVectorLanes <= n; i += kVectorLanes) {
      FloatVector x = LoadVector(from + i) + bias;
      if (residual != nullptr) x += LoadVector(residual + i);
      StoreVector(finish(x), to + i);
    }
    if (i == n) return;
    FloatVector x = LoadSome(from + i, n - i) + bias;
    if (residual != nullptr) x += LoadSome(residual + i, n - i);
    StoreSome(finish(x), n - i, to + i);
  });
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
      .finish = FinishRow,
  };
  return table;
}

}  // namespace signet
