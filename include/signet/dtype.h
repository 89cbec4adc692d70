// DType: the element type of a tensor.
//
//   signet::DType dtype = signet::DTypeOf<float>::value;  // DType::kFloat32
//   std::string_view name = signet::NameOf(dtype);        // float32
//
// Sizes are in bytes. A string tensor has no element size: its data are int64 offsets and bytes.

#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "signet/status.h"

namespace signet {

// The numbers are the same as in proto/signet/v1/types.proto.
enum class DType : uint8_t {
  kBool = 1,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kUInt8,
  kUInt16,
  kUInt32,
  kUInt64,
  kFloat16,
  kBFloat16,
  kFloat32,
  kFloat64,
  kComplex64,
  kComplex128,
  kString,
};

// Storage of the two half-width floats. Arithmetic on them is done in float32 (core/kernels).
struct Float16 {
  uint16_t bits;
  bool operator==(const Float16&) const = default;
};
struct BFloat16 {
  uint16_t bits;
  bool operator==(const BFloat16&) const = default;
};

float ToFloat(Float16 value);
float ToFloat(BFloat16 value);
// Rounds to nearest, ties to even. Finite values beyond the largest number are converted to
// infinity.
Float16 ToFloat16(float value);
BFloat16 ToBFloat16(float value);

enum class DTypeClass : uint8_t {
  kBool,
  kSignedInteger,
  kUnsignedInteger,
  kFloat,
  kComplex,
  kString
};

struct DTypeInfo {
  DType dtype;
  std::string_view name;  // as in the notation: `float32`
  size_t size;            // bytes per element; 0 for string
  DTypeClass family;
};

// All dtypes, in enumerator order.
std::span<const DTypeInfo> AllDTypes();

const DTypeInfo& InfoOf(DType dtype);
inline std::string_view NameOf(DType dtype) { return InfoOf(dtype).name; }
inline size_t SizeOf(DType dtype) { return InfoOf(dtype).size; }
inline bool IsInteger(DType dtype) {
  auto family = InfoOf(dtype).family;
  return family == DTypeClass::kSignedInteger || family == DTypeClass::kUnsignedInteger;
}
inline bool IsFloat(DType dtype) { return InfoOf(dtype).family == DTypeClass::kFloat; }
inline bool IsComplex(DType dtype) { return InfoOf(dtype).family == DTypeClass::kComplex; }
inline bool IsNumeric(DType dtype) {
  return IsInteger(dtype) || IsFloat(dtype) || IsComplex(dtype);
}

std::optional<DType> LookupDType(std::string_view name);
// Returns true if `number` is an enumerator.
bool IsDType(int number);

template <class T>
struct TypeTag {
  using type = T;
};

// Maps the C++ type T to the DType that is stored as T.
template <class T>
struct DTypeOf;

// clang-format off: one per line
#define SIGNET_DTYPES(X)               \
  X(bool, kBool)                       \
  X(int8_t, kInt8)                     \
  X(int16_t, kInt16)                   \
  X(int32_t, kInt32)                   \
  X(int64_t, kInt64)                   \
  X(uint8_t, kUInt8)                   \
  X(uint16_t, kUInt16)                 \
  X(uint32_t, kUInt32)                 \
  X(uint64_t, kUInt64)                 \
  X(Float16, kFloat16)                 \
  X(BFloat16, kBFloat16)               \
  X(float, kFloat32)                   \
  X(double, kFloat64)                  \
  X(std::complex<float>, kComplex64)   \
  X(std::complex<double>, kComplex128) \
  X(std::string_view, kString)
// clang-format on
#define SIGNET_DTYPE_OF(T, D)                \
  template <>                                \
  struct DTypeOf<T> {                        \
    static constexpr DType value = DType::D; \
  };
SIGNET_DTYPES(SIGNET_DTYPE_OF)
#undef SIGNET_DTYPE_OF

// Calls `visit(TypeTag<T>{})` with the C++ type of `dtype`, which is std::string_view for strings.
template <class Visitor>
decltype(auto) VisitDType(DType dtype, Visitor&& visit) {
  switch (dtype) {
#define SIGNET_VISIT(T, D) \
  case DType::D:           \
    return visit(TypeTag<T>{});
    SIGNET_DTYPES(SIGNET_VISIT)
#undef SIGNET_VISIT
  }
  __builtin_unreachable();
}

}  // namespace signet
