// Elementwise comparisons and logic on two arrays; the results are bools.

#include "core/kernels/simd/elementwise_row.h"
#include "core/kernels/simd/vector/loops.h"

namespace signet {
namespace {

#define SIGNET_COMPARISON(Name, op, takes)  \
  struct Name {                             \
    template <class T>                      \
    static constexpr bool kAccepts = takes; \
    template <class T>                      \
    static bool Apply(T a, T b) {           \
      return a op b;                        \
    }                                       \
  };
SIGNET_COMPARISON(Equal, ==, kIsReal<T> || kIsComplex<T>)
SIGNET_COMPARISON(NotEqual, !=, kIsReal<T> || kIsComplex<T>)
SIGNET_COMPARISON(Less, <, kIsReal<T>)
SIGNET_COMPARISON(LessEqual, <=, kIsReal<T>)
SIGNET_COMPARISON(Greater, >, kIsReal<T>)
SIGNET_COMPARISON(GreaterEqual, >=, kIsReal<T>)
#undef SIGNET_COMPARISON

// A bool is a byte of 0 or 1.
#define SIGNET_LOGIC(Name, op)                                                          \
  struct Name {                                                                         \
    template <class T>                                                                  \
    static constexpr bool kAccepts = false;                                             \
    static uint8_t Apply(uint8_t a, uint8_t b) { return static_cast<uint8_t>(a op b); } \
  };
SIGNET_LOGIC(And, &)
SIGNET_LOGIC(Or, |)
SIGNET_LOGIC(Xor, ^)
#undef SIGNET_LOGIC

template <class Op, class T>
Fault Loop(const void* a, const void* b, void* out, int64_t n) {
  const T* x = static_cast<const T*>(a);
  const T* y = static_cast<const T*>(b);
  auto* z = static_cast<uint8_t*>(out);
  if constexpr (kIsHalf<T>) {
    float left[kHalfChunk];
    float right[kHalfChunk];
    for (int64_t i = 0; i < n; i += kHalfChunk) {
      int64_t m = std::min(kHalfChunk, n - i);
      Load(x + i, left, m);
      Load(y + i, right, m);
      for (int64_t j = 0; j < m; ++j) z[i + j] = Op::Apply(left[j], right[j]) ? 1 : 0;
    }
  } else {
    SIGNET_INDEPENDENT
    for (int64_t i = 0; i < n; ++i) z[i] = static_cast<uint8_t>(Op::Apply(x[i], y[i]));
  }
  return Fault::kNone;
}

template <class Op>
inline constexpr bool kIsEquality = std::same_as<Op, Equal> || std::same_as<Op, NotEqual>;
template <class Op>
inline constexpr bool kIsLogic =
    std::same_as<Op, And> || std::same_as<Op, Or> || std::same_as<Op, Xor>;

template <class Op>
constexpr ElementwiseRow<BinaryFn> Row(const char* name) {
  auto row = MakeElementwiseRow<Op, BinaryFn>(name, 0.2f,
                                              []<class T>() -> BinaryFn { return Loop<Op, T>; });
  if constexpr (kIsEquality<Op> || kIsLogic<Op>) {
    row.by_dtype[static_cast<int>(DTypeNumber::kBool)] = Loop<Op, uint8_t>;
  }
  return row;
}

}  // namespace

const ComparisonTable& SIGNET_ISA_NAME(ComparisonTable)() {
#define SIGNET_ROW(Name, name) Row<Name>(#name),
  static constexpr ComparisonTable table = {{SIGNET_COMPARISON_OPS(SIGNET_ROW)}};
#undef SIGNET_ROW
  return table;
}

}  // namespace signet
