// Loops that the files of isa/ share: half-width floats as float32, and a table row from a functor.

#pragma once

#include <algorithm>
#include <bit>
#include <complex>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <type_traits>

#ifdef __F16C__
#include <immintrin.h>
#endif

#include "core/types/dtype.h"

// The next loop's iterations are independent, though `out` may be an input.
#ifdef __clang__
#define SIGNET_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define SIGNET_INDEPENDENT _Pragma("GCC ivdep")
#endif

namespace signet {
namespace {

template <class T>
inline constexpr bool kIsHalf = std::same_as<T, Float16> || std::same_as<T, BFloat16>;
template <class T>
inline constexpr bool kIsComplex =
    std::same_as<T, std::complex<float>> || std::same_as<T, std::complex<double>>;
template <class T>
inline constexpr bool kIsFloating = std::floating_point<T>;
template <class T>
inline constexpr bool kIsInteger = std::integral<T> && !std::same_as<T, bool>;
template <class T>
inline constexpr bool kIsReal = kIsFloating<T> || kIsInteger<T>;

// Elements of a half-width array turned to float32 at a time; a buffer of them is 1 KiB.
inline constexpr int64_t kHalfChunk = 256;

[[maybe_unused]] inline float FloatOf(BFloat16 value) {
  return std::bit_cast<float>(static_cast<uint32_t>(value.bits) << 16);
}

[[maybe_unused]] inline BFloat16 BFloat16Of(float value) {
  auto bits = std::bit_cast<uint32_t>(value);
  uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
  uint32_t nan = (bits >> 16) | 0x40u;  // stays one, quiet
  return BFloat16{static_cast<uint16_t>((bits & 0x7fffffffu) > 0x7f800000u ? nan : rounded)};
}

[[maybe_unused]] void Load(const BFloat16* x, float* out, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = FloatOf(x[i]);
}

[[maybe_unused]] void Store(const float* x, BFloat16* out, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = BFloat16Of(x[i]);
}

[[maybe_unused]] void Load(const Float16* x, float* out, int64_t n) {
  int64_t i = 0;
#ifdef __F16C__
  for (; i + 8 <= n; i += 8) {
    _mm256_storeu_ps(out + i,
                     _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(x + i))));
  }
#endif
  for (; i < n; ++i) out[i] = ToFloat(x[i]);
}

[[maybe_unused]] void Store(const float* x, Float16* out, int64_t n) {
  int64_t i = 0;
#ifdef __F16C__
  for (; i + 8 <= n; i += 8) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out + i),
                     _mm256_cvtps_ph(_mm256_loadu_ps(x + i), _MM_FROUND_TO_NEAREST_INT));
  }
#endif
  for (; i < n; ++i) out[i] = ToFloat16(x[i]);
}

}  // namespace
}  // namespace signet
