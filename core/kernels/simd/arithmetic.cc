// Elementwise arithmetic on two arrays. Integers wrap around. A pair of elements without a result
// is reported as a fault.

#include <cmath>
#include <limits>
#include <string_view>

#include "core/kernels/simd/elementwise_row.h"
#include "core/kernels/simd/vector/loops.h"

namespace signet {
namespace {

// Wrapping integer arithmetic uses an unsigned type that is not promoted to int.
template <class T>
using Wrapping = std::conditional_t<sizeof(T) < 4, uint32_t, std::make_unsigned_t<T>>;

template <class T>
inline constexpr bool kIsSignedInteger = kIsInteger<T>&& std::is_signed_v<T>;

struct NoFault {
  template <class T>
  static Fault Check(const T*, const T*, int64_t) {
    return Fault::kNone;
  }
};

#define SIGNET_WRAPPING_OP(Name, op)                                                       \
  struct Name : NoFault {                                                                  \
    template <class T>                                                                     \
    static constexpr bool kAccepts = kIsReal<T> || kIsComplex<T>;                          \
    template <class T>                                                                     \
    static T Apply(T a, T b) {                                                             \
      if constexpr (kIsInteger<T>) {                                                       \
        return static_cast<T>(static_cast<Wrapping<T>>(a) op static_cast<Wrapping<T>>(b)); \
      } else {                                                                             \
        return a op b;                                                                     \
      }                                                                                    \
    }                                                                                      \
  };
SIGNET_WRAPPING_OP(Add, +)
SIGNET_WRAPPING_OP(Sub, -)
SIGNET_WRAPPING_OP(Mul, *)
#undef SIGNET_WRAPPING_OP

template <class T>
Fault CheckDivisors(const T* a, const T* b, int64_t n, bool overflows) {
  if constexpr (kIsInteger<T>) {
    int zero = 0;
    int overflow = 0;
    for (int64_t i = 0; i < n; ++i) {
      zero |= b[i] == 0;
      if constexpr (kIsSignedInteger<T>) {
        overflow |= (a[i] == std::numeric_limits<T>::min()) & (b[i] == static_cast<T>(-1));
      }
    }
    if (zero != 0) return Fault::kDivisionByZero;
    if (overflow != 0 && overflows) return Fault::kOverflow;
  }
  return Fault::kNone;
}

struct Quotient {
  template <class T>
  static Fault Check(const T* a, const T* b, int64_t n) {
    return CheckDivisors(a, b, n, true);
  }
};
struct Rest {  // the remainder of the least number and -1 is 0
  template <class T>
  static Fault Check(const T* a, const T* b, int64_t n) {
    return CheckDivisors(a, b, n, false);
  }
};

// The integer quotient is rounded toward zero.
struct Div : Quotient {
  template <class T>
  static constexpr bool kAccepts = kIsReal<T> || kIsComplex<T>;
  template <class T>
  static T Apply(T a, T b) {
    return static_cast<T>(a / b);
  }
};

// The remainder with the sign of the dividend, as in C.
struct Remainder : Rest {
  template <class T>
  static constexpr bool kAccepts = kIsReal<T>;
  template <class T>
  static T Apply(T a, T b) {
    if constexpr (kIsFloating<T>) {
      return std::fmod(a, b);
    } else if constexpr (kIsSignedInteger<T>) {
      return b == static_cast<T>(-1) ? T{0} : static_cast<T>(a % b);
    } else {
      return static_cast<T>(a % b);
    }
  }
};

// The remainder with the sign of the divisor, as in Python.
struct Mod : Rest {
  template <class T>
  static constexpr bool kAccepts = kIsReal<T>;
  template <class T>
  static T Apply(T a, T b) {
    T rest = Remainder::Apply(a, b);
    if constexpr (kIsFloating<T>) {
      if (rest == 0) return std::copysign(T{0}, b);
    }
    if (rest != 0 && (rest < 0) != (b < 0)) rest = static_cast<T>(rest + b);
    return rest;
  }
};

struct Floordiv : Quotient {
  template <class T>
  static constexpr bool kAccepts = kIsReal<T>;
  template <class T>
  static T Apply(T a, T b) {
    if constexpr (kIsFloating<T>) {
      // As in Python and numpy: exact for a and b, and not computed from a rounded quotient.
      if (b == 0) return a / b;
      T rest = std::fmod(a, b);
      T quotient = (a - rest) / b;
      if (rest != 0 && (b < 0) != (rest < 0)) quotient -= 1;
      if (quotient == 0) return std::copysign(T{0}, a / b);
      T floored = std::floor(quotient);
      return quotient - floored > T(0.5) ? floored + 1 : floored;
    } else {
      T quotient = static_cast<T>(a / b);
      if constexpr (kIsSignedInteger<T>) {
        if (quotient * b != a && (a < 0) != (b < 0)) quotient = static_cast<T>(quotient - 1);
      }
      return quotient;
    }
  }
};

struct Pow {
  template <class T>
  static constexpr bool kAccepts = kIsReal<T> || kIsComplex<T>;
  template <class T>
  static Fault Check(const T*, const T* b, int64_t n) {
    if constexpr (kIsSignedInteger<T>) {
      for (int64_t i = 0; i < n; ++i) {
        if (b[i] < 0) return Fault::kNegativePower;
      }
    }
    return Fault::kNone;
  }
  template <class T>
  static T Apply(T a, T b) {
    if constexpr (kIsInteger<T>) {
      Wrapping<T> power = 1;
      // NOLINTNEXTLINE(bugprone-signed-char-misuse): sign extension is intended
      auto base = static_cast<Wrapping<T>>(a);
      // NOLINTNEXTLINE(bugprone-signed-char-misuse): `b` is not negative
      for (auto left = static_cast<Wrapping<T>>(b); left != 0; left >>= 1) {
        if ((left & 1) != 0) power *= base;
        base *= base;
      }
      return static_cast<T>(power);
    } else {
      return std::pow(a, b);
    }
  }
};

// NaN if either element is NaN.
struct Maximum : NoFault {
  template <class T>
  static constexpr bool kAccepts = kIsReal<T>;
  template <class T>
  static T Apply(T a, T b) {
    return (a > b) | (a != a) ? a : b;
  }
};
struct Minimum : NoFault {
  template <class T>
  static constexpr bool kAccepts = kIsReal<T>;
  template <class T>
  static T Apply(T a, T b) {
    return (a < b) | (a != a) ? a : b;
  }
};

template <class Op, class T>
Fault Run(const T* a, const T* b, T* out, int64_t n) {
  if (Fault fault = Op::Check(a, b, n); fault != Fault::kNone) return fault;
  if constexpr (std::same_as<Op, Pow> && kIsFloating<T>) {
    // Models express squares as pow with a constant.
    bool square = true;
    for (int64_t i = 0; i < n; ++i) square &= b[i] == 2;
    if (square) {
      SIGNET_INDEPENDENT
      for (int64_t i = 0; i < n; ++i) out[i] = a[i] * a[i];
      return Fault::kNone;
    }
  }
  SIGNET_INDEPENDENT
  for (int64_t i = 0; i < n; ++i) out[i] = Op::Apply(a[i], b[i]);
  return Fault::kNone;
}

template <class Op, class T>
Fault Loop(const void* a, const void* b, void* out, int64_t n) {
  const T* x = static_cast<const T*>(a);
  const T* y = static_cast<const T*>(b);
  T* z = static_cast<T*>(out);
  if constexpr (kIsHalf<T>) {
    float left[kHalfChunk];
    float right[kHalfChunk];
    for (int64_t i = 0; i < n; i += kHalfChunk) {
      int64_t m = std::min(kHalfChunk, n - i);
      Load(x + i, left, m);
      Load(y + i, right, m);
      Run<Op>(left, right, left, m);
      Store(left, z + i, m);
    }
    return Fault::kNone;
  } else {
    return Run<Op>(x, y, z, n);
  }
}

constexpr float CostOf(std::string_view op) {
  return op == "pow" ? 20.0f : op == "floordiv" || op == "mod" || op == "remainder" ? 8.0f : 0.3f;
}

template <class Op>
constexpr ElementwiseRow<BinaryFn> Row(const char* name) {
  return MakeElementwiseRow<Op, BinaryFn>(name, CostOf(name),
                                          []<class T>() -> BinaryFn { return Loop<Op, T>; });
}

}  // namespace

const ArithmeticTable& SIGNET_ISA_NAME(ArithmeticTable)() {
#define SIGNET_ROW(Name, name) Row<Name>(#name),
  static constexpr ArithmeticTable table = {{SIGNET_ARITHMETIC_OPS(SIGNET_ROW)}};
#undef SIGNET_ROW
  return table;
}

}  // namespace signet
