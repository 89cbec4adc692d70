#include "core/values/plain_numbers.h"

#include <cmath>
#include <limits>

#include "signet/literal.h"

namespace signet {
namespace {

std::string TextOf(absl::int128 value) {
  bool fits = value >= INT64_MIN && value <= absl::int128(UINT64_MAX);
  return fits ? Literal::Int(value).ToString() : Cat(static_cast<double>(value));
}

Status NotOf(DType dtype, std::string_view found) {
  return InvalidWithReason("DTYPE_MISMATCH", "expected ", PlainFormOf(dtype), " for `",
                           NameOf(dtype), "`, found `", found, "`");
}

template <class T>
Status AppendInteger(DType dtype, absl::int128 value, GrowingBuffer& out) {
  constexpr absl::int128 kLow = std::numeric_limits<T>::min();
  constexpr absl::int128 kHigh = std::numeric_limits<T>::max();
  if (value < kLow || value > kHigh) {
    return WithReason("OUT_OF_RANGE",
                      OutOfRange("expected ", TextOf(kLow), " to ", TextOf(kHigh), " for `",
                                 NameOf(dtype), "`, found `", TextOf(value), "`"));
  }
  return out.Append(static_cast<T>(value));
}

Status TooLarge(DType dtype, std::string_view value) {
  return WithReason("OUT_OF_RANGE",
                    OutOfRange("`", value, "`; beyond the largest `", NameOf(dtype), "`"));
}

// Rounds only once: an int64 or uint64 is converted directly to `float`.
float RoundToFloat(absl::int128 value) {
  if (value >= INT64_MIN && value <= INT64_MAX) {
    return static_cast<float>(static_cast<int64_t>(value));
  }
  return static_cast<float>(value);
}

Status AppendFloat16(float value, GrowingBuffer& out, bool& fits) {
  Float16 half = ToFloat16(value);
  fits = std::isfinite(ToFloat(half)) || !std::isfinite(value);
  return out.Append(half);
}

Status AppendBFloat16(float value, GrowingBuffer& out, bool& fits) {
  BFloat16 half = ToBFloat16(value);
  fits = std::isfinite(ToFloat(half)) || !std::isfinite(value);
  return out.Append(half);
}

}  // namespace

std::string_view PlainFormOf(DType dtype) {
  switch (InfoOf(dtype).family) {
    case DTypeClass::kBool:
      return "true or false";
    case DTypeClass::kSignedInteger:
    case DTypeClass::kUnsignedInteger:
      return "an integer";
    case DTypeClass::kFloat:
      return "a number";
    case DTypeClass::kComplex:
      return "a number or [real, imaginary]";
    case DTypeClass::kString:
      return "text";
  }
  __builtin_unreachable();
}

Status AppendInt(DType dtype, absl::int128 value, GrowingBuffer& out) {
  bool fits = true;
  switch (dtype) {
    case DType::kInt8:
      return AppendInteger<int8_t>(dtype, value, out);
    case DType::kInt16:
      return AppendInteger<int16_t>(dtype, value, out);
    case DType::kInt32:
      return AppendInteger<int32_t>(dtype, value, out);
    case DType::kInt64:
      return AppendInteger<int64_t>(dtype, value, out);
    case DType::kUInt8:
      return AppendInteger<uint8_t>(dtype, value, out);
    case DType::kUInt16:
      return AppendInteger<uint16_t>(dtype, value, out);
    case DType::kUInt32:
      return AppendInteger<uint32_t>(dtype, value, out);
    case DType::kUInt64:
      return AppendInteger<uint64_t>(dtype, value, out);
    case DType::kFloat16:
      SIGNET_RETURN_IF_ERROR(AppendFloat16(RoundToFloat(value), out, fits));
      break;
    case DType::kBFloat16:
      SIGNET_RETURN_IF_ERROR(AppendBFloat16(RoundToFloat(value), out, fits));
      break;
    case DType::kFloat32:
    case DType::kComplex64:  // 2^127 is below the largest float32
      return out.Append(RoundToFloat(value));
    case DType::kFloat64:
    case DType::kComplex128:
      return out.Append(static_cast<double>(value));
    case DType::kBool:
    case DType::kString:
      return NotOf(dtype, TextOf(value));
  }
  return fits ? absl::OkStatus() : TooLarge(dtype, TextOf(value));
}

Status AppendFloat(DType dtype, double value, GrowingBuffer& out) {
  auto narrow = static_cast<float>(value);
  bool fits = std::isfinite(narrow) || !std::isfinite(value);
  switch (dtype) {
    case DType::kFloat16:
      if (fits) SIGNET_RETURN_IF_ERROR(AppendFloat16(narrow, out, fits));
      break;
    case DType::kBFloat16:
      if (fits) SIGNET_RETURN_IF_ERROR(AppendBFloat16(narrow, out, fits));
      break;
    case DType::kFloat32:
    case DType::kComplex64:
      if (fits) return out.Append(narrow);
      break;
    case DType::kFloat64:
    case DType::kComplex128:
      return out.Append(value);
    case DType::kBool:
    case DType::kInt8:
    case DType::kInt16:
    case DType::kInt32:
    case DType::kInt64:
    case DType::kUInt8:
    case DType::kUInt16:
    case DType::kUInt32:
    case DType::kUInt64:
    case DType::kString:
      return NotOf(dtype, Cat(value));
  }
  return fits ? absl::OkStatus() : TooLarge(dtype, Cat(value));
}

Status AppendBool(DType dtype, bool value, GrowingBuffer& out) {
  if (dtype != DType::kBool) return NotOf(dtype, value ? "true" : "false");
  return out.Append(value);
}

}  // namespace signet
