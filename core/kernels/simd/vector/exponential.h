// Exponential: e^x of float32 vectors and of float32 and float64 arrays, over the whole range.
//
// Eigen's packets clamp x: below about -88 (float64: -709) they return the same tiny number for
// every x, -infinity included, and with AVX-512 they return 2.4e38 for every finite x above 88.
// The functions here return 0, subnormal numbers, and infinity where the exact result rounds to
// them, and keep NaN.

#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include <Eigen/Core>

#include "core/kernels/simd/vector/vectors.h"

namespace signet {
namespace {

using IntVector [[gnu::vector_size(4 * kVectorLanes)]] = int32_t;

// Returns e^x for x in [-104, 89] or NaN, with an error of about 2 ulp.
//
// x = n ln 2 + f with |f| <= ln 2 / 2, and e^f is a polynomial (Cephes, expf). The result is
// multiplied by 2^n in two steps, so that results below the normal numbers round once, and results
// above overflow.
[[gnu::always_inline]] inline FloatVector ExpWithinRange(FloatVector x) {
  constexpr float kToInteger = 0x1.8p23F;  // adding it leaves no bits for a fraction
  const FloatVector n = (x * 1.44269504088896341F + kToInteger) - kToInteger;
  const FloatVector f = (x - n * 0.693359375F) - n * -2.12194440e-4F;
  FloatVector p = f * 1.9875691500e-4F + 1.3981999507e-3F;
  p = p * f + 8.3334519073e-3F;
  p = p * f + 4.1665795894e-2F;
  p = p * f + 1.6666665459e-1F;
  p = p * f + 5.0000001201e-1F;
  p = p * f * f + f + 1.0F;
#if defined(__AVX512F__)
  return FloatVector(_mm512_scalef_ps(__m512(p), __m512(n)));
#else
  const IntVector exponent = __builtin_convertvector(n, IntVector);
  const IntVector half = exponent >> 1;
  auto power = [](IntVector e) { return std::bit_cast<FloatVector>((e + 127) << 23); };
  return p * power(half) * power(exponent - half);
#endif
}

// Returns e^x. Below -104 the result is 0, above 89 it is infinity.
[[gnu::always_inline]] inline FloatVector ExpOf(FloatVector x) {
  return ExpWithinRange(SmallerOf(FloatVector{} + 89.0F, LargerOf(FloatVector{} - 104.0F, x)));
}

// Returns e^x for x <= 0 or NaN.
[[gnu::always_inline]] inline FloatVector ExpOfNegative(FloatVector x) {
  return ExpWithinRange(LargerOf(FloatVector{} - 104.0F, x));
}

// Writes e^x[i] to out[i]. `out` may be `x`.
[[maybe_unused]] inline void ExpArray(const float* x, float* out, int64_t n) {
  int64_t i = 0;
  for (; i + kVectorLanes <= n; i += kVectorLanes) StoreVector(ExpOf(LoadVector(x + i)), out + i);
  if (i < n) StoreSome(ExpOf(LoadSome(x + i, n - i)), n - i, out + i);
}

[[maybe_unused]] inline void ExpArray(const double* x, double* out, int64_t n) {
  constexpr double kLeastInPackets = -708;  // below it, packets clamp
  constexpr double kLeast = -746;           // below it, the result is 0
  constexpr int64_t kChunk = 256;
  double chunk[kChunk];
  for (int64_t i = 0; i < n; i += kChunk) {
    const int64_t m = std::min(kChunk, n - i);
    std::copy_n(x + i, m, chunk);
    Eigen::Map<Eigen::ArrayXd> result(out + i, m);
    result = Eigen::Map<const Eigen::ArrayXd>(chunk, m).exp();
    int num_subnormal = 0;
    for (int64_t j = 0; j < m; ++j) {
      num_subnormal += chunk[j] < kLeastInPackets && chunk[j] >= kLeast ? 1 : 0;
      out[i + j] = chunk[j] < kLeast ? 0 : chunk[j] != chunk[j] ? chunk[j] : out[i + j];
    }
    for (int64_t j = 0; num_subnormal > 0 && j < m; ++j) {
      if (chunk[j] < kLeastInPackets) out[i + j] = std::exp(chunk[j]);
    }
  }
}

}  // namespace
}  // namespace signet
