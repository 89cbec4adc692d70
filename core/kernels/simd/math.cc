// Elementwise functions on one array: exponentials, logarithms, trigonometric functions, and
// activations.
//
// float32, and the float64 functions that Eigen provides, are computed in packets; other functions
// use the C library. Eigen's clamps may lose a NaN, so functions that clamp restore it.

#include <cmath>

#include <Eigen/Core>

#include "core/kernels/simd/elementwise_row.h"
#include "core/kernels/simd/vector/exponential.h"
#include "core/kernels/simd/vector/inverse_trig.h"
#include "core/kernels/simd/vector/loops.h"
#include "core/kernels/simd/vector/sigmoid.h"

namespace signet {
namespace {

template <class T>
using Array = Eigen::Map<Eigen::Array<T, Eigen::Dynamic, 1>>;

// Elements per chunk, so that the steps of a formula stay in cache.
constexpr int64_t kChunk = 256;

// Computes out = finish(x, formula(array of x)) chunk by chunk. NaN remains NaN.
template <class T, class Formula, class Finish>
void InPackets(const T* x, T* out, int64_t n, Formula formula, Finish finish) {
  alignas(64) T chunk[kChunk];
  for (int64_t i = 0; i < n; i += kChunk) {
    int64_t m = std::min(kChunk, n - i);
    std::copy_n(x + i, m, chunk);
    Array<T> result(out + i, m);
    result = formula(Array<T>(chunk, m));
    SIGNET_INDEPENDENT
    for (int64_t j = 0; j < m; ++j) {
      out[i + j] = chunk[j] != chunk[j] ? chunk[j] : finish(chunk[j], out[i + j]);
    }
  }
}

template <class T, class Formula>
void InPackets(const T* x, T* out, int64_t n, Formula formula) {
  InPackets(x, out, n, formula, [](T, T y) { return y; });
}

template <class T, class Function>
void OneByOne(const T* x, T* out, int64_t n, Function function) {
  for (int64_t i = 0; i < n; ++i) out[i] = function(x[i]);
}

// A function of the C library, or of Eigen's packets where they provide it.
#define SIGNET_MATH(Name, function, in_packets, takes_complex)                           \
  struct Name {                                                                          \
    template <class T>                                                                   \
    static constexpr bool kAccepts = kIsFloating<T> || (takes_complex && kIsComplex<T>); \
    template <class T>                                                                   \
    static void Apply(const T* x, T* out, int64_t n) {                                   \
      if constexpr (in_packets) {                                                        \
        InPackets(x, out, n, [](const auto& a) { return a.function(); });                \
      } else {                                                                           \
        OneByOne(x, out, n, [](T a) { return std::function(a); });                       \
      }                                                                                  \
    }                                                                                    \
  };
struct Exp {
  template <class T>
  static constexpr bool kAccepts = kIsFloating<T> || kIsComplex<T>;
  template <class T>
  static void Apply(const T* x, T* out, int64_t n) {
    if constexpr (kIsFloating<T>) {
      ExpArray(x, out, n);
    } else {
      OneByOne(x, out, n, [](T a) { return std::exp(a); });
    }
  }
};
// Packets treat numbers below the least normal number as that number.
struct Log {
  template <class T>
  static constexpr bool kAccepts = kIsFloating<T> || kIsComplex<T>;
  template <class T>
  static void Apply(const T* x, T* out, int64_t n) {
    auto one_by_one = [](const T* from, T* to, int64_t m) {
      OneByOne(from, to, m, [](T a) { return std::log(a); });
    };
    if constexpr (kIsFloating<T>) {
      for (int64_t i = 0; i < n; i += kChunk) {
        const int64_t m = std::min(kChunk, n - i);
        int num_small = 0;
        SIGNET_INDEPENDENT
        for (int64_t j = 0; j < m; ++j) {
          num_small += x[i + j] > 0 && x[i + j] < std::numeric_limits<T>::min() ? 1 : 0;
        }
        if (num_small > 0) {
          one_by_one(x + i, out + i, m);
        } else {
          InPackets(x + i, out + i, m, [](const auto& a) { return a.log(); });
        }
      }
    } else {
      one_by_one(x, out, n);
    }
  }
};
// Packets clamp large numbers like their exponential (exponential.h).
struct Expm1 {
  template <class T>
  static constexpr bool kAccepts = kIsFloating<T>;
  template <class T>
  static void Apply(const T* x, T* out, int64_t n) {
    auto one_by_one = [](const T* from, T* to, int64_t m) {
      OneByOne(from, to, m, [](T a) { return std::expm1(a); });
    };
    if constexpr (std::same_as<T, float>) {
      constexpr T kMostInPackets = 88;
      for (int64_t i = 0; i < n; i += kChunk) {
        const int64_t m = std::min(kChunk, n - i);
        int num_large = 0;
        SIGNET_INDEPENDENT
        for (int64_t j = 0; j < m; ++j) num_large += x[i + j] > kMostInPackets ? 1 : 0;
        if (num_large > 0) {
          one_by_one(x + i, out + i, m);
        } else {
          InPackets(x + i, out + i, m, [](const auto& a) { return a.expm1(); });
        }
      }
    } else {
      one_by_one(x, out, n);
    }
  }
};
SIGNET_MATH(Log1p, log1p, (std::same_as<T, float>), false)
SIGNET_MATH(Sin, sin, (std::same_as<T, float>), true)
SIGNET_MATH(Cos, cos, (std::same_as<T, float>), true)
SIGNET_MATH(Tan, tan, false, true)
SIGNET_MATH(Sinh, sinh, false, true)
SIGNET_MATH(Cosh, cosh, false, true)
SIGNET_MATH(Tanh, tanh, (std::same_as<T, float>), true)
SIGNET_MATH(Asinh, asinh, false, true)
SIGNET_MATH(Acosh, acosh, false, true)
SIGNET_MATH(Atanh, atanh, false, true)
#undef SIGNET_MATH

// A function of the C library, except for float32, which uses a formula.
#define SIGNET_FORMULA(Name, function, of_float)                      \
  struct Name {                                                       \
    template <class T>                                                \
    static constexpr bool kAccepts = kIsFloating<T> || kIsComplex<T>; \
    template <class T>                                                \
    static void Apply(const T* x, T* out, int64_t n) {                \
      if constexpr (std::same_as<T, float>) {                         \
        SIGNET_INDEPENDENT                                            \
        for (int64_t i = 0; i < n; ++i) out[i] = of_float(x[i]);      \
      } else {                                                        \
        OneByOne(x, out, n, [](T a) { return std::function(a); });    \
      }                                                               \
    }                                                                 \
  };
SIGNET_FORMULA(Asin, asin, AsinOf)
SIGNET_FORMULA(Acos, acos, AcosOf)
SIGNET_FORMULA(Atan, atan, AtanOf)
#undef SIGNET_FORMULA

struct RealOnly {
  template <class T>
  static constexpr bool kAccepts = kIsFloating<T>;
};

// Calls finish(x, e^-|x|, out, n) for chunks of n elements.
template <class T, class Finish>
void ByExpOfNegative(const T* x, T* out, int64_t n, Finish finish) {
  alignas(64) T chunk[kChunk];
  alignas(64) T powers[kChunk];
  for (int64_t i = 0; i < n; i += kChunk) {
    int64_t m = std::min(kChunk, n - i);
    std::copy_n(x + i, m, chunk);
    for (int64_t j = 0; j < m; ++j) powers[j] = -std::abs(chunk[j]);
    ExpArray(powers, powers, m);
    finish(chunk, powers, out + i, m);
  }
}

// 1 / (1 + exp(-x)), by the exponential of a number of at most 0, which cannot overflow.
struct Sigmoid : RealOnly {
  template <class T>
  static void Apply(const T* x, T* out, int64_t n) {
    if constexpr (std::same_as<T, float>) {
      int64_t i = 0;
      for (; i + kVectorLanes <= n; i += kVectorLanes) {
        StoreVector(SigmoidOf(LoadVector(x + i)), out + i);
      }
      if (i < n) StoreSome(SigmoidOf(LoadSome(x + i, n - i)), n - i, out + i);
    } else {
      ByExpOfNegative(x, out, n, [](const T* a, const T* e, T* to, int64_t m) {
        for (int64_t j = 0; j < m; ++j) to[j] = (a[j] < 0 ? e[j] : T(1)) / (1 + e[j]);
      });
    }
  }
};

// A rational approximation of erf on [-4, 4], with an error of about 1 ulp. Beyond this range, erf
// is 1 in float32.
inline float ErfFloat(float x) {
  float clamped = x > 4 ? 4.0f : x < -4 ? -4.0f : x;
  float s = clamped * clamped;
  float p = -2.72614225801306e-10f;
  p = p * s + 2.77068142495902e-08f;
  p = p * s + -2.10102402082508e-06f;
  p = p * s + -5.69250639462346e-05f;
  p = p * s + -7.34990630326855e-04f;
  p = p * s + -2.95459980854025e-03f;
  p = p * s + -1.60960333262415e-02f;
  float q = -1.45660718464996e-05f;
  q = q * s + -2.13374055278905e-04f;
  q = q * s + -1.68282697438203e-03f;
  q = q * s + -7.37332916720468e-03f;
  q = q * s + -1.42647390514189e-02f;
  float y = clamped * p / q;
  return y > 1 ? 1.0f : y < -1 ? -1.0f : y;
}

struct Erf : RealOnly {
  template <class T>
  static void Apply(const T* x, T* out, int64_t n) {
    if constexpr (std::same_as<T, float>) {
      SIGNET_INDEPENDENT
      for (int64_t i = 0; i < n; ++i) out[i] = ErfFloat(x[i]);
    } else {
      OneByOne(x, out, n, [](T a) { return std::erf(a); });
    }
  }
};

// x / 2 * (1 + erf(x / sqrt(2))), which is x / 2 * erfc(-x / sqrt(2))
struct Gelu : RealOnly {
  template <class T>
  static void Apply(const T* x, T* out, int64_t n) {
    constexpr T kRootHalf = T(0.70710678118654752440);
    if constexpr (std::same_as<T, float>) {
      SIGNET_INDEPENDENT
      for (int64_t i = 0; i < n; ++i) out[i] = 0.5f * x[i] * (1 + ErfFloat(x[i] * kRootHalf));
    } else {
      OneByOne(x, out, n, [](T a) { return T(0.5) * a * std::erfc(-a * kRootHalf); });
    }
  }
};

struct GeluTanh : RealOnly {
  template <class T>
  static void Apply(const T* x, T* out, int64_t n) {
    InPackets(
        x, out, n,
        [](const auto& a) {
          return (T(0.79788456080286535588) * (a + T(0.044715) * a * a * a)).tanh();
        },
        [](T a, T tanh) { return T(0.5) * a * (1 + tanh); });
  }
};

// log(1 + exp(x)), as max(x, 0) + log1p(exp(-|x|)).
struct Softplus : RealOnly {
  template <class T>
  static void Apply(const T* x, T* out, int64_t n) {
    ByExpOfNegative(x, out, n, [](const T* a, T* e, T* to, int64_t m) {
      InPackets(e, e, m, [](const auto& powers) { return powers.log1p(); });
      for (int64_t j = 0; j < m; ++j) to[j] = (a[j] > 0 ? a[j] : T(0)) + e[j];
    });
  }
};

template <class Op, class T>
void Loop(const void* from, void* to, int64_t n) {
  const T* x = static_cast<const T*>(from);
  T* out = static_cast<T*>(to);
  if constexpr (kIsHalf<T>) {
    float chunk[kHalfChunk];
    for (int64_t i = 0; i < n; i += kHalfChunk) {
      int64_t m = std::min(kHalfChunk, n - i);
      Load(x + i, chunk, m);
      Op::template Apply<float>(chunk, chunk, m);
      Store(chunk, out + i, m);
    }
  } else {
    Op::template Apply<T>(x, out, n);
  }
}

template <class Op>
constexpr ElementwiseRow<UnaryFn> Row(const char* name) {
  return MakeElementwiseRow<Op, UnaryFn>(name, 3.0f,
                                         []<class T>() -> UnaryFn { return Loop<Op, T>; });
}

}  // namespace

const MathTable& SIGNET_ISA_NAME(MathTable)() {
#define SIGNET_ROW(Name, name) Row<Name>(#name),
  static constexpr MathTable table = {{SIGNET_MATH_OPS(SIGNET_ROW)}};
#undef SIGNET_ROW
  return table;
}

}  // namespace signet
