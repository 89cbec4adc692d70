// The logistic function in vectors of float32.

#pragma once

#include <bit>

#include "core/kernels/isa/vectors.h"

namespace signet {
namespace {

using IntVector [[gnu::vector_size(4 * kVectorLanes)]] = int32_t;

// e^x of numbers that are not above 0, to 2 ulp or so; NaN stays.
//
// x = n ln 2 + f, |f| <= ln 2 / 2, and e^f by a polynomial (Cephes, expf). 2^n is multiplied in two
// steps, so that what is below the normal numbers rounds as it should.
[[gnu::always_inline]] inline FloatVector ExpOfNegative(FloatVector x) {
  x = LargerOf(FloatVector{} - 104.0F, x);
  constexpr float kToInteger = 0x1.8p23F;  // added, it leaves no place for a fraction
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

// 1 / (1 + e^-x)
[[gnu::always_inline]] inline FloatVector SigmoidOf(FloatVector x) {
  const FloatVector e = ExpOfNegative(x < 0 ? x : -x);
  const FloatVector above = x < 0 ? e : FloatVector{} + 1.0F;
#if defined(__AVX512F__)
  // A step of Newton's from 14 bits on, which takes a fraction of the time of a division.
  const FloatVector below = 1.0F + e;
  const FloatVector guess = FloatVector(_mm512_rcp14_ps(__m512(below)));
  return above * (guess * (2.0F - below * guess));
#else
  return above / (1.0F + e);
#endif
}

}  // namespace
}  // namespace signet
