#include "server/observability/otlp_connection.h"

#include <gmock/gmock.h>

namespace signet {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::Pair;

TEST(OtlpConnectionTest, ParsesHeaders) {
  auto headers = ParseOtlpHeaders(
      "# of the collector\n\n  Authorization:  Bearer a:b \r\nx-tenant: \nx-tenant: 7");
  ASSERT_TRUE(headers.ok()) << headers.status();
  EXPECT_THAT(*headers, testing::ElementsAre(Pair("authorization", "Bearer a:b"),
                                             Pair("x-tenant", ""), Pair("x-tenant", "7")));
  EXPECT_THAT(*ParseOtlpHeaders(""), testing::IsEmpty());
}

TEST(OtlpConnectionTest, RejectsWrongHeadersWithoutTheirValues) {
  for (const char* text :
       {"x: 1\nsecret", "x: 1\n: secret", "x: 1\na b: secret", "x: 1\ngrpc-timeout: secret",
        "x: 1\nx-bin: secret", "x: 1\nx: secret\x01", "x: 1\nx: secr\xc3\xa9t"}) {
    Status status = ParseOtlpHeaders(text).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_THAT(std::string(MessageOf(status)), HasSubstr("line 2")) << text;
    EXPECT_THAT(std::string(MessageOf(status)), Not(HasSubstr("secr"))) << text;
  }
}

TEST(OtlpConnectionTest, RejectsFilesThatDoNotExist) {
  OtlpOptions options{.endpoint = "localhost:4317", .tls = true, .ca = "/none/ca.pem"};
  EXPECT_THAT(std::string(MessageOf(OtlpConnection::Open(options).status())),
              HasSubstr("--otlp_ca: cannot read"));
  options = {.endpoint = "localhost:4317", .headers_file = "/none"};
  EXPECT_THAT(std::string(MessageOf(OtlpConnection::Open(options).status())),
              HasSubstr("--otlp_headers_file: cannot read"));
}

}  // namespace
}  // namespace signet
