// Elementwise arithmetic over plain arrays: a function for each op and dtype.
//
// Arrays are contiguous and have `n` elements; `out` may be one of the inputs. Ops on half-width
// floats compute in float32 and round once.

#pragma once

#include <cstdint>

#include "core/kernels/simd/vector/dtypes.h"
#include "core/kernels/simd/vector/isa_level.h"

namespace signet {

// Why an op has no result. The output is then incomplete.
enum class Fault : uint8_t { kNone, kDivisionByZero, kOverflow, kNegativePower };

// The names are the names of the ops.
// clang-format off: one per line
#define SIGNET_ARITHMETIC_OPS(X) \
  X(Add, add)                    \
  X(Sub, sub)                    \
  X(Mul, mul)                    \
  X(Div, div)                    \
  X(Floordiv, floordiv)          \
  X(Mod, mod)                    \
  X(Remainder, remainder)        \
  X(Pow, pow)                    \
  X(Maximum, maximum)            \
  X(Minimum, minimum)
#define SIGNET_COMPARISON_OPS(X) \
  X(Equal, equal)                \
  X(NotEqual, not_equal)         \
  X(Less, less)                  \
  X(LessEqual, less_equal)       \
  X(Greater, greater)            \
  X(GreaterEqual, greater_equal) \
  X(And, logical_and)            \
  X(Or, logical_or)              \
  X(Xor, logical_xor)
#define SIGNET_UNARY_OPS(X) \
  X(Neg, neg)               \
  X(Abs, abs)               \
  X(Sign, sign)             \
  X(Square, square)         \
  X(Reciprocal, reciprocal) \
  X(Relu, relu)             \
  X(Floor, floor)           \
  X(Ceil, ceil)             \
  X(Round, round)           \
  X(Sqrt, sqrt)             \
  X(Rsqrt, rsqrt)           \
  X(IsNan, is_nan)          \
  X(IsInf, is_inf)          \
  X(IsFinite, is_finite)    \
  X(Not, logical_not)
#define SIGNET_MATH_OPS(X) \
  X(Exp, exp)              \
  X(Expm1, expm1)          \
  X(Log, log)              \
  X(Log1p, log1p)          \
  X(Sin, sin)              \
  X(Cos, cos)              \
  X(Tan, tan)              \
  X(Asin, asin)            \
  X(Acos, acos)            \
  X(Atan, atan)            \
  X(Sinh, sinh)            \
  X(Cosh, cosh)            \
  X(Tanh, tanh)            \
  X(Asinh, asinh)          \
  X(Acosh, acosh)          \
  X(Atanh, atanh)          \
  X(Sigmoid, sigmoid)      \
  X(Erf, erf)              \
  X(Gelu, gelu)            \
  X(GeluTanh, gelu_tanh)   \
  X(Softplus, softplus)
// clang-format on

using UnaryFn = void (*)(const void* x, void* out, int64_t n);
using BinaryFn = Fault (*)(const void* a, const void* b, void* out, int64_t n);

template <class Fn>
struct ElementwiseRow {
  const char* op;
  float cost;               // approximate nanoseconds per element of float32
  Fn by_dtype[kNumDTypes];  // null: the dtype is not supported
};

#define SIGNET_ROW_COUNT(Name, name) +1
struct ArithmeticTable {
  ElementwiseRow<BinaryFn> rows[0 SIGNET_ARITHMETIC_OPS(SIGNET_ROW_COUNT)];
};
struct ComparisonTable {
  ElementwiseRow<BinaryFn> rows[0 SIGNET_COMPARISON_OPS(SIGNET_ROW_COUNT)];
};
struct UnaryTable {
  ElementwiseRow<UnaryFn> rows[0 SIGNET_UNARY_OPS(SIGNET_ROW_COUNT)];
};
struct MathTable {
  ElementwiseRow<UnaryFn> rows[0 SIGNET_MATH_OPS(SIGNET_ROW_COUNT)];
};
#undef SIGNET_ROW_COUNT

SIGNET_ISA_TABLE(ArithmeticTable);
SIGNET_ISA_TABLE(ComparisonTable);
SIGNET_ISA_TABLE(UnaryTable);
SIGNET_ISA_TABLE(MathTable);

}  // namespace signet
