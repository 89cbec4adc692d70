// The dtypes in simd/: plain C++ types and the numbers of DType, without a library.
//
// The headers that simd/ includes are compiled for every level. Inline functions and static
// initializers of another library would be compiled for every level too, and would run on
// processors that lack the instructions of the level.

#pragma once

#include <complex>
#include <cstdint>

namespace signet {

// The half-width floats, with the layout of Float16 and BFloat16 of core/types.
struct HalfBits {
  uint16_t bits;
};
struct BrainBits {
  uint16_t bits;
};

// Every dtype except string, with its number. Tables of simd/ are indexed by these numbers.
#define SIGNET_ISA_DTYPES(X)             \
  X(bool, kBool, 1)                      \
  X(int8_t, kInt8, 2)                    \
  X(int16_t, kInt16, 3)                  \
  X(int32_t, kInt32, 4)                  \
  X(int64_t, kInt64, 5)                  \
  X(uint8_t, kUInt8, 6)                  \
  X(uint16_t, kUInt16, 7)                \
  X(uint32_t, kUInt32, 8)                \
  X(uint64_t, kUInt64, 9)                \
  X(HalfBits, kFloat16, 10)              \
  X(BrainBits, kBFloat16, 11)            \
  X(float, kFloat32, 12)                 \
  X(double, kFloat64, 13)                \
  X(std::complex<float>, kComplex64, 14) \
  X(std::complex<double>, kComplex128, 15)

enum class DTypeNumber : uint8_t {
#define SIGNET_NUMBER(T, Name, number) Name = number,
  SIGNET_ISA_DTYPES(SIGNET_NUMBER)
#undef SIGNET_NUMBER
};

// One more than the largest number of a dtype.
inline constexpr int kNumDTypes = 17;

}  // namespace signet
