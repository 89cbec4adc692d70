#include "server/protocols/signet/errors.h"

#include <gtest/gtest.h>

#include "client/lib/errors.h"
#include "core/describe/error_message.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"

namespace signet {
namespace {

TEST(ErrorsTest, CarriesReasonAndField) {
  Status status =
      WithField("recipe", WithField("ids", InvalidWithReason("TYPE_MISMATCH", "no `int64[]`")));
  Status received = StatusOf(GrpcStatusOf(status));
  EXPECT_EQ(received.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(MessageOf(received), "no `int64[]`");
  EXPECT_EQ(ReasonOf(received), "TYPE_MISMATCH");
  EXPECT_EQ(FieldOf(received), "recipe.ids");
}

TEST(ErrorsTest, UsesTheCodeAsTheDefaultReason) {
  EXPECT_EQ(ReasonOf(StatusOf(GrpcStatusOf(NotFound("no model")))), "NOT_FOUND");
}

TEST(ErrorsTest, FitsIntoTrailingMetadata) {
  std::string accents;
  for (int i = 0; i < 50'000; ++i) accents.append("\xc3\xa9");
  const std::string kTexts[] = {std::string(100'000, 'a'), std::string(100'000, '\n'),
                                std::string(100'000, '\xff'), accents};
  for (const std::string& text : kTexts) {
    grpc::Status status = GrpcStatusOf(WithField(text, InvalidArgument(text)));
    size_t encoded = 0;
    for (char c : status.error_message()) encoded += c >= ' ' && c <= '~' ? 1 : 3;
    EXPECT_LE(encoded, 2000u);
    EXPECT_LT(status.error_details().size() * 4 / 3, 6u << 10);
    EXPECT_LT(encoded + status.error_details().size() * 4 / 3, 7u << 10);
  }
}

TEST(ErrorsTest, StatesHowMuchIsCut) {
  EXPECT_EQ(GrpcStatusOf(NotFound(std::string(2000, 'a'))).error_message(), std::string(2000, 'a'));
  EXPECT_EQ(GrpcStatusOf(NotFound(std::string(3000, 'a'))).error_message(),
            std::string(1960, 'a') + " ... (1040 bytes more)");
  EXPECT_EQ(ErrorToMessage(NotFound(std::string(1 << 20, 'a'))).message(),
            std::string(31'960, 'a') + " ... (1016616 bytes more)");
  // A character of two bytes is six bytes when it is encoded. The cut is between characters.
  std::string accents;
  for (int i = 0; i < 400; ++i) accents.append("\xc3\xa9");
  std::string message = GrpcStatusOf(NotFound(accents)).error_message();
  EXPECT_EQ(message, accents.substr(0, 652) + " ... (148 bytes more)");
}

TEST(ErrorsTest, CutsPathsAndDescriptions) {
  google::rpc::Status details;
  grpc::Status status =
      GrpcStatusOf(WithField(std::string(300, 'f'), NotFound(std::string(600, 'a'), "\nsecond")));
  ASSERT_TRUE(details.ParseFromString(status.error_details()));
  EXPECT_EQ(details.message(), status.error_message());  // clients require equal messages
  ASSERT_EQ(details.details_size(), 2);
  google::rpc::BadRequest bad_request;
  ASSERT_TRUE(details.details(1).UnpackTo(&bad_request));
  ASSERT_EQ(bad_request.field_violations_size(), 1);
  EXPECT_EQ(bad_request.field_violations(0).field(),
            std::string(216, 'f') + " ... (84 bytes more)");
  EXPECT_EQ(bad_request.field_violations(0).description(),
            std::string(472, 'a') + " ... (128 bytes more)");
}

TEST(ErrorsTest, SendsOnlyUtf8) {
  grpc::Status status = GrpcStatusOf(NotFound("no model `\xff\xc3\xa9\xe2\x82`"));
  EXPECT_EQ(status.error_message(), "no model `\\xff\xc3\xa9\\xe2\\x82`");
}

}  // namespace
}  // namespace signet
