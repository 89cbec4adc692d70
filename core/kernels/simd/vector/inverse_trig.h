// AsinOf, AcosOf, AtanOf: arc sine, arc cosine, and arc tangent of float32, by polynomials in loops
// that the compiler vectorizes.
//
// The error is below 2 units in the last place, with or without fused multiply-adds. The signs of
// zeros, infinities, and NaN are as in the C library.

#pragma once

#include <cmath>

namespace signet {
namespace {

// Half of pi, and the rounding error of half of pi in float32.
inline constexpr float kQuarterTurn = 1.57079637f;
inline constexpr float kQuarterTurnRest = -4.37113883e-08f;

// Returns asin(x) - x for |x| of at most 0.5. `square` is the square of x.
inline float AsinRest(float x, float square) {
  float p = 4.21663158273e-02f;
  p = p * square + 2.41795104117e-02f;
  p = p * square + 4.54703767824e-02f;
  p = p * square + 7.49529763737e-02f;
  p = p * square + 1.66667524821e-01f;
  return x * square * p;
}

// Larger numbers use asin(x) = pi / 2 - 2 asin(sqrt((1 - x) / 2)).
[[maybe_unused]] inline float AsinOf(float x) {
  const float size = std::abs(x);
  const bool is_small = size < 0.5f;
  const float square = is_small ? x * x : (1 - size) * 0.5f;
  const float root = std::sqrt(square);
  const float rest = AsinRest(is_small ? size : root, square);
  const float large = kQuarterTurn - (2 * root + (2 * rest - kQuarterTurnRest));
  return std::copysign(is_small ? size + rest : large, x);
}

[[maybe_unused]] inline float AcosOf(float x) {
  const float size = std::abs(x);
  const bool is_small = size < 0.5f;
  const float square = is_small ? x * x : (1 - size) * 0.5f;
  const float root = std::sqrt(square);
  const float rest = AsinRest(is_small ? x : root, square);
  const float small = kQuarterTurn - (x - (kQuarterTurnRest - rest));
  const float right = 2 * (root + rest);
  const float left = (2 * kQuarterTurn - 2 * root) - (2 * rest - 2 * kQuarterTurnRest);
  return is_small ? small : x > 0 ? right : left;
}

// Numbers beyond 1 use atan(x) = pi / 2 - atan(1 / x).
[[maybe_unused]] inline float AtanOf(float x) {
  const float size = std::abs(x);
  const bool is_large = size > 1;
  const float y = is_large ? 1 / size : size;
  const float square = y * y;
  float p = 2.92069125993e-03f;
  p = p * square - 1.63679257724e-02f;
  p = p * square + 4.32118604889e-02f;
  p = p * square - 7.55221461035e-02f;
  p = p * square + 1.06660050055e-01f;
  p = p * square - 1.42110554692e-01f;
  p = p * square + 1.99937728655e-01f;
  p = p * square - 3.33331527378e-01f;
  const float rest = y * square * p;
  const float large = (kQuarterTurn - y) - (rest - kQuarterTurnRest);
  return std::copysign(is_large ? large : y + rest, x);
}

}  // namespace
}  // namespace signet
