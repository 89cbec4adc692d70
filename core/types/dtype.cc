#include "signet/dtype.h"

#include <array>
#include <bit>
#include <cmath>

namespace signet {
namespace {

using enum DTypeClass;

constexpr std::array<DTypeInfo, 16> kTable = {{
    {DType::kBool, "bool", 1, kBool},
    {DType::kInt8, "int8", 1, kSignedInteger},
    {DType::kInt16, "int16", 2, kSignedInteger},
    {DType::kInt32, "int32", 4, kSignedInteger},
    {DType::kInt64, "int64", 8, kSignedInteger},
    {DType::kUInt8, "uint8", 1, kUnsignedInteger},
    {DType::kUInt16, "uint16", 2, kUnsignedInteger},
    {DType::kUInt32, "uint32", 4, kUnsignedInteger},
    {DType::kUInt64, "uint64", 8, kUnsignedInteger},
    {DType::kFloat16, "float16", 2, kFloat},
    {DType::kBFloat16, "bfloat16", 2, kFloat},
    {DType::kFloat32, "float32", 4, kFloat},
    {DType::kFloat64, "float64", 8, kFloat},
    {DType::kComplex64, "complex64", 8, kComplex},
    {DType::kComplex128, "complex128", 16, kComplex},
    {DType::kString, "string", 0, kString},
}};

}  // namespace

float ToFloat(Float16 value) {
  uint32_t sign = static_cast<uint32_t>(value.bits & 0x8000u) << 16;
  uint32_t exponent = (value.bits >> 10) & 0x1fu;
  uint32_t mantissa = value.bits & 0x3ffu;
  if (exponent == 0x1f) return std::bit_cast<float>(sign | 0x7f800000u | (mantissa << 13));
  if (exponent == 0) {
    float magnitude = std::ldexp(static_cast<float>(mantissa), -24);
    return sign != 0 ? -magnitude : magnitude;
  }
  return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (mantissa << 13));
}

float ToFloat(BFloat16 value) {
  return std::bit_cast<float>(static_cast<uint32_t>(value.bits) << 16);
}

Float16 ToFloat16(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  auto sign = static_cast<uint16_t>((bits >> 16) & 0x8000u);
  uint32_t magnitude = bits & 0x7fffffffu;
  auto with_sign = [&](uint32_t half) { return Float16{static_cast<uint16_t>(sign | half)}; };
  if (magnitude > 0x7f800000u) return with_sign(0x7e00u | ((magnitude >> 13) & 0x3ffu));  // NaN
  if (magnitude >= 0x477ff000u) return with_sign(0x7c00u);  // rounds to 2^16 or more
  if (magnitude < 0x38800000u) {  // below 2^-14: subnormal, in units of 2^-24
    float scaled = std::bit_cast<float>(magnitude) * 16777216.0f;
    return with_sign(static_cast<uint32_t>(std::nearbyint(scaled)));
  }
  uint32_t rounded = magnitude + 0xfffu + ((magnitude >> 13) & 1u);
  return with_sign((rounded - 0x38000000u) >> 13);
}

BFloat16 ToBFloat16(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  if (std::isnan(value)) return {static_cast<uint16_t>((bits >> 16) | 0x40u)};
  return {static_cast<uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16)};
}

std::span<const DTypeInfo> AllDTypes() { return kTable; }

const DTypeInfo& InfoOf(DType dtype) { return kTable[static_cast<size_t>(dtype) - 1]; }

std::optional<DType> LookupDType(std::string_view name) {
  for (const DTypeInfo& info : kTable) {
    if (info.name == name) return info.dtype;
  }
  return std::nullopt;
}

bool IsDType(int number) { return number >= 1 && number <= static_cast<int>(kTable.size()); }

}  // namespace signet
