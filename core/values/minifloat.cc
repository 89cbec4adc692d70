#include "core/values/minifloat.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace signet {
namespace {

using Top = MinifloatFormat::Top;

constexpr MinifloatFormat kFormats[] = {
    {"float4_e2m1fn", 4, 1, 1, Top::kNone, 6},
    {"float8_e4m3fn", 8, 3, 7, Top::kNan, 448},
    {"float8_e4m3fnuz", 8, 3, 8, Top::kNone, 240, false},
    {"float8_e5m2", 8, 2, 15, Top::kInfinity, 57344},
    {"float8_e5m2fnuz", 8, 2, 16, Top::kNone, 57344, false},
    {"float8_e8m0fnu", 8, 0, 127, Top::kNan, 0x1p127F, true, false},
};

constexpr float kNanValue = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinityValue = std::numeric_limits<float>::infinity();

float RoundToPower(float x, bool saturates, MinifloatFormat::PowerRounding rounding,
                   float largest) {
  if (!std::isfinite(x)) return kNanValue;
  const float least = 1 / largest;
  if (x <= least) return least;
  const float below = std::ldexp(1.0F, std::ilogb(x));
  bool up = false;
  switch (rounding) {
    case MinifloatFormat::PowerRounding::kUp:
      up = x > below;
      break;
    case MinifloatFormat::PowerRounding::kDown:
      break;
    case MinifloatFormat::PowerRounding::kNearest:
      up = x >= 1.5F * below;
      break;
  }
  if (!up) return below;
  if (below < largest) return 2 * below;
  return saturates ? largest : kNanValue;
}

}  // namespace

float MinifloatFormat::Decode(uint8_t code) const {
  int sign = has_sign ? 1 << (bits - 1) : 0;
  int all = (has_sign ? sign : 1 << bits) - 1;  // the bits without the sign
  int magnitude = code & all;
  int exponent = magnitude >> mantissa_bits;
  int mantissa = magnitude & ((1 << mantissa_bits) - 1);
  bool is_negative = (code & sign) != 0;
  if (is_negative && magnitude == 0 && !has_negative_zero) return kNanValue;
  if (top == Top::kNan && magnitude == all) return kNanValue;
  float value = 0;
  if (top == Top::kInfinity && exponent == all >> mantissa_bits) {
    // NOLINTNEXTLINE(bugprone-narrowing-conversions): both are floats.
    value = mantissa == 0 ? kInfinityValue : kNanValue;
  } else if (exponent == 0 && has_sign) {
    value = std::ldexp(static_cast<float>(mantissa), 1 - bias - mantissa_bits);
  } else {
    value = std::ldexp(static_cast<float>(mantissa | 1 << mantissa_bits),
                       exponent - bias - mantissa_bits);
  }
  return is_negative ? -value : value;
}

float MinifloatFormat::Round(float x, bool saturates, PowerRounding rounding) const {
  if (!has_sign) return RoundToPower(std::abs(x), saturates, rounding, largest);
  const bool has_nan = top != Top::kNone || !has_negative_zero;
  if (std::isnan(x)) return has_nan ? x : -0.0F;
  float magnitude = std::abs(x);
  if (std::isfinite(magnitude) && magnitude > 0) {
    // Near `magnitude`, the distance between numbers is the value of the last bit of the mantissa.
    int exponent = std::max(std::ilogb(magnitude), 1 - bias);
    float spacing = std::ldexp(1.0f, exponent - mantissa_bits);
    magnitude = std::nearbyint(magnitude / spacing) * spacing;
  }
  if (magnitude > largest) {
    magnitude = saturates || !has_nan   ? largest
                : top == Top::kInfinity ? kInfinityValue
                                        : kNanValue;
  }
  if (magnitude == 0 && !has_negative_zero) return 0;
  return std::copysign(magnitude, x);
}

std::optional<MinifloatFormat::PowerRounding> LookupPowerRounding(std::string_view name) {
  using PowerRounding = MinifloatFormat::PowerRounding;
  if (name == "up") return PowerRounding::kUp;
  if (name == "down") return PowerRounding::kDown;
  if (name == "nearest") return PowerRounding::kNearest;
  return std::nullopt;
}

std::span<const MinifloatFormat> MinifloatFormats() { return kFormats; }

const MinifloatFormat* LookupMinifloat(std::string_view name) {
  for (const MinifloatFormat& format : kFormats) {
    if (format.name == name) return &format;
  }
  return nullptr;
}

}  // namespace signet
