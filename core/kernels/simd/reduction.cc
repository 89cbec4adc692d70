// Reductions: lanes of partial results, which the compiler vectorizes.

#include "core/kernels/simd/reduction.h"

#include <limits>

#include "core/kernels/simd/vector/loops.h"

namespace signet {
namespace {

template <class T>
struct Wide {
  using type = T;
};
template <>
struct Wide<float> {
  using type = double;
};
template <>
struct Wide<std::complex<float>> {
  using type = std::complex<double>;
};

// `Partial<T>` is the type in which several thousand elements of T are added.
struct SumOp {
  template <class T>
  using Accumulator = typename Wide<T>::type;
  template <class T>
  static constexpr bool kAccepts = kIsReal<T> || kIsComplex<T>;
  template <class T>
  static T Identity() {
    return T(0);
  }
  template <class T>
  static T Combine(T a, T b) {
    if constexpr (kIsInteger<T>) {
      using U = std::conditional_t<sizeof(T) < 4, uint32_t, std::make_unsigned_t<T>>;
      return static_cast<T>(static_cast<U>(a) + static_cast<U>(b));
    } else {
      return a + b;
    }
  }
};

struct ProdOp {
  template <class T>
  using Accumulator = typename Wide<T>::type;
  template <class T>
  static constexpr bool kAccepts = kIsReal<T> || kIsComplex<T>;
  template <class T>
  static T Identity() {
    return T(1);
  }
  template <class T>
  static T Combine(T a, T b) {
    if constexpr (kIsInteger<T>) {
      using U = std::conditional_t<sizeof(T) < 4, uint32_t, std::make_unsigned_t<T>>;
      return static_cast<T>(static_cast<U>(a) * static_cast<U>(b));
    } else {
      return a * b;
    }
  }
};

struct MaxOp {
  template <class T>
  using Accumulator = T;
  template <class T>
  static constexpr bool kAccepts = kIsReal<T>;
  template <class T>
  static T Identity() {
    using Limits = std::numeric_limits<T>;
    return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
  }
  template <class T>
  static T Combine(T a, T b) {
    return (b > a) | (b != b) ? b : a;
  }
};

struct MinOp {
  template <class T>
  using Accumulator = T;
  template <class T>
  static constexpr bool kAccepts = kIsReal<T>;
  template <class T>
  static T Identity() {
    using Limits = std::numeric_limits<T>;
    return Limits::has_infinity ? Limits::infinity() : Limits::max();
  }
  template <class T>
  static T Combine(T a, T b) {
    return (b < a) | (b != b) ? b : a;
  }
};

// Bools are bytes of 0 or 1.
struct AnyOp {
  template <class T>
  using Accumulator = T;
  template <class T>
  static constexpr bool kAccepts = std::same_as<T, uint8_t>;
  template <class T>
  static T Identity() {
    return 0;
  }
  template <class T>
  static T Combine(T a, T b) {
    return static_cast<T>(a | b);
  }
};
struct AllOp {
  template <class T>
  using Accumulator = T;
  template <class T>
  static constexpr bool kAccepts = std::same_as<T, uint8_t>;
  template <class T>
  static T Identity() {
    return 1;
  }
  template <class T>
  static T Combine(T a, T b) {
    return static_cast<T>(a & b);
  }
};

// The type that computes with elements of T: float32 for half-width floats.
template <class T>
using Element = std::conditional_t<kIsHalf<T>, float, T>;
template <class Op, class T>
using AccumulatorOf = typename Op::template Accumulator<Element<T>>;

template <class Op, class T>
void Start(void* accumulators, int64_t n) {
  using A = AccumulatorOf<Op, T>;
  std::fill_n(static_cast<A*>(accumulators), n, Op::template Identity<A>());
}

constexpr int kLanes = 32;
// The number of elements that a lane adds before its sum is added to the accumulator.
constexpr int64_t kBlock = 4096;
// Products of float32 use a wider lane, because a partial product may overflow although the product
// of all elements does not.
template <class Op, class T>
using LaneOf = std::conditional_t<std::same_as<Op, ProdOp>, AccumulatorOf<Op, T>, T>;

template <class Op, class T>
void RunBlock(const T* x, int64_t n, AccumulatorOf<Op, T>& accumulator) {
  using A = AccumulatorOf<Op, T>;
  using Lane = LaneOf<Op, T>;
  int64_t i = 0;
  A total = accumulator;
  if (n >= kLanes) {
    Lane lanes[kLanes];
    std::fill_n(lanes, kLanes, Op::template Identity<Lane>());
    for (; i + kLanes <= n; i += kLanes) {
      for (int j = 0; j < kLanes; ++j) {
        lanes[j] = Op::Combine(lanes[j], static_cast<Lane>(x[i + j]));
      }
    }
    for (int j = 0; j < kLanes; ++j) total = Op::Combine(total, static_cast<A>(lanes[j]));
  }
  for (; i < n; ++i) total = Op::Combine(total, static_cast<A>(x[i]));
  accumulator = total;
}

template <class Op, class T>
void Run(const void* from, int64_t n, void* to) {
  const T* x = static_cast<const T*>(from);
  auto& accumulator = *static_cast<AccumulatorOf<Op, T>*>(to);
  if constexpr (kIsHalf<T>) {
    float chunk[kHalfChunk];
    for (int64_t i = 0; i < n; i += kHalfChunk) {
      int64_t m = std::min(kHalfChunk, n - i);
      Load(x + i, chunk, m);
      RunBlock<Op, float>(chunk, m, accumulator);
    }
  } else {
    for (int64_t i = 0; i < n; i += kBlock) {
      RunBlock<Op, T>(x + i, std::min(kBlock, n - i), accumulator);
    }
  }
}

template <class Op, class T>
void Rows(const void* from, int64_t n, void* to) {
  const T* x = static_cast<const T*>(from);
  using A = AccumulatorOf<Op, T>;
  A* accumulators = static_cast<A*>(to);
  if constexpr (kIsHalf<T>) {
    float chunk[kHalfChunk];
    for (int64_t i = 0; i < n; i += kHalfChunk) {
      int64_t m = std::min(kHalfChunk, n - i);
      Load(x + i, chunk, m);
      Rows<Op, float>(chunk, m, accumulators + i);
    }
  } else {
    SIGNET_INDEPENDENT
    for (int64_t i = 0; i < n; ++i) {
      accumulators[i] = Op::Combine(accumulators[i], static_cast<A>(x[i]));
    }
  }
}

template <class Op, class T, bool mean>
void Finish(const void* from, int64_t n, int64_t count, void* to) {
  using A = AccumulatorOf<Op, T>;
  const A* accumulators = static_cast<const A*>(from);
  T* out = static_cast<T*>(to);
  for (int64_t i = 0; i < n; ++i) {
    A answer = accumulators[i];
    if constexpr (mean && !kIsInteger<A>) {
      if constexpr (kIsComplex<A>) {
        answer /= static_cast<typename A::value_type>(count);
      } else {
        answer /= static_cast<A>(count);
      }
    }
    if constexpr (kIsHalf<T>) {
      auto narrow = static_cast<float>(answer);
      Store(&narrow, out + i, 1);
    } else {
      out[i] = static_cast<T>(answer);
    }
  }
}

template <class Op, class T, bool mean>
void Whole(const void* from, int64_t rows, int64_t n, void* to) {
  const T* x = static_cast<const T*>(from);
  T* out = static_cast<T*>(to);
  for (int64_t row = 0; row < rows; ++row, x += n) {
    auto accumulator = Op::template Identity<AccumulatorOf<Op, T>>();
    Run<Op, T>(x, n, &accumulator);
    Finish<Op, T, mean>(&accumulator, 1, n, out + row);
  }
}

template <class Op, class T, bool mean>
constexpr Reduction ReductionOf() {
  return {.accumulator_size = sizeof(AccumulatorOf<Op, T>),
          .start = Start<Op, T>,
          .run = Run<Op, T>,
          .rows = Rows<Op, T>,
          .finish = Finish<Op, T, mean>,
          .whole = Whole<Op, T, mean>};
}

template <class Op, bool mean = false>
constexpr ReductionRow Row(const char* op) {
  ReductionRow row = {op, {}};
#define SIGNET_ENTRY(T, D, number)                                               \
  if constexpr (Op::template kAccepts<Element<T>> && !(mean && kIsInteger<T>)) { \
    row.by_dtype[number] = ReductionOf<Op, T, mean>();                           \
  }
  if constexpr (Op::template kAccepts<float>) {
    SIGNET_ISA_DTYPES(SIGNET_ENTRY)
  } else {
    row.by_dtype[static_cast<int>(DTypeNumber::kBool)] = ReductionOf<Op, uint8_t, false>();
  }
#undef SIGNET_ENTRY
  return row;
}

}  // namespace

const ReductionTable& SIGNET_ISA_NAME(ReductionTable)() {
  static constexpr ReductionTable table = {{
      Row<AllOp>("reduce_all"),
      Row<AnyOp>("reduce_any"),
      Row<MaxOp>("reduce_max"),
      Row<SumOp, true>("reduce_mean"),
      Row<MinOp>("reduce_min"),
      Row<ProdOp>("reduce_prod"),
      Row<SumOp>("reduce_sum"),
  }};
  return table;
}

}  // namespace signet
