#include "signet/dtype.h"

#include <bit>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace signet {
namespace {

TEST(DTypeTest, TableIsInEnumeratorOrderAndNamesReadBack) {
  int number = 0;
  for (const DTypeInfo& info : AllDTypes()) {
    SCOPED_TRACE(info.name);
    EXPECT_EQ(static_cast<int>(info.dtype), ++number);
    EXPECT_TRUE(IsDType(number));
    EXPECT_EQ(LookupDType(info.name), info.dtype);
    EXPECT_EQ(&InfoOf(info.dtype), &info);
  }
  EXPECT_FALSE(IsDType(0));
  EXPECT_FALSE(IsDType(number + 1));
  EXPECT_EQ(LookupDType("float"), std::nullopt);
}

TEST(DTypeTest, VisitGivesTheStorageType) {
  for (const DTypeInfo& info : AllDTypes()) {
    size_t size =
        VisitDType(info.dtype, [](auto tag) { return sizeof(typename decltype(tag)::type); });
    if (info.dtype == DType::kString) continue;
    EXPECT_EQ(size, info.size) << info.name;
  }
}

TEST(DTypeTest, EveryHalfFloatReadsBack) {
  for (uint32_t bits = 0; bits <= 0xffff; ++bits) {
    Float16 half{static_cast<uint16_t>(bits)};
    BFloat16 brain{static_cast<uint16_t>(bits)};
    EXPECT_TRUE(std::isnan(ToFloat(half)) || ToFloat16(ToFloat(half)) == half) << bits;
    EXPECT_TRUE(std::isnan(ToFloat(brain)) || ToBFloat16(ToFloat(brain)) == brain) << bits;
  }
}

TEST(DTypeTest, HalvesRoundToNearestEven) {
  struct Case {
    float value;
    uint16_t half;
    uint16_t brain;
  } const cases[] = {
      {0.0f, 0x0000, 0x0000},
      {-0.0f, 0x8000, 0x8000},
      {1.0f, 0x3c00, 0x3f80},
      {65504.0f, 0x7bff, 0x4780},
      {65519.9f, 0x7bff, 0x4780},
      {65520.0f, 0x7c00, 0x4780},
      {1.0f + 1.0f / 2048, 0x3c00, 0x3f80},  // half way: to even
      {1.0f + 3.0f / 2048, 0x3c02, 0x3f80},
      {6e-8f, 0x0001, 0x3381},
      {2e-8f, 0x0000, 0x32ac},
      {std::numeric_limits<float>::infinity(), 0x7c00, 0x7f80},
      {std::numeric_limits<float>::max(), 0x7c00, 0x7f80},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.value);
    EXPECT_EQ(ToFloat16(c.value).bits, c.half);
    EXPECT_EQ(ToBFloat16(c.value).bits, c.brain);
  }
  EXPECT_TRUE(std::isnan(ToFloat(ToFloat16(std::nanf("")))));
  EXPECT_TRUE(std::isnan(ToFloat(ToBFloat16(std::nanf("")))));
  // A NaN whose payload is in the low bits only stays one.
  EXPECT_TRUE(std::isnan(ToFloat(ToBFloat16(std::bit_cast<float>(0x7f800001u)))));
}

}  // namespace
}  // namespace signet
