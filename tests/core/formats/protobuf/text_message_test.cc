#include "core/formats/protobuf/text_message.h"

#include <gmock/gmock.h>

#include "signet/v1/settings.pb.h"

namespace signet {
namespace {

std::string ErrorOf(std::string_view text) {
  v1::ModelSettings settings;
  return std::string(MessageOf(ParseTextMessage(text, settings)));
}

TEST(TextMessageTest, ParsesText) {
  v1::ModelSettings settings;
  ASSERT_TRUE(ParseTextMessage("scheduling { weight: 2 }  # twice", settings).ok());
  EXPECT_EQ(settings.scheduling().weight(), 2);
  EXPECT_TRUE(ParseTextMessage("", settings).ok());
}

TEST(TextMessageTest, NamesTheNearestField) {
  EXPECT_EQ(ErrorOf("\nscheduling { weigth: 2 }"),
            "line 2, column 20: message type \"signet.v1.Scheduling\" has no field named "
            "\"weigth\"; the nearest is `weight`");
}

TEST(TextMessageTest, ListsTheFieldsIfNoneIsNear) {
  EXPECT_THAT(ErrorOf("warm_up { zzz: 2 }"), testing::HasSubstr("; fields: `"));
}

TEST(TextMessageTest, ReportsTheFirstError) {
  EXPECT_THAT(ErrorOf("load: SOON labels: 3"), testing::HasSubstr("\"SOON\" for field \"load\""));
  EXPECT_THAT(ErrorOf("scheduling {"), testing::StartsWith("line 1, column "));
}

}  // namespace
}  // namespace signet
