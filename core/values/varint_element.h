// VarintElement, ElementOfVarint: elements in the varint fields of tensorflow.TensorProto.
//
// Source: tensor.proto of TensorFlow. `half_val` has the bits of float16 and bfloat16 in an int32;
// `int_val` has the small integer types.

#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <type_traits>

#include "signet/dtype.h"

namespace signet {

// The types whose elements are in varint fields.
template <class T>
concept VarintElement =
    std::is_integral_v<T> || std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>;

// Returns the element that T stores, or nothing if T cannot hold the number.
template <VarintElement T>
std::optional<T> ElementOfVarint(uint64_t number) {
  if constexpr (std::is_same_v<T, bool>) {
    return number != 0;
  } else if constexpr (std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>) {
    const auto bits = static_cast<int32_t>(number);
    if (bits < std::numeric_limits<int16_t>::min() || bits > std::numeric_limits<uint16_t>::max()) {
      return std::nullopt;
    }
    return T{static_cast<uint16_t>(bits)};
  } else if constexpr (sizeof(T) >= 4) {
    return static_cast<T>(number);  // the field has the same width
  } else {
    const auto value = static_cast<int32_t>(number);
    if (value < std::numeric_limits<T>::min() || value > std::numeric_limits<T>::max()) {
      return std::nullopt;
    }
    return static_cast<T>(value);
  }
}

}  // namespace signet
