#include "core/values/plain_numbers.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace signet {
namespace {

TEST(PlainNumbersTest, IntegersStopAtTheEndsOfTheirDType) {
  for (const DTypeInfo& info : AllDTypes()) {
    if (!IsInteger(info.dtype)) continue;
    SCOPED_TRACE(info.name);
    auto bits = static_cast<int>(info.size * 8);
    bool is_signed = info.family == DTypeClass::kSignedInteger;
    absl::int128 high = (absl::int128(1) << (is_signed ? bits - 1 : bits)) - 1;
    absl::int128 low = is_signed ? -high - 1 : absl::int128(0);
    GrowingBuffer out;
    EXPECT_TRUE(AppendInt(info.dtype, high, out).ok());
    EXPECT_TRUE(AppendInt(info.dtype, low, out).ok());
    EXPECT_EQ(out.size(), 2 * info.size);
    for (absl::int128 beyond : {high + 1, low - 1}) {
      Status status = AppendInt(info.dtype, beyond, out);
      EXPECT_EQ(status.code(), absl::StatusCode::kOutOfRange);
      EXPECT_EQ(ReasonOf(status), "OUT_OF_RANGE");
    }
    EXPECT_EQ(ReasonOf(AppendFloat(info.dtype, 2.0, out)), "DTYPE_MISMATCH");
    EXPECT_EQ(ReasonOf(AppendBool(info.dtype, true, out)), "DTYPE_MISMATCH");
  }
}

TEST(PlainNumbersTest, FloatsRoundButNeverBecomeInfinite) {
  struct Case {
    DType dtype;
    double largest, too_large;
  } const cases[] = {
      {DType::kFloat16, 65519.0, 65520.0},
      {DType::kBFloat16, 3.39e38, 3.4e38},
      {DType::kFloat32, 3.4028235e38, 3.5e38},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(NameOf(c.dtype));
    GrowingBuffer out;
    EXPECT_TRUE(AppendFloat(c.dtype, c.largest, out).ok());
    EXPECT_EQ(ReasonOf(AppendFloat(c.dtype, c.too_large, out)), "OUT_OF_RANGE");
    EXPECT_EQ(ReasonOf(AppendFloat(c.dtype, -c.too_large, out)), "OUT_OF_RANGE");
    EXPECT_TRUE(AppendFloat(c.dtype, std::numeric_limits<double>::infinity(), out).ok());
    EXPECT_TRUE(AppendFloat(c.dtype, std::nan(""), out).ok());
  }
}

TEST(PlainNumbersTest, LargeIntegersRoundOnce) {
  // Through float64 this would become 2^60, which is even.
  GrowingBuffer out;
  EXPECT_TRUE(
      AppendInt(DType::kFloat32, (absl::int128(1) << 60) + (int64_t{1} << 36) + 1, out).ok());
  float value;
  Buffer bytes = std::move(out).Finish();
  std::memcpy(&value, bytes.data(), sizeof(value));
  EXPECT_EQ(value, std::ldexp(1.0f, 60) + std::ldexp(1.0f, 37));
}

}  // namespace
}  // namespace signet
