// Minifloats: floats of 4 and 8 bits. There are no dtypes of them; a tensor of them is held in a
// wider dtype, which has all their values.
//
// Names are those that ml_dtypes and PyTorch have: the bits of the exponent and of the mantissa,
// then `fn` where there are no infinities, `uz` where there is no negative zero, `u` without sign.
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
  // What the codes beyond the largest number are.
  enum class Top : uint8_t {
    kInfinity,  // as IEEE 754 has it: infinities, then NaN
    kNan,       // the last code of either sign is NaN
    kNone,      // numbers to the last
  };

  std::string_view name;
  int bits;
  int mantissa_bits;
  int bias;
  Top top;
  float largest;                  // number
  bool has_negative_zero = true;  // false: its code is NaN
  bool has_sign = true;           // false: powers of two, no zero

  // How Round treats numbers between two powers of two in a format without sign.
  enum class PowerRounding : uint8_t {
    kUp,       // to the larger power
    kDown,     // to the smaller power
    kNearest,  // to the nearer power; half-way cases to the larger one
  };

  float Decode(uint8_t code) const;
  // Returns the nearest number of the format, half-way cases to the even code. A number beyond the
  // largest becomes the largest with `saturates`, and in a format without NaN; otherwise infinity
  // or NaN, whichever the format has. NaN becomes -0.0 in a format without NaN.
  //
  // A format without sign rounds the magnitude, by `rounding`; zero and smaller numbers than the
  // least power become the least power, and infinity becomes NaN.
  float Round(float x, bool saturates, PowerRounding rounding = PowerRounding::kNearest) const;
};

// The value of `up`, `down` or `nearest`; nothing for other names.
std::optional<MinifloatFormat::PowerRounding> LookupPowerRounding(std::string_view name);

std::span<const MinifloatFormat> MinifloatFormats();
const MinifloatFormat* LookupMinifloat(std::string_view name);  // null: none of that name

}  // namespace signet
