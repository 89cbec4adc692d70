// FloatVector: vectors of float32 with the width of the level, and unrolled loops over them.

#pragma once

#include <cstdint>
#include <utility>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace signet {
namespace {

#if defined(__AVX512F__)
inline constexpr int kVectorLanes = 16;
#elif defined(__AVX2__)
inline constexpr int kVectorLanes = 8;
#else
inline constexpr int kVectorLanes = 4;
#endif

using FloatVector [[gnu::vector_size(4 * kVectorLanes)]] = float;
using LooseVector [[gnu::vector_size(4 * kVectorLanes), gnu::aligned(4), gnu::may_alias]] = float;

[[gnu::always_inline]] inline FloatVector LoadVector(const float* x) {
  return *reinterpret_cast<const LooseVector*>(x);
}
[[gnu::always_inline]] inline void StoreVector(FloatVector x, float* out) {
  *reinterpret_cast<LooseVector*>(out) = x;
}

// Some lanes: [first, last), where both are between 0 and the number of lanes. A load does not read
// other lanes, and sets them to 0.
#if defined(__AVX512F__)
using LaneMask = __mmask16;
[[gnu::always_inline]] inline LaneMask MakeMask(int64_t first, int64_t last) {
  return static_cast<LaneMask>(((1U << last) - 1) & ~((1U << first) - 1));
}
[[gnu::always_inline]] inline FloatVector LoadMasked(const float* x, LaneMask mask) {
  return FloatVector(_mm512_maskz_loadu_ps(mask, x));
}
#elif defined(__AVX2__)
using LaneMask = __m256i;
[[gnu::always_inline]] inline LaneMask MakeMask(int64_t first, int64_t last) {
  const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  const __m256i before = _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(first)), lanes);
  const __m256i within = _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(last)), lanes);
  return _mm256_andnot_si256(before, within);
}
[[gnu::always_inline]] inline FloatVector LoadMasked(const float* x, LaneMask mask) {
  return FloatVector(_mm256_maskload_ps(x, mask));
}
#else
struct LaneMask {
  int64_t first;
  int64_t last;
};
inline LaneMask MakeMask(int64_t first, int64_t last) { return {first, last}; }
inline FloatVector LoadMasked(const float* x, LaneMask mask) {
  FloatVector out = {};
  for (int64_t i = mask.first; i < mask.last; ++i) out[i] = x[i];
  return out;
}
#endif

// Loads or stores the first `n` lanes, from none to all. A load sets the other lanes to 0; a store
// does not write them.
[[gnu::always_inline]] inline FloatVector LoadSome(const float* x, int64_t n) {
  return LoadMasked(x, MakeMask(0, n));
}
[[gnu::always_inline]] inline void StoreSome(FloatVector x, int64_t n, float* out) {
#if defined(__AVX512F__)
  _mm512_mask_storeu_ps(out, static_cast<__mmask16>((1U << n) - 1), __m512(x));
#elif defined(__AVX2__)
  const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  _mm256_maskstore_ps(out, _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(n)), lanes),
                      __m256(x));
#else
  for (int64_t i = 0; i < n; ++i) out[i] = x[i];
#endif
}

// The larger and the smaller; `y` if either is NaN.
[[gnu::always_inline]] inline FloatVector LargerOf(FloatVector x, FloatVector y) {
#if defined(__AVX512F__)
  return FloatVector(_mm512_max_ps(__m512(x), __m512(y)));
#elif defined(__AVX2__)
  return FloatVector(_mm256_max_ps(__m256(x), __m256(y)));
#else
  return x > y ? x : y;
#endif
}
[[gnu::always_inline]] inline FloatVector SmallerOf(FloatVector x, FloatVector y) {
#if defined(__AVX512F__)
  return FloatVector(_mm512_min_ps(__m512(x), __m512(y)));
#elif defined(__AVX2__)
  return FloatVector(_mm256_min_ps(__m256(x), __m256(y)));
#else
  return x < y ? x : y;
#endif
}
// Clips, and keeps NaN.
[[gnu::always_inline]] inline FloatVector ClipVector(FloatVector x, FloatVector low,
                                                     FloatVector high) {
  return SmallerOf(high, LargerOf(low, x));
}

inline constexpr auto kAllLanes = std::make_integer_sequence<int, kVectorLanes>{};

// Returns every second element of `a` and `b`, beginning with the first or the second.
template <int... i>
[[gnu::always_inline]] inline FloatVector Evens(FloatVector a, FloatVector b,
                                                std::integer_sequence<int, i...>) {
  return __builtin_shufflevector(a, b, (2 * i)...);
}
template <int... i>
[[gnu::always_inline]] inline FloatVector Odds(FloatVector a, FloatVector b,
                                               std::integer_sequence<int, i...>) {
  return __builtin_shufflevector(a, b, (2 * i + 1)...);
}

// Calls body(0), ..., body(n - 1) with constants.
template <class Body, int... i>
[[gnu::always_inline]] inline void UnrolledOver(Body&& body, std::integer_sequence<int, i...>) {
  (body(std::integral_constant<int, i>{}), ...);
}
template <int n, class Body>
[[gnu::always_inline]] inline void Unrolled(Body&& body) {
  UnrolledOver(body, std::make_integer_sequence<int, n>{});
}

}  // namespace
}  // namespace signet
