// Two methods with the same results. `pairs` widens both sides to 16 bits, subtracts their zero
// points, and adds products in groups of two. `quads` multiplies bytes, one side unsigned and the
// other signed, in groups of four, and subtracts the effect of the zero points afterward.
//
// A panel of `b` consists of several vectors of columns. Each step of a panel contains, per column,
// the elements that one instruction adds: 4 bytes.

#include "core/kernels/simd/int8_gemm.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>
#include <utility>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace signet {
namespace {

// --- vectors
// ----------------------------------------------------------------------------------------

#if defined(__AVX512BW__)
using Lanes = __m512i;
constexpr int kVectors = 4;  // vectors per panel
inline Lanes Zero() { return _mm512_setzero_si512(); }
inline Lanes Load(const void* from) { return _mm512_loadu_si512(from); }
inline Lanes Repeat(int32_t x) { return _mm512_set1_epi32(x); }
inline void Store(void* to, Lanes x) { _mm512_storeu_si512(to, x); }
inline Lanes AddPairs(Lanes sum, Lanes x, Lanes y) {
  return _mm512_add_epi32(sum, _mm512_madd_epi16(x, y));
}
#elif defined(__AVX2__)
using Lanes = __m256i;
constexpr int kVectors = 2;
inline Lanes Zero() { return _mm256_setzero_si256(); }
inline Lanes Load(const void* from) {
  return _mm256_loadu_si256(static_cast<const __m256i*>(from));
}
inline Lanes Repeat(int32_t x) { return _mm256_set1_epi32(x); }
inline void Store(void* to, Lanes x) { _mm256_storeu_si256(static_cast<__m256i*>(to), x); }
inline Lanes AddPairs(Lanes sum, Lanes x, Lanes y) {
  return _mm256_add_epi32(sum, _mm256_madd_epi16(x, y));
}
#elif defined(__SSE2__)
using Lanes = __m128i;
constexpr int kVectors = 2;
inline Lanes Zero() { return _mm_setzero_si128(); }
inline Lanes Load(const void* from) { return _mm_loadu_si128(static_cast<const __m128i*>(from)); }
inline Lanes Repeat(int32_t x) { return _mm_set1_epi32(x); }
inline void Store(void* to, Lanes x) { _mm_storeu_si128(static_cast<__m128i*>(to), x); }
inline Lanes AddPairs(Lanes sum, Lanes x, Lanes y) {
  return _mm_add_epi32(sum, _mm_madd_epi16(x, y));
}
#else
struct Lanes {
  int32_t x[4];
};
constexpr int kVectors = 2;
inline Lanes Zero() { return {}; }
inline Lanes Load(const void* from) {
  Lanes out;
  std::memcpy(&out, from, sizeof(out));
  return out;
}
inline Lanes Repeat(int32_t x) { return {{x, x, x, x}}; }
inline void Store(void* to, Lanes x) { std::memcpy(to, &x, sizeof(x)); }
inline Lanes AddPairs(Lanes sum, Lanes x, Lanes y) {
  for (int i = 0; i < 4; ++i) {
    int16_t p[2];
    int16_t q[2];
    std::memcpy(p, &x.x[i], sizeof(p));
    std::memcpy(q, &y.x[i], sizeof(q));
    sum.x[i] = static_cast<int32_t>(static_cast<uint32_t>(sum.x[i]) +
                                    static_cast<uint32_t>(p[0] * q[0] + p[1] * q[1]));
  }
  return sum;
}
#endif

constexpr int kRows = 6;  // rows per tile
constexpr auto kLanes = static_cast<int64_t>(sizeof(Lanes) / sizeof(int32_t));
constexpr int64_t kColumns = kVectors * kLanes;  // columns per panel
constexpr int64_t kBlock = 10 * kRows;           // rows that are prepared at a time

// Multiplies `rows` rows of `a` by a panel: c[rows][vectors * kLanes].
struct TileArguments {
  const std::byte* a;
  int64_t a_stride;  // bytes
  const std::byte* b;
  int64_t steps;
  int32_t* c;
  int64_t c_stride;
};

inline int32_t StepOf(const std::byte* from) {
  int32_t step;
  std::memcpy(&step, from, sizeof(step));
  return step;
}

// This is a macro because the attribute must be present where the function is defined.
#define SIGNET_TILE(Name, attribute, Add)                                                     \
  template <int rows, int vectors>                                                            \
  attribute void Name(const TileArguments& t) {                                               \
    Lanes sums[rows][vectors];                                                                \
    for (int i = 0; i < rows; ++i) {                                                          \
      for (int j = 0; j < vectors; ++j) sums[i][j] = Zero();                                  \
    }                                                                                         \
    const std::byte* a = t.a;                                                                 \
    const std::byte* b = t.b;                                                                 \
    for (int64_t step = 0; step < t.steps; ++step) {                                          \
      Lanes columns[vectors];                                                                 \
      for (int j = 0; j < vectors; ++j) columns[j] = Load(b + j * sizeof(Lanes));             \
      for (int i = 0; i < rows; ++i) {                                                        \
        Lanes row = Repeat(StepOf(a + i * t.a_stride));                                       \
        for (int j = 0; j < vectors; ++j) sums[i][j] = Add(sums[i][j], row, columns[j]);      \
      }                                                                                       \
      a += 4;                                                                                 \
      b += vectors * sizeof(Lanes);                                                           \
    }                                                                                         \
    for (int i = 0; i < rows; ++i) {                                                          \
      for (int j = 0; j < vectors; ++j) Store(t.c + i * t.c_stride + j * kLanes, sums[i][j]); \
    }                                                                                         \
  }

using TileFn = void (*)(const TileArguments&);
// The function for i + 1 rows and j + 1 vectors is tiles[i][j].
using Tiles = std::array<std::array<TileFn, kVectors>, kRows>;

#define SIGNET_TILES(Name)                                                                \
  template <int rows, int... less>                                                        \
  constexpr std::array<TileFn, kVectors> Name##Row(std::integer_sequence<int, less...>) { \
    return {Name<rows, less + 1>...};                                                     \
  }                                                                                       \
  template <int... less>                                                                  \
  constexpr Tiles Name##s(std::integer_sequence<int, less...>) {                          \
    return {Name##Row<less + 1>(std::make_integer_sequence<int, kVectors>())...};         \
  }

SIGNET_TILE(PairTile, , AddPairs)
SIGNET_TILES(PairTile)

#if defined(__AVX512BW__)
#define SIGNET_VNNI __attribute__((target("avx512vnni")))
// Adds four products of an unsigned and a signed byte. The dtype of `b` determines which side is
// unsigned.
SIGNET_VNNI inline Lanes AddQuads(Lanes sum, Lanes row, Lanes columns) {
  return _mm512_dpbusd_epi32(sum, row, columns);
}
SIGNET_VNNI inline Lanes AddSignedQuads(Lanes sum, Lanes row, Lanes columns) {
  return _mm512_dpbusd_epi32(sum, columns, row);
}
SIGNET_TILE(QuadTile, SIGNET_VNNI, AddQuads)
SIGNET_TILES(QuadTile)
SIGNET_TILE(SignedQuadTile, SIGNET_VNNI, AddSignedQuads)
SIGNET_TILES(SignedQuadTile)
#endif

// --- packing
// ----------------------------------------------------------------------------------------

int64_t RoundUp(int64_t x, int64_t to) { return (x + to - 1) / to * to; }

// The layout of a packed matrix: the sums of the columns minus their zero points; the zero points
// as the tiles use them (both are used by `quads` only); whether any zero point is not 0; and the
// panels.
struct Packed {
  int32_t* sums;
  int32_t* zeros;
  int32_t* any_zero;
  std::byte* panels;

  Packed(void* memory, int64_t n) {
    int64_t padded = RoundUp(n, 16);
    sums = static_cast<int32_t*>(memory);
    zeros = sums + padded;
    any_zero = zeros + padded;
    panels = reinterpret_cast<std::byte*>(any_zero + 16);
  }
};

constexpr int kPair = 2;
constexpr int kQuad = 4;

// Returns the number of vectors of the panel that begins at `column`.
int64_t VectorsAt(int64_t column, int64_t n) {
  return std::min<int64_t>(kVectors, (n - column + kLanes - 1) / kLanes);
}

template <int group>
size_t PackedSize(int64_t k, int64_t n) {
  int64_t numbers = 2 * RoundUp(n, 16) + 16;
  return static_cast<size_t>(4 * (numbers + (k + group - 1) / group * RoundUp(n, kLanes)));
}

inline int32_t ElementOf(const std::byte* at, bool is_signed) {
  auto bits = static_cast<uint8_t>(*at);
  return is_signed ? static_cast<int8_t>(bits) : bits;
}

template <int group>
void Pack(const Int8PackArguments& g, void* memory) {
  using Element = std::conditional_t<group == kPair, int16_t, int8_t>;
  Packed packed(memory, g.n);
  // If both sides have the same signedness, `b` is shifted to the other one.
  int32_t shift = group == kPair || g.a_signed != g.b_signed ? 0 : g.b_signed ? 128 : -128;
  int64_t padded = RoundUp(g.n, 16);
  std::fill_n(packed.sums, padded, 0);
  std::fill_n(packed.zeros, padded, 0);
  *packed.any_zero = 0;
  int64_t steps = (g.k + group - 1) / group;
  const auto* b = static_cast<const std::byte*>(g.b);
  auto* out = reinterpret_cast<Element*>(packed.panels);
  for (int64_t first = 0; first < g.n; first += kColumns) {
    int64_t width = VectorsAt(first, g.n) * kLanes;
    for (int64_t j = 0; j < width; ++j) {
      int64_t column = first + j;
      Element* to = out + j * group;
      if (column >= g.n) {
        for (int64_t step = 0; step < steps; ++step) {
          std::fill_n(to + step * width * group, group, Element(0));
        }
        continue;
      }
      int32_t zero = g.zero == nullptr ? 0 : g.zero[g.zero_each ? column : 0];
      int32_t offset = group == kPair ? -zero : shift;
      const std::byte* from = b + column * g.n_step;
      uint32_t sum = 0;
      for (int64_t step = 0; step < steps; ++step) {
        for (int64_t t = 0; t < group; ++t) {
          int64_t i = step * group + t;
          int32_t element = i < g.k ? ElementOf(from + i * g.k_step, g.b_signed) : zero;
          sum += static_cast<uint32_t>(element - zero);
          int32_t kept = i < g.k ? element + offset : 0;
          to[step * width * group + t] = static_cast<Element>(kept);
        }
      }
      packed.sums[column] = static_cast<int32_t>(sum);
      packed.zeros[column] = zero + shift;
      if (zero + shift != 0) *packed.any_zero = 1;
    }
    out += width * group * steps;
  }
}

// --- products
// ---------------------------------------------------------------------------------------

// Scratch memory: a tile at the edge, the sums of rows, and the rows.
constexpr int64_t kEdge = kRows * kColumns;

template <int group>
size_t ScratchSize(int64_t k) {
  return static_cast<size_t>(4 * (kEdge + RoundUp(kBlock, 16) + (k + group - 1) / group * kBlock));
}

// Writes rows [first, first + count) of `a` as 16-bit integers minus their zero points.
void WidenRows(const Int8GemmArguments& g, int64_t first, int64_t count, int64_t steps,
               int16_t* out) {
  for (int64_t i = 0; i < count; ++i) {
    const auto* row = static_cast<const std::byte*>(g.a) + (first + i) * g.a_stride;
    int16_t* to = out + i * steps * kPair;
    auto zero = static_cast<int16_t>(g.zero == nullptr ? 0 : g.zero[g.zero_each ? first + i : 0]);
    auto widen = [&](const auto* x) {
      for (int64_t l = 0; l < g.k; ++l) to[l] = static_cast<int16_t>(x[l] - zero);
    };
    if (g.a_signed) {
      widen(reinterpret_cast<const int8_t*>(row));
    } else {
      widen(reinterpret_cast<const uint8_t*>(row));
    }
    if (g.k % kPair != 0) to[g.k] = 0;
  }
}

void CopyRows(const Int8GemmArguments& g, int64_t first, int64_t count, int64_t steps,
              std::byte* out) {
  for (int64_t i = 0; i < count; ++i) {
    std::byte* to = out + i * steps * kQuad;
    std::memcpy(to, static_cast<const std::byte*>(g.a) + (first + i) * g.a_stride,
                static_cast<size_t>(g.k));
    std::memset(to + g.k, 0, static_cast<size_t>(steps * kQuad - g.k));
  }
}

int32_t SumOf(const std::byte* row, int64_t k, bool is_signed) {
  int32_t sum = 0;
  if (is_signed) {
    const auto* x = reinterpret_cast<const int8_t*>(row);
    for (int64_t i = 0; i < k; ++i) sum += x[i];
  } else {
    const auto* x = reinterpret_cast<const uint8_t*>(row);
    for (int64_t i = 0; i < k; ++i) sum += x[i];
  }
  return sum;
}

// Subtracts the effect of the zero points from the sums of bytes.
void Correct(const Int8GemmArguments& g, const Packed& packed, const int32_t* row_sums,
             int64_t first_row, int64_t rows, int64_t first_column, int64_t columns) {
  bool any_zero = *packed.any_zero != 0;
  if (g.zero == nullptr && !any_zero) return;
  for (int64_t i = 0; i < rows; ++i) {
    int64_t row = first_row + i;
    auto zero = static_cast<uint32_t>(g.zero == nullptr ? 0 : g.zero[g.zero_each ? row : 0]);
    auto row_sum = static_cast<uint32_t>(any_zero ? row_sums[i] : 0);
    auto* c = reinterpret_cast<uint32_t*>(g.c + row * g.c_stride + first_column);
    const auto* sums = reinterpret_cast<const uint32_t*>(packed.sums + first_column);
    const auto* zeros = reinterpret_cast<const uint32_t*>(packed.zeros + first_column);
    for (int64_t j = 0; j < columns; ++j) c[j] -= zero * sums[j] + row_sum * zeros[j];
  }
}

template <int group>
void Run(const Int8GemmArguments& g, void* scratch, const Tiles& tiles) {
  int64_t steps = (g.k + group - 1) / group;
  Packed packed(const_cast<void*>(g.packed), g.n);
  auto* edge = static_cast<int32_t*>(scratch);
  int32_t* row_sums = edge + kEdge;
  auto* own = reinterpret_cast<std::byte*>(row_sums + RoundUp(kBlock, 16));
  for (int64_t first = 0; first < g.m; first += kBlock) {
    int64_t count = std::min(kBlock, g.m - first);
    const auto* a = static_cast<const std::byte*>(g.a) + first * g.a_stride;
    int64_t a_stride = g.a_stride;
    if constexpr (group == kPair) {
      WidenRows(g, first, count, steps, reinterpret_cast<int16_t*>(own));
    } else {
      if (*packed.any_zero != 0) {
        for (int64_t i = 0; i < count; ++i) row_sums[i] = SumOf(a + i * a_stride, g.k, g.a_signed);
      }
      if (g.k % kQuad != 0) CopyRows(g, first, count, steps, own);
    }
    if (group == kPair || g.k % kQuad != 0) {
      a = own;
      a_stride = steps * 4;
    }
    for (int64_t column = g.first_column; column < g.last_column; column += kColumns) {
      int64_t vectors = VectorsAt(column, g.n);
      int64_t width = std::min(vectors * kLanes, g.n - column);
      const std::byte* panel = packed.panels + column * steps * 4;
      for (int64_t i = 0; i < count; i += kRows) {
        int64_t rows = std::min<int64_t>(kRows, count - i);
        TileFn tile = tiles[static_cast<size_t>(rows - 1)][static_cast<size_t>(vectors - 1)];
        int32_t* c = g.c + (first + i) * g.c_stride + column;
        if (width == vectors * kLanes) {
          tile({a + i * a_stride, a_stride, panel, steps, c, g.c_stride});
          continue;
        }
        tile({a + i * a_stride, a_stride, panel, steps, edge, vectors * kLanes});
        for (int64_t row = 0; row < rows; ++row) {
          std::copy_n(edge + row * vectors * kLanes, width, c + row * g.c_stride);
        }
      }
      if constexpr (group == kQuad) {
        Correct(g, packed, row_sums, first, count, column, width);
      }
    }
  }
}

void RunPairs(const Int8GemmArguments& arguments, void* scratch) {
  static constexpr Tiles kTiles = PairTiles(std::make_integer_sequence<int, kRows>());
  Run<kPair>(arguments, scratch, kTiles);
}

#if defined(__AVX512BW__)
void RunQuads(const Int8GemmArguments& arguments, void* scratch) {
  static constexpr Tiles kTiles = QuadTiles(std::make_integer_sequence<int, kRows>());
  static constexpr Tiles kSigned = SignedQuadTiles(std::make_integer_sequence<int, kRows>());
  Run<kQuad>(arguments, scratch, arguments.a_signed ? kSigned : kTiles);
}
#endif

constexpr Int8GemmTable MakeTable() {
  Int8GemmTable table = {};
  table.pairs = {PackedSize<kPair>, Pack<kPair>, ScratchSize<kPair>,
                 RunPairs,          kColumns,    3.0 * kLanes};
#if defined(__AVX512BW__)
  table.quads = {PackedSize<kQuad>, Pack<kQuad>, ScratchSize<kQuad>, RunQuads, kColumns, 150};
#endif
  return table;
}

}  // namespace

const Int8GemmTable& SIGNET_ISA_NAME(Int8GemmTable)() {
  static constexpr Int8GemmTable table = MakeTable();
  return table;
}

}  // namespace signet
