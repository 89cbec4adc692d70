// Larger, Smaller: comparisons that return NaN if either number is NaN.

#pragma once

namespace signet {

// A NaN among the values is the answer.
template <class T>
T Larger(T a, T b) {
  return a > b || a != a ? a : b;
}
template <class T>
T Smaller(T a, T b) {
  return a < b || a != a ? a : b;
}

}  // namespace signet
