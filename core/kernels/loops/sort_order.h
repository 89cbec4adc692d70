// SortOrder: compares integers, floats, and strings for sorting.

#pragma once

#include <string_view>
#include <type_traits>

#include "signet/tensor.h"

namespace signet {

// The type as which elements of T are compared.
template <class T>
auto Key(const Tensor& x, int64_t i) {
  if constexpr (std::is_same_v<T, std::string_view>) {
    return x.string_at(i);
  } else if constexpr (std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>) {
    return ToFloat(x.elements<T>()[static_cast<size_t>(i)]);
  } else {
    return x.elements<T>()[static_cast<size_t>(i)];
  }
}

// Returns true if `a` comes before `b`. NaN is greater than every number.
template <class K>
bool Before(const K& a, const K& b, bool descending) {
  if constexpr (std::is_floating_point_v<K>) {
    bool a_nan = a != a;
    bool b_nan = b != b;
    if (a_nan || b_nan) return a_nan != b_nan && (descending ? a_nan : b_nan);
  }
  return descending ? b < a : a < b;
}

}  // namespace signet
