#include "core/serving/batching/batch_settings.h"

#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

namespace signet {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

v1::Batching Parsed(const std::string& text) {
  v1::Batching settings;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &settings));
  return settings;
}

TEST(BatchSettingsTest, MissingFieldsHaveDefaults) {
  const BatchLimits limits = BatchLimitsOf({});
  EXPECT_TRUE(limits.enabled);
  EXPECT_EQ(limits.max_rows, 1024);
  EXPECT_EQ(limits.max_bytes, int64_t{64} << 20);
  EXPECT_EQ(limits.max_delay, std::chrono::milliseconds(2));
}

TEST(BatchSettingsTest, ReadsAllFields) {
  const v1::Batching settings = Parsed(
      "enabled: false max_rows: 8 max_bytes: 100 max_delay_microseconds: 50 "
      "functions { key: 'f' value { parameters: ['x', 'y'] } }");
  const BatchLimits limits = BatchLimitsOf(settings);
  EXPECT_FALSE(limits.enabled);
  EXPECT_EQ(limits.max_rows, 8);
  EXPECT_EQ(limits.max_bytes, 100);
  EXPECT_EQ(limits.max_delay, std::chrono::microseconds(50));
  EXPECT_THAT(BatchesOf(settings), ElementsAre(Pair("f", ElementsAre("x", "y"))));
}

}  // namespace
}  // namespace signet
