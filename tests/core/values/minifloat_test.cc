#include "core/values/minifloat.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace signet {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// Every number that a format has stays itself, and what lies between two goes to the nearer one.
TEST(MinifloatTest, RoundsToTheNearest) {
  for (const MinifloatFormat& format : MinifloatFormats()) {
    if (!format.has_sign) continue;
    SCOPED_TRACE(format.name);
    for (int code = 0; code + 1 < 1 << (format.bits - 1); ++code) {
      float low = format.Decode(static_cast<uint8_t>(code));
      float high = format.Decode(static_cast<uint8_t>(code + 1));
      EXPECT_EQ(format.Round(low, false), low);
      if (!std::isfinite(high) || !std::isfinite(low)) break;
      ASSERT_LT(low, high);
      float middle = (low + high) / 2;
      EXPECT_EQ(format.Round(std::nextafter(middle, low), false), low);
      EXPECT_EQ(format.Round(std::nextafter(middle, high), false), high);
      EXPECT_EQ(format.Round(-middle, false), code % 2 == 0 ? -low : -high) << middle;
    }
  }
}

TEST(MinifloatTest, TheLargestIsTheGreatestOfAllCodes) {
  for (const MinifloatFormat& format : MinifloatFormats()) {
    float greatest = 0;
    for (int code = 0; code < 1 << format.bits; ++code) {
      float x = format.Decode(static_cast<uint8_t>(code));
      if (std::isfinite(x)) greatest = std::max(greatest, x);
    }
    EXPECT_EQ(format.largest, greatest) << format.name;
  }
}

TEST(MinifloatTest, BeyondTheLargestIsWhatTheFormatHas) {
  struct Case {
    const char* name;
    float largest;
    float beyond;  // of what is larger, without saturation
    bool has_nan = true;
    bool has_negative_zero = true;
  };
  const float nan = std::nanf("");
  for (const Case& each : {Case{"float8_e4m3fn", 448, nan},
                           {"float8_e4m3fnuz", 240, nan, true, false},
                           {"float8_e5m2", 57344, kInfinity},
                           {"float8_e5m2fnuz", 57344, nan, true, false},
                           {"float4_e2m1fn", 6, 6, false}}) {
    SCOPED_TRACE(each.name);
    const MinifloatFormat& format = *LookupMinifloat(each.name);
    EXPECT_EQ(format.largest, each.largest);
    EXPECT_EQ(format.Round(each.largest * 1.01f, false), each.largest);
    for (float x : {each.largest * 1.5f, std::numeric_limits<float>::max(), kInfinity}) {
      EXPECT_EQ(format.Round(x, true), each.largest);
      EXPECT_EQ(format.Round(-x, true), -each.largest);
      float beyond = format.Round(x, false);
      EXPECT_TRUE(beyond == each.beyond || (std::isnan(beyond) && std::isnan(each.beyond)));
    }
    EXPECT_EQ(std::isnan(format.Round(nan, true)), each.has_nan);
    EXPECT_EQ(std::signbit(format.Round(-0.0f, true)), each.has_negative_zero);
    EXPECT_EQ(std::signbit(format.Round(-1e-30f, true)), each.has_negative_zero);
  }
}

TEST(MinifloatTest, PowersOfTwo) {
  const MinifloatFormat& format = *LookupMinifloat("float8_e8m0fnu");
  EXPECT_EQ(format.Decode(127), 1);
  EXPECT_EQ(format.Decode(0), std::ldexp(1.0f, -127));
  EXPECT_EQ(format.Decode(254), std::ldexp(1.0f, 127));
  EXPECT_TRUE(std::isnan(format.Decode(255)));
  EXPECT_EQ(LookupMinifloat("float8"), nullptr);
}

}  // namespace
}  // namespace signet
