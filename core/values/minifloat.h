// Minifloat: rounds numbers to floats of 4 and 8 bits.
//
// There are no dtypes for these formats. A tensor of minifloats is stored in a wider dtype, which
// contains all their values.
//
// The names are the same as in ml_dtypes and PyTorch: the bits of the exponent and of the mantissa,
// then `fn` if there are no infinities, `uz` if there is no negative zero, `u` if there is no sign.
//
// Sources: OCP 8-bit Floating Point Specification, OCP Microscaling Formats; ONNX, technical
// details of float8 and float4. Thread-safe.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace signet {

struct MinifloatFormat {
  // The meaning of the codes above the largest number.
  enum class Top : uint8_t {
    kInfinity,  // infinities, then NaN, as in IEEE 754
    kNan,       // the last code of either sign is NaN
    kNone,      // all codes are numbers
  };

  std::string_view name;
  int bits;
  int mantissa_bits;
  int bias;
  Top top;
  float largest;                  // the largest number
  bool has_negative_zero = true;  // false: its code is NaN
  bool has_sign = true;           // false: only powers of two, and no zero

  // How Round rounds numbers between two powers of two in a format without a sign.
  enum class PowerRounding : uint8_t {
    kUp,       // to the larger power
    kDown,     // to the smaller power
    kNearest,  // to the nearer power; a number halfway between them, to the larger one
  };

  float Decode(uint8_t code) const;
  // Returns the nearest number of the format; a number halfway between two, to the even code. A
  // number above the largest is replaced by the largest if `saturates` is true or the format has no
  // NaN, and otherwise by infinity or NaN, depending on the format. NaN is replaced by -0.0 in a
  // format without NaN.
  //
  // In a format without a sign, the magnitude is rounded as `rounding` says. Numbers below the
  // smallest power, including zero, are replaced by the smallest power, and infinity by NaN.
  float Round(float x, bool saturates, PowerRounding rounding = PowerRounding::kNearest) const;
};

// Returns the value for `up`, `down`, or `nearest`, or nothing for other names.
std::optional<MinifloatFormat::PowerRounding> LookupPowerRounding(std::string_view name);

std::span<const MinifloatFormat> MinifloatFormats();
const MinifloatFormat* LookupMinifloat(std::string_view name);  // null if the name is unknown

}  // namespace signet
