#include "server/errors.h"

#include <gtest/gtest.h>

#include "client/errors.h"

namespace signet {
namespace {

TEST(ErrorsTest, CarriesReasonAndField) {
  Status status = WithField("recipe", WithField("ids", Refuse("TYPE_MISMATCH", "no `int64[]`")));
  Status received = StatusOf(GrpcStatusOf(status));
  EXPECT_EQ(received.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(MessageOf(received), "no `int64[]`");
  EXPECT_EQ(ReasonOf(received), "TYPE_MISMATCH");
  EXPECT_EQ(FieldOf(received), "recipe.ids");
}

TEST(ErrorsTest, NamesTheCodeWhereThereIsNoReason) {
  EXPECT_EQ(ReasonOf(StatusOf(GrpcStatusOf(NotFound("no model")))), "NOT_FOUND");
}

TEST(ErrorsTest, FitsIntoTrailingMetadata) {
  const std::string kTexts[] = {std::string(100'000, 'a'), std::string(100'000, '\n'),
                                std::string(100'000, '\xff')};
  for (const std::string& text : kTexts) {
    grpc::Status status = GrpcStatusOf(WithField(text, InvalidArgument(text)));
    size_t encoded = 0;
    for (char c : status.error_message()) encoded += c == 'a' || c == '.' || c == '?' ? 1 : 3;
    EXPECT_LT(encoded + status.error_details().size() * 4 / 3, 7u << 10);
  }
}

TEST(ErrorsTest, SendsOnlyUtf8) {
  grpc::Status status = GrpcStatusOf(NotFound("no model `\xff\xc3\xa9\xe2\x82`"));
  EXPECT_EQ(status.error_message(), "no model `?\xc3\xa9??`");
}

}  // namespace
}  // namespace signet
