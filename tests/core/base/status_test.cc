#include "signet/status.h"

#include <gtest/gtest.h>

namespace signet {
namespace {

TEST(StatusTest, PlacesAreAddedOnTheWayUp) {
  Status status = At("argument `x`", At("row 3", InvalidArgument("expected 48 bytes, found ", 44)));
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(MessageOf(status), "argument `x`: row 3: expected 48 bytes, found 44");
  EXPECT_TRUE(At("nowhere", absl::OkStatus()).ok());
}

TEST(StatusTest, ReasonAndFieldGoWithTheSentence) {
  Status status = At("place", WithField("a", WithField("b[2]", InvalidWithReason("WHY", "what"))));
  EXPECT_EQ(ReasonOf(status), "WHY");
  EXPECT_EQ(FieldOf(status), "a.b[2]");
  EXPECT_EQ(FieldOf(WithField("a", WithField("[2]", InvalidWithReason("WHY", "what")))), "a[2]");
  EXPECT_EQ(ReasonOf(InvalidArgument("plain")), "");
  EXPECT_TRUE(WithReason("WHY", absl::OkStatus()).ok());
}

StatusOr<int> Half(int n) {
  if (n % 2 != 0) return InvalidArgument(n, " is odd");
  return n / 2;
}

StatusOr<int> Quarter(int n) {
  SIGNET_ASSIGN_OR_RETURN(int half, Half(n));
  SIGNET_RETURN_IF_ERROR(Half(half).status());
  return Half(half);
}

TEST(StatusTest, MacrosReturnTheFirstError) {
  EXPECT_EQ(*Quarter(8), 2);
  EXPECT_EQ(MessageOf(Quarter(7).status()), "7 is odd");
  EXPECT_EQ(MessageOf(Quarter(6).status()), "3 is odd");
}

TEST(StatusDeathTest, CheckEndsTheProgram) { EXPECT_DEATH(SIGNET_CHECK(1 == 2), "1 == 2"); }

}  // namespace
}  // namespace signet
