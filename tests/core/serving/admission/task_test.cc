#include "core/serving/admission/task.h"

#include <gtest/gtest.h>

namespace signet {
namespace {

TEST(TaskTest, PrioritiesHaveNames) {
  for (Priority priority : {Priority::kHigh, Priority::kNormal, Priority::kLow}) {
    EXPECT_EQ(ParsePriority(NameOf(priority)).value(), priority);
  }
  Status unknown = ParsePriority("urgent").status();
  EXPECT_EQ(unknown.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(MessageOf(unknown),
            "expected a priority, found `urgent`; priorities: high, normal, low");
}

TEST(TaskTest, ErrorsCarryATime) {
  Status status = WithRetryAfter(std::chrono::milliseconds(250), ResourceExhausted("full"));
  EXPECT_EQ(MessageOf(status), "full");
  EXPECT_EQ(RetryAfterOf(status), std::chrono::milliseconds(250));
  EXPECT_EQ(RetryAfterOf(ResourceExhausted("full")), std::nullopt);
  EXPECT_TRUE(WithRetryAfter(std::chrono::milliseconds(1), absl::OkStatus()).ok());
}

}  // namespace
}  // namespace signet
