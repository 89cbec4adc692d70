// Larger, Smaller: the larger and the smaller of two numbers, or NaN if either is NaN.

#pragma once

namespace signet {

template <class T>
T Larger(T a, T b) {
  return a > b || a != a ? a : b;
}
template <class T>
T Smaller(T a, T b) {
  return a < b || a != a ? a : b;
}

}  // namespace signet
