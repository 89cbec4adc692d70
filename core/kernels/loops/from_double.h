// FromDouble: converts a double to any numeric dtype.

#pragma once

#include <type_traits>

#include "signet/dtype.h"

namespace signet {

template <class T>
T FromDouble(double value) {
  if constexpr (std::is_same_v<T, Float16>) {
    return ToFloat16(static_cast<float>(value));
  } else if constexpr (std::is_same_v<T, BFloat16>) {
    return ToBFloat16(static_cast<float>(value));
  } else if constexpr (std::is_same_v<T, bool>) {
    return value != 0;
  } else if constexpr (std::is_integral_v<T>) {
    // Out of range: the nearest limit of the dtype, or 0 for NaN.
    if (!(value > static_cast<double>(std::numeric_limits<T>::lowest()))) {
      return value != value ? T(0) : std::numeric_limits<T>::lowest();
    }
    if (value >= static_cast<double>(std::numeric_limits<T>::max()))
      return std::numeric_limits<T>::max();
    return static_cast<T>(value);
  } else if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(value);
  } else {
    return T(static_cast<typename T::value_type>(value));
  }
}

}  // namespace signet
