// CheckedMath: size arithmetic on numbers from outside. An empty result means that the number does
// not fit in an int64_t.

#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace signet {

inline std::optional<int64_t> CheckedAdd(int64_t a, int64_t b) {
  int64_t sum;
  if (__builtin_add_overflow(a, b, &sum)) return std::nullopt;
  return sum;
}

inline std::optional<int64_t> CheckedMultiply(int64_t a, int64_t b) {
  int64_t product;
  if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}

// Returns the product of `dims`, each of which is at least 0. The other dimensions must fit even if
// one of them is 0, so the order of multiplication does not matter: {2^40, 2^40, 0} => empty.
inline std::optional<int64_t> CheckedProduct(std::span<const int64_t> dims) {
  int64_t product = 1;
  bool zero = false;
  for (int64_t dim : dims) {
    if (dim == 0) {
      zero = true;
      continue;
    }
    auto next = CheckedMultiply(product, dim);
    if (!next) return std::nullopt;
    product = *next;
  }
  return zero ? 0 : product;
}

}  // namespace signet
