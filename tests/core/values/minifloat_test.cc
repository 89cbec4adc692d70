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
    float beyond;  // the result for larger numbers, without saturation
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

TEST(MinifloatTest, NanIsNegativeZeroInAFormatWithoutNan) {
  for (float nan : {std::nanf(""), -std::nanf("")}) {
    float rounded = LookupMinifloat("float4_e2m1fn")->Round(nan, true);
    EXPECT_EQ(rounded, 0);
    EXPECT_TRUE(std::signbit(rounded));
  }
}

TEST(MinifloatTest, RoundsToPowersOfTwo) {
  using PowerRounding = MinifloatFormat::PowerRounding;
  const MinifloatFormat& format = *LookupMinifloat("float8_e8m0fnu");
  struct Case {
    float x, up, down, nearest;
  };
  const float least = std::ldexp(1.0f, -127);
  for (const Case& each : {Case{1, 1, 1, 1},
                           {-2, 2, 2, 2},
                           {1.1f, 2, 1, 1},
                           {1.25f, 2, 1, 1},
                           {1.5f, 2, 1, 2},
                           {-124, 128, 64, 128},
                           {0, least, least, least},
                           {-0.0f, least, least, least},
                           {least / 2, least, least, least},
                           {least * 1.5f, 2 * least, least, 2 * least},
                           {format.largest, format.largest, format.largest, format.largest}}) {
    SCOPED_TRACE(each.x);
    EXPECT_EQ(format.Round(each.x, true, PowerRounding::kUp), each.up);
    EXPECT_EQ(format.Round(each.x, true, PowerRounding::kDown), each.down);
    EXPECT_EQ(format.Round(each.x, true, PowerRounding::kNearest), each.nearest);
  }
  float beyond = 1.75f * format.largest;
  EXPECT_EQ(format.Round(beyond, true, PowerRounding::kUp), format.largest);
  EXPECT_TRUE(std::isnan(format.Round(beyond, false, PowerRounding::kUp)));
  EXPECT_EQ(format.Round(beyond, false, PowerRounding::kDown), format.largest);
  EXPECT_TRUE(std::isnan(format.Round(kInfinity, true)));
  EXPECT_TRUE(std::isnan(format.Round(std::nanf(""), true)));
  EXPECT_EQ(LookupPowerRounding("sideways"), std::nullopt);
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
