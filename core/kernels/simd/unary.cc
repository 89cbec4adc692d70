// Elementwise arithmetic on one array that does not require a polynomial.

#include <cmath>
#include <limits>

#include "core/kernels/simd/elementwise_row.h"
#include "core/kernels/simd/vector/loops.h"

namespace signet {
namespace {

template <class T>
using Wrapping = std::conditional_t<sizeof(T) < 4, uint32_t, std::make_unsigned_t<T>>;

struct Neg {
  template <class T>
  static constexpr bool kAccepts = kIsReal<T> || kIsComplex<T>;
  template <class T>
  static T Apply(T x) {
    if constexpr (kIsInteger<T>) {
      return static_cast<T>(Wrapping<T>{0} - static_cast<Wrapping<T>>(x));
    } else {
      return -x;
    }
  }
};

struct Abs {
  template <class T>
  static constexpr bool kAccepts = kIsReal<T> || kIsComplex<T>;
  template <class T>
  static auto Apply(T x) {
    if constexpr (kIsInteger<T>) {
      return x < 0 ? Neg::Apply(x) : x;
    } else {
      return std::abs(x);
    }
  }
};

struct Sign {
  template <class T>
  static constexpr bool kAccepts = kIsReal<T>;
  template <class T>
  static T Apply(T x) {
    if (x != x) return x;
    return static_cast<T>((x > 0) - (x < 0));
  }
};

struct Square {
  template <class T>
  static constexpr bool kAccepts = kIsReal<T> || kIsComplex<T>;
  template <class T>
  static T Apply(T x) {
    if constexpr (kIsInteger<T>) {
      return static_cast<T>(static_cast<Wrapping<T>>(x) * static_cast<Wrapping<T>>(x));
    } else {
      return x * x;
    }
  }
};

struct Reciprocal {
  template <class T>
  static constexpr bool kAccepts = kIsFloating<T> || kIsComplex<T>;
  template <class T>
  static T Apply(T x) {
    return T(1) / x;
  }
};

struct Relu {
  template <class T>
  static constexpr bool kAccepts = kIsReal<T>;
  template <class T>
  static T Apply(T x) {
    return x < 0 ? T{0} : x;  // keeps NaN
  }
};

#define SIGNET_ROUNDING(Name, function)              \
  struct Name {                                      \
    template <class T>                               \
    static constexpr bool kAccepts = kIsFloating<T>; \
    template <class T>                               \
    static T Apply(T x) {                            \
      return std::function(x);                       \
    }                                                \
  };
SIGNET_ROUNDING(Floor, floor)
SIGNET_ROUNDING(Ceil, ceil)
SIGNET_ROUNDING(Round, nearbyint)  // half-way cases are rounded to even
#undef SIGNET_ROUNDING

struct Sqrt {
  template <class T>
  static constexpr bool kAccepts = kIsFloating<T> || kIsComplex<T>;
  template <class T>
  static T Apply(T x) {
    return std::sqrt(x);
  }
};

struct Rsqrt {
  template <class T>
  static constexpr bool kAccepts = kIsFloating<T> || kIsComplex<T>;
  template <class T>
  static T Apply(T x) {
    return T(1) / std::sqrt(x);
  }
};

template <class T>
T Magnitude(T x) {
  return x < 0 ? -x : x;
}

#define SIGNET_FLOAT_TEST(Name, of_real, of_complex)                  \
  struct Name {                                                       \
    template <class T>                                                \
    static constexpr bool kAccepts = kIsFloating<T> || kIsComplex<T>; \
    template <class T>                                                \
    static bool Apply(T x) {                                          \
      if constexpr (kIsComplex<T>) {                                  \
        return Apply(x.real()) of_complex Apply(x.imag());            \
      } else {                                                        \
        constexpr T infinity = std::numeric_limits<T>::infinity();    \
        (void)infinity;                                               \
        return of_real;                                               \
      }                                                               \
    }                                                                 \
  };
SIGNET_FLOAT_TEST(IsNan, x != x, ||)
SIGNET_FLOAT_TEST(IsInf, Magnitude(x) == infinity, ||)
SIGNET_FLOAT_TEST(IsFinite, Magnitude(x) < infinity, &&)
#undef SIGNET_FLOAT_TEST

struct Not {
  template <class T>
  static constexpr bool kAccepts = std::same_as<T, bool>;
  template <class T>
  static bool Apply(T x) {
    return !x;
  }
};

template <class Op, class T>
void Loop(const void* from, void* to, int64_t n) {
  const T* x = static_cast<const T*>(from);
  if constexpr (kIsHalf<T>) {
    using Result = decltype(Op::Apply(float{}));
    float chunk[kHalfChunk];
    for (int64_t i = 0; i < n; i += kHalfChunk) {
      int64_t m = std::min(kHalfChunk, n - i);
      Load(x + i, chunk, m);
      if constexpr (std::same_as<Result, bool>) {
        Loop<Op, float>(chunk, static_cast<bool*>(to) + i, m);
      } else {
        Loop<Op, float>(chunk, chunk, m);
        Store(chunk, static_cast<T*>(to) + i, m);
      }
    }
  } else {
    auto* out = static_cast<decltype(Op::Apply(T{}))*>(to);
    SIGNET_INDEPENDENT
    for (int64_t i = 0; i < n; ++i) out[i] = Op::Apply(x[i]);
  }
}

template <class Op>
constexpr ElementwiseRow<UnaryFn> Row(const char* name) {
  return MakeElementwiseRow<Op, UnaryFn>(name, 0.3f,
                                         []<class T>() -> UnaryFn { return Loop<Op, T>; });
}

}  // namespace

const UnaryTable& SIGNET_ISA_NAME(UnaryTable)() {
#define SIGNET_ROW(Name, name) Row<Name>(#name),
  static constexpr UnaryTable table = {{SIGNET_UNARY_OPS(SIGNET_ROW)}};
#undef SIGNET_ROW
  return table;
}

}  // namespace signet
