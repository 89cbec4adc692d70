#include "server/http/cors.h"

#include <gtest/gtest.h>

namespace signet {
namespace {

HttpRequest Preflight(std::string origin) {
  return {.method = "OPTIONS",
          .path = "/v1/models",
          .query = "",
          .headers = {{"Origin", std::move(origin)}, {"Access-Control-Request-Method", "POST"}},
          .peer = ""};
}

TEST(CorsTest, ChecksOrigins) {
  for (const char* origin : {"*", "https://shop.example", "http://127.0.0.1:3000"}) {
    EXPECT_TRUE(CheckCorsOrigin(origin).ok()) << origin;
  }
  for (const char* origin : {"", "shop.example", "https://", "https://shop.example/", "a b",
                             "://shop", "https://a b", "https://a\r\nX: y"}) {
    EXPECT_FALSE(CheckCorsOrigin(origin).ok()) << origin;
  }
}

TEST(CorsTest, NamesThePermittedOriginOnly) {
  const CorsOrigins origins = {"https://shop.example"};
  HttpHeaders headers;
  AddCorsHeaders(origins, Preflight("https://shop.example"), headers);
  EXPECT_EQ(FindHeader(headers, "access-control-allow-origin"), "https://shop.example");
  EXPECT_EQ(FindHeader(headers, "vary"), "Origin");
  for (const char* other : {"https://shop.example.evil", "http://shop.example", "null", ""}) {
    HttpHeaders none;
    AddCorsHeaders(origins, Preflight(other), none);
    EXPECT_EQ(FindHeader(none, "access-control-allow-origin"), "") << other;
  }
  HttpHeaders unset;
  AddCorsHeaders({}, Preflight("https://shop.example"), unset);
  EXPECT_TRUE(unset.empty());
}

TEST(CorsTest, FindsTheOriginInRejectedHeaders) {
  EXPECT_EQ(OriginInHeaders("GET / HTTP/9\r\nHost: a\r\norIGin: \t http://a.example \r\nX"),
            "http://a.example");
  for (const char* bytes : {"", "Origin: http://a\r\n", "GET /\r\nOrigin: http://a.exa",
                            "GET /\r\nOrigin: a\x01b\r\n", "GET /\r\nOrigin:\r\nX: http://a"}) {
    EXPECT_EQ(OriginInHeaders(bytes), "") << bytes;
  }
}

TEST(CorsTest, AnswersPreflightRequests) {
  auto response = PreflightResponse({"*"}, Preflight("https://any.example"));
  ASSERT_TRUE(response);
  EXPECT_EQ(response->code, 204);
  EXPECT_EQ(FindHeader(response->headers, "access-control-allow-methods"),
            "GET, HEAD, POST, OPTIONS");
  response = PreflightResponse({"https://shop.example"}, Preflight("https://any.example"));
  ASSERT_TRUE(response);
  EXPECT_EQ(FindHeader(response->headers, "access-control-allow-methods"), "");
  HttpRequest plain = Preflight("https://any.example");
  plain.method = "GET";
  EXPECT_FALSE(PreflightResponse({"*"}, plain));
  EXPECT_FALSE(PreflightResponse({}, Preflight("https://any.example")));
}

}  // namespace
}  // namespace signet
