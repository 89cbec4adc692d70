#include "core/kernels/simd/pooling.h"

#include <cstring>
#include <utility>

#include "core/kernels/simd/vector/loops.h"
#include "core/kernels/simd/vector/vectors.h"

namespace signet {
namespace {

struct Larger {
  template <class T>
  static T Of(T x, T y) {
    return x > y ? x : y;
  }
  template <class Vector>
  static Vector OfVectors(Vector x, Vector y) {
    return x > y ? x : y;
  }
};
struct Plus {
  template <class T>
  static T Of(T x, T y) {
    return x + y;
  }
  template <class Vector>
  static Vector OfVectors(Vector x, Vector y) {
    return x + y;
  }
};

template <class Step, class T>
void TakeRow(const T* x, int64_t stride, int64_t n, T* out) {
  SIGNET_INDEPENDENT
  for (int64_t i = 0; i < n; ++i) out[i] = Step::Of(x[i * stride], out[i]);
}

template <class Step, class T>
void PoolRow(const void* x, int64_t stride, int64_t n, void* out) {
  const T* from = static_cast<const T*>(x);
  T* to = static_cast<T*>(out);
  if (stride == 1) return TakeRow<Step>(from, 1, n, to);
  if (stride == 2) return TakeRow<Step>(from, 2, n, to);
  TakeRow<Step>(from, stride, n, to);
}

template <int lanes>
struct Vectors {
  using Type [[gnu::vector_size(4 * lanes)]] = float;
  using Loose [[gnu::vector_size(4 * lanes), gnu::aligned(4), gnu::may_alias]] = float;
};

// Combines elements [begin, begin + lanes) of all rows into a line.
template <class Step, int lanes>
void JoinAt(const float* const* rows, int64_t num_rows, int64_t begin, float initial, float* line) {
  using Vector = typename Vectors<lanes>::Type;
  using Loose = typename Vectors<lanes>::Loose;
  Vector all = Vector{} + initial;
  for (int64_t r = 0; r < num_rows; ++r) {
    Vector row = *reinterpret_cast<const Loose*>(rows[r] + begin);
    all = Step::OfVectors(row, all);
  }
  *reinterpret_cast<Loose*>(line + begin) = all;
}

// The last vector of a line may begin earlier. Short lines use shorter vectors.
template <class Step, int lanes>
void JoinRows(const float* const* rows, int64_t num_rows, int64_t n, float initial, float* line) {
  if constexpr (lanes < 4) {
    for (int64_t i = 0; i < n; ++i) {
      float all = initial;
      for (int64_t r = 0; r < num_rows; ++r) all = Step::Of(rows[r][i], all);
      line[i] = all;
    }
  } else {
    if (n < lanes) return JoinRows<Step, lanes / 2>(rows, num_rows, n, initial, line);
    int64_t i = 0;
    for (; i + lanes <= n; i += lanes) JoinAt<Step, lanes>(rows, num_rows, i, initial, line);
    if (i < n) JoinAt<Step, lanes>(rows, num_rows, n - lanes, initial, line);
  }
}

// Loads every second element, beginning at `from`.
template <int... lane>
[[gnu::always_inline]] inline FloatVector LoadEven(const float* from,
                                                   std::integer_sequence<int, lane...>) {
  return __builtin_shufflevector(LoadVector(from), LoadVector(from + kVectorLanes), 2 * lane...);
}

template <class Step, int stride>
void SlideBy(const PoolLines& lines) {
  const float* line = lines.lines;
  int64_t left = lines.rows * lines.width;  // elements of `out` that are not written yet
  float* out = lines.out;
  for (int64_t row = 0; row < lines.rows; ++row, line += lines.pitch) {
    for (int64_t i = 0; i < lines.width; i += kVectorLanes) {
      const float* from = line + i * stride;
      auto load = [](const float* at) {
        if constexpr (stride == 1)
          return LoadVector(at);
        else
          return LoadEven(at, std::make_integer_sequence<int, kVectorLanes>());
      };
      FloatVector all = load(from);
      for (int64_t t = 1; t < lines.kernel; ++t) {
        all = Step::OfVectors(load(from + t * lines.dilation), all);
      }
      // Writing beyond a row is safe if another row follows.
      if (left - i >= kVectorLanes) {
        StoreVector(all, out + i);
      } else {
        std::memcpy(out + i, &all,
                    static_cast<size_t>(std::min(left, lines.width) - i) * sizeof(float));
      }
    }
    out += lines.width;
    left -= lines.width;
  }
}

template <class Step>
void Slide(const PoolLines& lines) {
  if (lines.stride == 1) return SlideBy<Step, 1>(lines);
  if (lines.stride == 2) return SlideBy<Step, 2>(lines);
  float* out = lines.out;
  for (int64_t row = 0; row < lines.rows; ++row) {
    const float* from = lines.lines + row * lines.pitch;
    for (int64_t i = 0; i < lines.width; ++i, from += lines.stride) {
      float all = from[0];
      for (int64_t t = 1; t < lines.kernel; ++t) all = Step::Of(from[t * lines.dilation], all);
      *out++ = all;
    }
  }
}

constexpr PoolTable MakeTable() {
  PoolTable table = {};
  table.lanes = kVectorLanes;
  table.max_planes = {JoinRows<Larger, kVectorLanes>, Slide<Larger>};
  table.sum_planes = {JoinRows<Plus, kVectorLanes>, Slide<Plus>};
#define SIGNET_POOL_ROW(T, Name, number)                            \
  if constexpr (kIsReal<T>) table.max[number] = PoolRow<Larger, T>; \
  if constexpr (kIsFloating<T>) table.sum[number] = PoolRow<Plus, T>;
  SIGNET_ISA_DTYPES(SIGNET_POOL_ROW)
#undef SIGNET_POOL_ROW
  return table;
}

}  // namespace

const PoolTable& SIGNET_ISA_NAME(PoolTable)() {
  static constexpr PoolTable table = MakeTable();
  return table;
}

}  // namespace signet
