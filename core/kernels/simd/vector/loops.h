// Loops that the files of simd/ share: computation of half-width floats in float32, and table rows
// that are built from functors.

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

#include "core/kernels/simd/vector/dtypes.h"

// The iterations of the next loop are independent, although `out` may be an input.
#ifdef __clang__
#define SIGNET_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define SIGNET_INDEPENDENT _Pragma("GCC ivdep")
#endif

namespace signet {
namespace {

template <class T>
inline constexpr bool kIsHalf = std::same_as<T, HalfBits> || std::same_as<T, BrainBits>;
template <class T>
inline constexpr bool kIsComplex =
    std::same_as<T, std::complex<float>> || std::same_as<T, std::complex<double>>;
template <class T>
inline constexpr bool kIsFloating = std::floating_point<T>;
template <class T>
inline constexpr bool kIsInteger = std::integral<T> && !std::same_as<T, bool>;
template <class T>
inline constexpr bool kIsReal = kIsFloating<T> || kIsInteger<T>;

// Elements of a half-width array that are converted to float32 at a time; a buffer of them is 1
// KiB.
inline constexpr int64_t kHalfChunk = 256;

[[maybe_unused]] inline float FloatOf(BrainBits value) {
  return std::bit_cast<float>(static_cast<uint32_t>(value.bits) << 16);
}

[[maybe_unused]] inline float FloatOf(HalfBits value) {
  uint32_t sign = static_cast<uint32_t>(value.bits & 0x8000u) << 16;
  uint32_t magnitude = static_cast<uint32_t>(value.bits & 0x7fffu) << 13;
  // Increases the exponent by 112. The multiplication is exact, and also converts subnormals.
  float scaled = std::bit_cast<float>(magnitude) * 0x1p112f;
  uint32_t special = std::bit_cast<uint32_t>(scaled) | 0x7f800000u;  // infinity or NaN
  if (magnitude > 0x0f800000u) special |= 0x00400000u;               // quiet, as with F16C
  uint32_t bits = magnitude >= 0x0f800000u ? special : std::bit_cast<uint32_t>(scaled);
  return std::bit_cast<float>(sign | bits);
}

[[maybe_unused]] inline HalfBits HalfBitsOf(float value) {
  auto bits = std::bit_cast<uint32_t>(value);
  uint32_t sign = (bits >> 16) & 0x8000u;
  uint32_t magnitude = bits & 0x7fffffffu;
  uint32_t normal = (magnitude + 0xfffu + ((magnitude >> 13) & 1u) - 0x38000000u) >> 13;
  // Adding one half aligns the bits of a subnormal number with the lowest bits of the mantissa, and
  // rounds.
  float aligned = std::bit_cast<float>(magnitude) + 0.5f;
  uint32_t subnormal = std::bit_cast<uint32_t>(aligned) - 0x3f000000u;
  uint32_t half = magnitude < 0x38800000u ? subnormal : normal;
  if (magnitude >= 0x477ff000u) half = 0x7c00u;  // rounds to 2^16 or more
  if (magnitude > 0x7f800000u) half = 0x7e00u | ((magnitude >> 13) & 0x3ffu);
  return HalfBits{static_cast<uint16_t>(sign | half)};
}

[[maybe_unused]] inline BrainBits BrainBitsOf(float value) {
  auto bits = std::bit_cast<uint32_t>(value);
  uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
  uint32_t nan = (bits >> 16) | 0x40u;  // remains NaN, quiet
  return BrainBits{static_cast<uint16_t>((bits & 0x7fffffffu) > 0x7f800000u ? nan : rounded)};
}

[[maybe_unused]] inline void Load(const BrainBits* x, float* out, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = FloatOf(x[i]);
}

[[maybe_unused]] inline void Store(const float* x, BrainBits* out, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = BrainBitsOf(x[i]);
}

[[maybe_unused]] inline void Load(const HalfBits* x, float* out, int64_t n) {
  int64_t i = 0;
#ifdef __F16C__
  for (; i + 8 <= n; i += 8) {
    _mm256_storeu_ps(out + i,
                     _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(x + i))));
  }
#endif
  for (; i < n; ++i) out[i] = FloatOf(x[i]);
}

[[maybe_unused]] inline void Store(const float* x, HalfBits* out, int64_t n) {
  int64_t i = 0;
#ifdef __F16C__
  for (; i + 8 <= n; i += 8) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out + i),
                     _mm256_cvtps_ph(_mm256_loadu_ps(x + i), _MM_FROUND_TO_NEAREST_INT));
  }
#endif
  for (; i < n; ++i) out[i] = HalfBitsOf(x[i]);
}

}  // namespace
}  // namespace signet
