// Larger, Smaller: comparisons that return NaN if either number is NaN.

#pragma once

namespace signet {

// If one of the values is NaN, the result is NaN.
template <class T>
T Larger(T a, T b) {
  return a > b || a != a ? a : b;
}
template <class T>
T Smaller(T a, T b) {
  return a < b || a != a ? a : b;
}

}  // namespace signet
