// kIsNumber: the element types that text can be converted to.

#pragma once

#include <type_traits>

namespace signet {

template <class T>
inline constexpr bool kIsNumber = (std::is_integral_v<T> && !std::is_same_v<T, bool>) ||
                                  std::is_same_v<T, float> || std::is_same_v<T, double>;

}  // namespace signet
