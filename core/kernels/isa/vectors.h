// Vectors of float32 as wide as the level has them, and loops over them that are unrolled.

#pragma once

#include <cstdint>
#include <utility>

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

// body(0), ..., body(n - 1), of constants.
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
