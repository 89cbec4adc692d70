#include "core/kernels/loops/runs.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <type_traits>

#include "core/base/checked_math.h"

namespace signet {

Dims StridesOf(const Shape& shape) {
  Dims strides(static_cast<size_t>(shape.rank()), 1);
  for (size_t i = strides.size(); i-- > 1;) {
    strides[i - 1] = strides[i] * shape.dim(static_cast<int>(i));
  }
  return strides;
}

Walk Simplified(const Walk& walk) {
  Walk out;
  out.start = walk.start;
  if (std::find(walk.sizes.begin(), walk.sizes.end(), 0) != walk.sizes.end()) {
    out.Add(0, 1);
    return out;
  }
  for (size_t i = 0; i < walk.sizes.size(); ++i) {
    if (walk.sizes[i] == 1) continue;
    if (!out.sizes.empty() && out.strides.back() == walk.sizes[i] * walk.strides[i]) {
      out.sizes.back() *= walk.sizes[i];
      out.strides.back() = walk.strides[i];
    } else {
      out.Add(walk.sizes[i], walk.strides[i]);
    }
  }
  return out;
}

namespace {

struct alignas(8) Wide {
  uint64_t parts[2];
};

// Returns the dimension of a walk whose elements are contiguous if those of the last dimension are
// not. The two dimensions form planes to be transposed. Returns -1 if there is no such dimension.
int TransposedDim(const Walk& walk) {
  if (walk.sizes.size() < 2 || walk.strides.back() == 1) return -1;
  auto found = std::find(walk.strides.begin(), walk.strides.end(), 1);
  return found == walk.strides.end() ? -1 : static_cast<int>(found - walk.strides.begin());
}

// Computes to[i][j] = from[j][i] for four rows and four columns, with vector instructions.
void TransposeFour(const uint32_t* from, int64_t from_stride, uint32_t* to, int64_t to_stride) {
  using Four [[gnu::vector_size(16)]] = uint32_t;
  auto load = [&](int64_t j) {
    Four row;
    std::memcpy(&row, from + j * from_stride, sizeof(row));
    return row;
  };
  const Four a = load(0), b = load(1), c = load(2), d = load(3);
  const Four low_ab = __builtin_shufflevector(a, b, 0, 4, 1, 5);
  const Four high_ab = __builtin_shufflevector(a, b, 2, 6, 3, 7);
  const Four low_cd = __builtin_shufflevector(c, d, 0, 4, 1, 5);
  const Four high_cd = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  const Four rows[] = {__builtin_shufflevector(low_ab, low_cd, 0, 1, 4, 5),
                       __builtin_shufflevector(low_ab, low_cd, 2, 3, 6, 7),
                       __builtin_shufflevector(high_ab, high_cd, 0, 1, 4, 5),
                       __builtin_shufflevector(high_ab, high_cd, 2, 3, 6, 7)};
  for (int64_t i = 0; i < 4; ++i) std::memcpy(to + i * to_stride, &rows[i], sizeof(Four));
}

// Computes to[i][j] = from[j][i] for `rows` rows and `columns` columns.
template <class T>
void TransposeTile(const T* from, int64_t from_stride, int64_t rows, int64_t columns, T* to,
                   int64_t to_stride) {
  int64_t i = 0;
  if constexpr (std::is_same_v<T, uint32_t>) {
    for (; i + 4 <= rows; i += 4) {
      int64_t j = 0;
      for (; j + 4 <= columns; j += 4) {
        TransposeFour(from + i + j * from_stride, from_stride, to + i * to_stride + j, to_stride);
      }
      for (; j < columns; ++j) {
        for (int64_t k = i; k < i + 4; ++k) to[k * to_stride + j] = from[k + j * from_stride];
      }
    }
  }
  for (; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) to[i * to_stride + j] = from[i + j * from_stride];
  }
}

// Transposes planes tile by tile, so that both the source and the target stay in the cache.
template <class T>
Status TransposePlanes(KernelContext& context, const Walk& walk, size_t transposed, const T* from,
                       T* to) {
  constexpr int64_t kTileRows = 16;
  const size_t last = walk.sizes.size() - 1;
  Dims steps(walk.sizes.size(), 1);  // strides of the output
  int64_t planes = 1;
  for (size_t k = last + 1; k-- > 0;) {
    if (k < last) steps[k] = steps[k + 1] * walk.sizes[k + 1];
    if (k != transposed && k != last) planes *= walk.sizes[k];
  }
  int64_t rows = walk.sizes[transposed];
  int64_t columns = walk.sizes[last];
  int64_t bands = (rows + kTileRows - 1) / kTileRows;
  double cost =
      (sizeof(T) == 4 ? 0.3 : 0.7) * static_cast<double>(std::min(rows, kTileRows) * columns);
  return context.For(planes * bands, cost, [&](int64_t begin, int64_t end) {
    for (int64_t unit = begin; unit < end; ++unit) {
      int64_t plane = unit / bands;
      const T* source = from + walk.start;
      T* target = to;
      for (size_t k = last; k-- > 0;) {
        if (k == transposed) continue;
        int64_t index = plane % walk.sizes[k];
        plane /= walk.sizes[k];
        source += index * walk.strides[k];
        target += index * steps[k];
      }
      int64_t row = unit % bands * kTileRows;
      int64_t row_end = std::min(rows, row + kTileRows);
      for (int64_t column = 0; column < columns; column += kTileRows) {
        int64_t column_end = std::min(columns, column + kTileRows);
        TransposeTile(source + row + column * walk.strides[last], walk.strides[last], row_end - row,
                      column_end - column, target + row * steps[transposed] + column,
                      steps[transposed]);
      }
    }
  });
}

Status MoveTurned(KernelContext& context, size_t output, const Tensor& from, const Shape& shape,
                  const Walk& walk, size_t transposed) {
  SIGNET_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(output, shape));
  auto turn = [&]<class T>(TypeTag<T>) {
    return TransposePlanes(context, walk, transposed,
                           reinterpret_cast<const T*>(from.data().data()),
                           reinterpret_cast<T*>(out->data().mutable_data()));
  };
  switch (SizeOf(from.dtype())) {
    case 1:
      return turn(TypeTag<uint8_t>());
    case 2:
      return turn(TypeTag<uint16_t>());
    case 4:
      return turn(TypeTag<uint32_t>());
    case 8:
      return turn(TypeTag<uint64_t>());
    default:
      return turn(TypeTag<Wide>());
  }
}

// Returns the bytes of the strings along a walk. Dimensions that repeat the same strings are not
// walked, so that the size of a large output is known before the work begins.
StatusOr<int64_t> CountTextOfWalk(KernelContext& context, const Tensor& from, const Walk& walk) {
  Walk once;
  once.start = walk.start;
  std::optional<int64_t> repeats = 1;
  for (size_t i = 0; i < walk.sizes.size(); ++i) {
    if (walk.strides[i] != 0) {
      once.Add(walk.sizes[i], walk.strides[i]);
    } else if (repeats) {
      repeats = CheckedMultiply(*repeats, walk.sizes[i]);
    }
  }
  auto list = [&](auto&& run) { WalkRuns(from, Simplified(once), run); };
  SIGNET_ASSIGN_OR_RETURN(const int64_t size, runs_internal::CountText(context, list));
  if (size == 0) return 0;
  const std::optional<int64_t> all = repeats ? CheckedMultiply(size, *repeats) : std::nullopt;
  return std::min(all.value_or(kMaxOutputText + 1), kMaxOutputText + 1);
}

}  // namespace

Status MoveWalk(KernelContext& context, size_t output, const Tensor& from, const Shape& shape,
                const Walk& walk) {
  SIGNET_RETURN_IF_ERROR(CheckOutputSize(shape.dims()));
  Walk simple = Simplified(walk);
  if (from.is_string()) {
    SIGNET_ASSIGN_OR_RETURN(const int64_t size, CountTextOfWalk(context, from, simple));
    auto list = [&](auto&& run) { WalkRuns(from, simple, run); };
    return runs_internal::MoveStrings(context, output, shape, size, list);
  }
  int transposed = TransposedDim(simple);
  if (transposed >= 0) {
    return MoveTurned(context, output, from, shape, simple, static_cast<size_t>(transposed));
  }
  return MoveRuns(context, output, from.dtype(), shape,
                  [&](auto&& run) { WalkRuns(from, simple, run); });
}

}  // namespace signet
