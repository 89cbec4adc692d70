// Products of matrices: packed panels for float32 and float64, plain loops for the other dtypes.

#include "core/kernels/simd/gemm.h"

#include <limits>
#include <utility>

#include "core/kernels/simd/vector/loops.h"

namespace signet {
namespace {

// --- plain loops
// ------------------------------------------------------------------------------------

template <class T>
T DotProduct(const T* x, const T* y, int64_t n) {
  constexpr int kLanes = 32;
  T sum(0);
  int64_t i = 0;
  if (n >= kLanes) {
    T lanes[kLanes];
    for (int j = 0; j < kLanes; ++j) lanes[j] = x[j] * y[j];
    for (i = kLanes; i + kLanes <= n; i += kLanes) {
      for (int j = 0; j < kLanes; ++j) lanes[j] += x[i + j] * y[i + j];
    }
    for (int j = 0; j < kLanes; ++j) sum += lanes[j];
  }
  for (; i < n; ++i) sum += x[i] * y[i];
  return sum;
}

// Computes one row of the product: out[n] = sum of x[i * step] * b[i][n].
template <class T>
void RowTimesMatrix(const T* x, int64_t step, const T* b, int64_t stride, int64_t k, int64_t n,
                    T* out) {
  constexpr int64_t kColumns = 1024;  // columns of the output at a time, to stay in cache
  for (int64_t first = 0; first < n; first += kColumns) {
    int64_t count = std::min(kColumns, n - first);
    T* sums = out + first;
    std::fill_n(sums, count, T(0));
    int64_t i = 0;
    for (; i + 4 <= k; i += 4) {
      const T* rows = b + i * stride + first;
      T x0 = x[i * step];
      T x1 = x[(i + 1) * step];
      T x2 = x[(i + 2) * step];
      T x3 = x[(i + 3) * step];
      SIGNET_INDEPENDENT
      for (int64_t j = 0; j < count; ++j) {
        sums[j] += x0 * rows[j] + x1 * rows[j + stride] + x2 * rows[j + 2 * stride] +
                   x3 * rows[j + 3 * stride];
      }
    }
    for (; i < k; ++i) {
      const T* row = b + i * stride + first;
      T x0 = x[i * step];
      SIGNET_INDEPENDENT
      for (int64_t j = 0; j < count; ++j) sums[j] += x0 * row[j];
    }
  }
}

template <class T>
void PlainGemm(const GemmArguments& g) {
  const T* a = static_cast<const T*>(g.a);
  const T* b = static_cast<const T*>(g.b);
  T* c = static_cast<T*>(g.c);
  int64_t row_step = g.transpose_a ? 1 : g.a_stride;
  int64_t sum_step = g.transpose_a ? g.a_stride : 1;
  for (int64_t i = 0; i < g.m; ++i) {
    const T* x = a + i * row_step;
    T* out = c + i * g.c_stride;
    if (!g.transpose_b) {
      RowTimesMatrix(x, sum_step, b, g.b_stride, g.k, g.n, out);
    } else if (sum_step == 1) {
      for (int64_t j = 0; j < g.n; ++j) out[j] = DotProduct(x, b + j * g.b_stride, g.k);
    } else {
      for (int64_t j = 0; j < g.n; ++j) {
        T sum(0);
        for (int64_t l = 0; l < g.k; ++l) sum += x[l * sum_step] * b[j * g.b_stride + l];
        out[j] = sum;
      }
    }
  }
}

template <class T>
void RunPlain(const GemmArguments& arguments, void*) {
  PlainGemm<T>(arguments);
}

size_t NoScratch(int64_t, int64_t, int64_t) { return 0; }

// --- packed
// -----------------------------------------------------------------------------------------

// A panel contains kPanel columns of `b`, row after row. A tile of the product has several rows and
// the columns of one panel, and is computed in registers: each step reads one row of the panel and
// one element of each row of `a`. Sums run over kDepth rows of a panel at a time, which stay in the
// nearest cache.

#if defined(__AVX512F__)
constexpr int kVectorBytes = 64;
constexpr int kTileRows = 12;
#elif defined(__AVX2__)
constexpr int kVectorBytes = 32;
constexpr int kTileRows = 6;
#else
constexpr int kVectorBytes = 16;
constexpr int kTileRows = 6;
#endif
constexpr int64_t kDepth = 256;
// Rows of `a` that are multiplied by one block of panels: kDepth columns of them fit in cache.
constexpr int64_t kRows = 240;
constexpr int64_t kColumns = 1024;            // columns packed at a time
constexpr int64_t kCopyStride = kDepth + 16;  // stride of rows of `a` that are copied

template <class T>
struct Lanes {
  // Vectors in memory are aligned like elements.
  typedef T Vector __attribute__((vector_size(kVectorBytes), aligned(sizeof(T)), may_alias));
  static constexpr int kCount = kVectorBytes / static_cast<int>(sizeof(T));
  static constexpr int64_t kPanel = 2 * kCount;
};

template <class T>
struct TileArguments {
  const T* a;
  int64_t row_step;  // of a, between rows
  int64_t sum_step;  // of a, along the sum
  const T* b;        // a panel
  int64_t b_step;    // between rows of the panel
  int64_t panel_step;
  int64_t k;
  T* c;
  int64_t c_stride;
  int64_t columns;  // number of existing columns of c
  bool first;       // c does not contain sums yet
  bool last;
  const T* bias;
  const T* residual;
  T low;
  T high;
  bool clips;
};

// Computes kHeight rows of kPanels panels.
template <class T, int kHeight, int kPanels>
void MakeTile(const TileArguments<T>& t) {
  using V = typename Lanes<T>::Vector;
  constexpr int kCount = Lanes<T>::kCount;
  constexpr int kWidth = 2 * kPanels;
  V sums[kHeight][kWidth];
#pragma GCC unroll 16
  for (int i = 0; i < kHeight; ++i) {
#pragma GCC unroll 16
    for (int j = 0; j < kWidth; ++j) sums[i][j] = V{};
  }
  const T* a = t.a;
  const T* b = t.b;
  for (int64_t l = 0; l < t.k; ++l, a += t.sum_step, b += t.b_step) {
    V row[kWidth];
#pragma GCC unroll 16
    for (int j = 0; j < kWidth; ++j) {
      row[j] = *reinterpret_cast<const V*>(b + (j / 2) * t.panel_step + (j % 2) * kCount);
    }
#pragma GCC unroll 16
    for (int i = 0; i < kHeight; ++i) {
      const T x = a[i * t.row_step];
#pragma GCC unroll 16
      for (int j = 0; j < kWidth; ++j) sums[i][j] += x * row[j];
    }
  }
  const bool whole = t.columns >= kWidth * kCount;
  alignas(64) T edge[kWidth * kCount];
#pragma GCC unroll 16
  for (int i = 0; i < kHeight; ++i) {
    T* c = t.c + i * t.c_stride;
    const T* residual = t.residual == nullptr ? nullptr : t.residual + i * t.c_stride;
    if (whole) {
#pragma GCC unroll 16
      for (int j = 0; j < kWidth; ++j) {
        V sum = sums[i][j];
        const int at = j * kCount;
        if (!t.first) sum += *reinterpret_cast<const V*>(c + at);
        if (t.last) {
          if (t.bias != nullptr) sum += *reinterpret_cast<const V*>(t.bias + at);
          if (residual != nullptr) sum += *reinterpret_cast<const V*>(residual + at);
          if (t.clips) {
            sum = sum < t.low ? V{} + t.low : sum;
            sum = sum > t.high ? V{} + t.high : sum;
          }
        }
        *reinterpret_cast<V*>(c + at) = sum;
      }
      continue;
    }
#pragma GCC unroll 16
    for (int j = 0; j < kWidth; ++j) *reinterpret_cast<V*>(edge + j * kCount) = sums[i][j];
    for (int64_t j = 0; j < t.columns; ++j) {
      T sum = edge[j];
      if (!t.first) sum += c[j];
      if (t.last) {
        if (t.bias != nullptr) sum += t.bias[j];
        if (residual != nullptr) sum += residual[j];
        if (t.clips) {
          sum = sum < t.low ? t.low : sum;
          sum = sum > t.high ? t.high : sum;
        }
      }
      c[j] = sum;
    }
  }
}

template <class T>
using TileFn = void (*)(const TileArguments<T>&);

// For tiles of one panel: the function for each number of rows, from 1.
template <class T>
struct LowTiles {
  TileFn<T> of_rows[kTileRows];
};
template <class T, int... kHeights>
constexpr LowTiles<T> MakeLowTiles(std::integer_sequence<int, kHeights...>) {
  return {{MakeTile<T, kHeights + 1, 1>...}};
}
template <class T>
constexpr LowTiles<T> kLowTiles = MakeLowTiles<T>(std::make_integer_sequence<int, kTileRows>());

// Packs columns [0, columns) of rows [0, k) of `b` into one panel. Missing columns are 0.
template <class T>
void PackPanel(const T* b, int64_t stride, bool transposed, int64_t columns, int64_t k, T* out) {
  constexpr int64_t kPanel = Lanes<T>::kPanel;
  if (columns < kPanel) std::fill_n(out, k * kPanel, T(0));
  if (!transposed) {
    for (int64_t l = 0; l < k; ++l) std::copy_n(b + l * stride, columns, out + l * kPanel);
    return;
  }
  constexpr int64_t kStrip = 16;  // rows at a time, to stay in cache
  for (int64_t first = 0; first < k; first += kStrip) {
    int64_t end = std::min(k, first + kStrip);
    for (int64_t j = 0; j < columns; ++j) {
      for (int64_t l = first; l < end; ++l) out[l * kPanel + j] = b[j * stride + l];
    }
  }
}

template <class T>
int64_t PanelsOf(int64_t n) {
  return (n + Lanes<T>::kPanel - 1) / Lanes<T>::kPanel;
}

template <class T>
size_t PackedSize(int64_t n, int64_t k) {
  return static_cast<size_t>(PanelsOf<T>(n) * Lanes<T>::kPanel * k) * sizeof(T);
}

template <class T>
void Pack(const void* b, int64_t stride, bool transposed, int64_t n, int64_t k, void* out) {
  constexpr int64_t kPanel = Lanes<T>::kPanel;
  for (int64_t first = 0; first < n; first += kPanel) {
    PackPanel(static_cast<const T*>(b) + first * (transposed ? stride : 1), stride, transposed,
              std::min(kPanel, n - first), k, static_cast<T*>(out) + first * k);
  }
}

// Computes the tiles of several rows and whole panels, over [first, first + t.k) of the sums.
template <class T>
void MakeTiles(TileArguments<T> t, int64_t rows, int64_t columns) {
  constexpr int64_t kPanel = Lanes<T>::kPanel;
  const T* a = t.a;
  T* c = t.c;
  const T* residual = t.residual;
  for (int64_t j = 0; j < columns;) {
    t.columns = columns - j;
    int64_t width = kPanel;
    TileFn<T> wide = nullptr;  // tiles of few rows have registers for the sums of more panels
    if (rows == 1 && t.columns >= 4 * kPanel) {
      wide = MakeTile<T, 1, 4>;
      width = 4 * kPanel;
    } else if (rows <= 3 && t.columns >= 2 * kPanel) {
      wide = rows == 1 ? MakeTile<T, 1, 2> : rows == 2 ? MakeTile<T, 2, 2> : MakeTile<T, 3, 2>;
      width = 2 * kPanel;
    }
    for (int64_t i = 0; i < rows; i += kTileRows) {
      t.a = a + i * t.row_step;
      t.c = c + i * t.c_stride + j;
      if (residual != nullptr) t.residual = residual + i * t.c_stride + j;
      TileFn<T> low = kLowTiles<T>.of_rows[std::min<int64_t>(rows - i, kTileRows) - 1];
      (wide != nullptr ? wide : low)(t);
    }
    j += width;
    t.b += width / kPanel * t.panel_step;
    if (t.bias != nullptr) t.bias += width;
  }
}

// Returns true if rows with this stride use the same cache sets, so that the rows of a tile evict
// one another.
template <class T>
bool Collide(int64_t stride) {
  return stride * static_cast<int64_t>(sizeof(T)) % 1024 == 0;
}

template <class T>
void PackedGemm(const GemmArguments& g, void* scratch) {
  constexpr int64_t kPanel = Lanes<T>::kPanel;
  constexpr int64_t kFewRows =
      2 * kTileRows;                 // so few rows are computed sooner than a panel is packed
  constexpr int64_t kColliding = 4;  // number of rows that fit in one cache set
  const T* a = static_cast<const T*>(g.a);
  const T* b = static_cast<const T*>(g.b);
  T* packed = static_cast<T*>(scratch);
  TileArguments<T> t = {};
  t.row_step = g.transpose_a ? 1 : g.a_stride;
  t.sum_step = g.transpose_a ? g.a_stride : 1;
  t.c_stride = g.c_stride;
  t.clips = g.low != nullptr || g.high != nullptr;
  t.low = g.low == nullptr ? -std::numeric_limits<T>::infinity() : static_cast<T>(*g.low);
  t.high = g.high == nullptr ? std::numeric_limits<T>::infinity() : static_cast<T>(*g.high);
  const bool direct =
      !g.packed && !g.transpose_b && g.m <= (Collide<T>(g.b_stride) ? 2 * kColliding : kFewRows);
  const bool copies_a =
      !g.transpose_a && g.m > kColliding && g.k > kDepth && Collide<T>(g.a_stride);
  if (copies_a) t.row_step = kCopyStride;
  T* const copied = packed + PanelsOf<T>(std::min(g.n, kColumns)) * kPanel * std::min(g.k, kDepth);
  for (int64_t column = 0; column < g.n; column += kColumns) {
    const int64_t columns = std::min(kColumns, g.n - column);
    // Columns that are read in place.
    const int64_t whole = direct ? columns / kPanel * kPanel : columns;
    for (int64_t depth = 0; depth == 0 || depth < g.k; depth += kDepth) {
      t.k = std::min(kDepth, g.k - depth);
      t.first = depth == 0;
      t.last = depth + t.k == g.k;
      const T* from =
          b + (g.transpose_b ? column * g.b_stride + depth : depth * g.b_stride + column);
      if (!g.packed && !direct) Pack<T>(from, g.b_stride, g.transpose_b, columns, t.k, packed);
      if (whole < columns) PackPanel(from + whole, g.b_stride, false, columns - whole, t.k, packed);
      for (int64_t row = 0; row < g.m; row += kRows) {
        const int64_t rows = std::min(kRows, g.m - row);
        t.a = a + row * (g.transpose_a ? 1 : g.a_stride) + depth * t.sum_step;
        if (copies_a) {
          for (int64_t i = 0; i < rows; ++i) {
            std::copy_n(t.a + i * g.a_stride, t.k, copied + i * kCopyStride);
          }
          t.a = copied;
        }
        auto tiles = [&](const T* panels, int64_t b_step, int64_t panel_step, int64_t begin,
                         int64_t end) {
          if (begin == end) return;
          t.b = panels;
          t.b_step = b_step;
          t.panel_step = panel_step;
          const int64_t at = row * g.c_stride + column + begin;
          t.c = static_cast<T*>(g.c) + at;
          t.residual = g.residual == nullptr ? nullptr : static_cast<const T*>(g.residual) + at;
          t.bias = g.bias == nullptr ? nullptr : static_cast<const T*>(g.bias) + column + begin;
          MakeTiles(t, rows, end - begin);
        };
        if (g.packed) {
          tiles(b + column * g.k + depth * kPanel, kPanel, kPanel * g.k, 0, columns);
        } else if (direct) {
          tiles(from, g.b_stride, kPanel, 0, whole);
          tiles(packed, kPanel, kPanel * t.k, whole, columns);
        } else {
          tiles(packed, kPanel, kPanel * t.k, 0, columns);
        }
      }
    }
  }
}

template <class T>
size_t PackedScratch(int64_t m, int64_t n, int64_t k) {
  const int64_t copied = k > kDepth ? std::min(m, kRows) * kCopyStride : 0;
  return PackedSize<T>(std::min(n, kColumns), std::min(k, kDepth)) +
         static_cast<size_t>(copied) * sizeof(T);
}

// Adds bias and residual and clips, for sums that are computed by plain loops.
template <class T>
void Finish(const GemmArguments& g) {
  const T* bias = static_cast<const T*>(g.bias);
  const T* residual = static_cast<const T*>(g.residual);
  for (int64_t i = 0; i < g.m; ++i) {
    T* c = static_cast<T*>(g.c) + i * g.c_stride;
    for (int64_t j = 0; j < g.n; ++j) {
      if (bias != nullptr) c[j] += bias[j];
      if (residual != nullptr) c[j] += residual[i * g.c_stride + j];
      if (g.low != nullptr && c[j] < static_cast<T>(*g.low)) c[j] = static_cast<T>(*g.low);
      if (g.high != nullptr && c[j] > static_cast<T>(*g.high)) c[j] = static_cast<T>(*g.high);
    }
  }
}

template <class T>
void RunFloats(const GemmArguments& g, void* scratch) {
  const bool extras =
      g.bias != nullptr || g.residual != nullptr || g.low != nullptr || g.high != nullptr;
  if (g.packed) return PackedGemm<T>(g, scratch);
  // A single column is computed as a single row of the transposed product. A row times `b`
  // transposed is computed as one sum after another.
  if (g.n == 1 && g.m > 1 && g.c_stride == 1 && (g.transpose_b || g.b_stride == 1)) {
    PlainGemm<T>({.a = g.b,
                  .b = g.a,
                  .c = g.c,
                  .m = 1,
                  .n = g.m,
                  .k = g.k,
                  .a_stride = g.k,
                  .b_stride = g.a_stride,
                  .c_stride = g.m,
                  .transpose_a = false,
                  .transpose_b = !g.transpose_a});
  } else if (g.m == 1 && g.transpose_b) {
    PlainGemm<T>(g);
  } else {
    return PackedGemm<T>(g, scratch);
  }
  if (extras) Finish<T>(g);
}

template <class T>
void Widen(const void* x, float* out, int64_t n) {
  Load(static_cast<const T*>(x), out, n);
}
template <class T>
void Narrow(const float* x, void* out, int64_t n) {
  Store(x, static_cast<T*>(out), n);
}

constexpr GemmTable MakeTable() {
  GemmTable table = {};
  auto entry = [&](DTypeNumber dtype) -> Gemm& { return table.by_dtype[static_cast<int>(dtype)]; };
  entry(DTypeNumber::kFloat32) = {RunFloats<float>, PackedScratch<float>, 60,
                                  Pack<float>,      PackedSize<float>,    Lanes<float>::kPanel};
  entry(DTypeNumber::kFloat64) = {RunFloats<double>, PackedScratch<double>, 30,
                                  Pack<double>,      PackedSize<double>,    Lanes<double>::kPanel};
  // Signed numbers wrap around like unsigned numbers.
  entry(DTypeNumber::kInt32) = entry(DTypeNumber::kUInt32) = {RunPlain<uint32_t>, NoScratch, 5};
  entry(DTypeNumber::kInt64) = entry(DTypeNumber::kUInt64) = {RunPlain<uint64_t>, NoScratch, 2};
  entry(DTypeNumber::kComplex64) = {RunPlain<std::complex<float>>, NoScratch, 1};
  entry(DTypeNumber::kComplex128) = {RunPlain<std::complex<double>>, NoScratch, 1};
  table.widen_float16 = Widen<HalfBits>;
  table.widen_bfloat16 = Widen<BrainBits>;
  table.narrow_float16 = Narrow<HalfBits>;
  table.narrow_bfloat16 = Narrow<BrainBits>;
  return table;
}

}  // namespace

const GemmTable& SIGNET_ISA_NAME(GemmTable)() {
  static constexpr GemmTable table = MakeTable();
  return table;
}

}  // namespace signet
