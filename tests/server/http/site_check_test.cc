#include "server/http/site_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace signet {
namespace {

using testing::HasSubstr;

HttpRequest Request(const std::string& method, HttpHeaders headers, bool is_https = false) {
  HttpRequest request;
  request.is_https = is_https;
  request.method = method;
  request.path = "/";
  request.headers = std::move(headers);
  return request;
}

TEST(SiteCheckTest, AcceptsAddressesAndNamesOfThisMachine) {
  const SiteCheck check({});
  auto accepts = [&](const std::string& host) {
    return check.Check(Request("GET", {{"Host", host}})).ok();
  };
  for (const char* host : {"", "127.0.0.1", "127.0.0.1:8501", "[::1]", "[::1]:8501", "10.0.3.17",
                           "[fe80::1%25eth0]:80", "localhost:8501", "LocalHost", "localhost.",
                           "signet", "shop.localhost:3000", "box.local", "host.docker.internal",
                           "signet.models.svc", "signet.models.svc.cluster.local:8501"}) {
    EXPECT_TRUE(accepts(host)) << host;
  }
  for (const char* host : {"evil.example", "evil.example:8501", "127.0.0.1.evil.example",
                           "localhost.evil.example", "evil.com.", "evillocalhost.com", "[evil.com]",
                           "1.2.3.4.5", "evil.svc.com", "a.local.com:80"}) {
    EXPECT_FALSE(accepts(host)) << host;
  }
  EXPECT_THAT(std::string(MessageOf(check.Check(Request("GET", {{"Host", "a.b:1"}})))),
              HasSubstr("--http_hosts a.b"));
  // A browser compares the name with the certificate.
  EXPECT_TRUE(check.Check(Request("GET", {{"Host", "models.example.com"}}, true)).ok());
}

TEST(SiteCheckTest, AcceptsPermittedHosts) {
  const SiteCheck check({.hosts = {"Models.example.com", "*.shop.example"}});
  auto accepts = [&](const std::string& host, bool is_https = false) {
    return check.Check(Request("GET", {{"Host", host}}, is_https)).ok();
  };
  EXPECT_TRUE(accepts("models.example.com:443") && accepts("a.b.shop.example"));
  EXPECT_TRUE(accepts("127.0.0.1:8501") && accepts("localhost"));
  EXPECT_FALSE(accepts("shop.example") || accepts("example.com") || accepts("evilshop.example"));
  EXPECT_FALSE(accepts("evil.example", /*is_https=*/true));
  EXPECT_TRUE(SiteCheck({.hosts = {"*"}}).Check(Request("GET", {{"Host", "a.b"}})).ok());
}

TEST(SiteCheckTest, RejectsPagesOfOtherSites) {
  const SiteCheck check({.origins = {"https://shop.example"}});
  auto accepts = [&](const std::string& method, HttpHeaders headers) {
    headers.emplace_back("Host", "localhost:8501");
    return check.Check(Request(method, std::move(headers))).ok();
  };
  for (const char* method : {"POST", "PUT", "DELETE", "PATCH", "OPTIONS"}) {
    EXPECT_TRUE(accepts(method, {})) << method;
    EXPECT_TRUE(accepts(method, {{"Origin", "http://localhost:8501"}})) << method;
    EXPECT_TRUE(accepts(method, {{"Origin", "https://shop.example"}})) << method;
    EXPECT_TRUE(accepts(method, {{"Sec-Fetch-Site", "same-origin"}})) << method;
    EXPECT_TRUE(accepts(method, {{"Sec-Fetch-Site", "none"}})) << method;
    EXPECT_TRUE(
        accepts(method, {{"Origin", "https://shop.example"}, {"Sec-Fetch-Site", "cross-site"}}));
    for (const char* origin :
         {"http://evil.example", "null", "", "http://localhost", "http://localhost:8502",
          "http://localhost:8501.evil.example", "https://shop.example.evil", "http://shop.example",
          "localhost:8501"}) {
      EXPECT_FALSE(accepts(method, {{"Origin", origin}})) << method << " " << origin;
    }
    EXPECT_FALSE(
        accepts(method, {{"origin", "http://localhost:8501"}, {"Origin", "http://evil.example"}}));
    EXPECT_FALSE(accepts(method, {{"Sec-Fetch-Site", "cross-site"}})) << method;
    EXPECT_FALSE(accepts(method, {{"Sec-Fetch-Site", "same-site"}})) << method;
    EXPECT_FALSE(
        accepts(method, {{"Origin", "http://localhost:8501"}, {"Sec-Fetch-Site", "cross-site"}}));
  }
  EXPECT_TRUE(accepts("GET", {{"Origin", "http://evil.example"}}));
  EXPECT_TRUE(accepts("HEAD", {{"Sec-Fetch-Site", "cross-site"}}));
  // A preflight request has a response of its own.
  EXPECT_TRUE(accepts(
      "OPTIONS", {{"Origin", "http://evil.example"}, {"Access-Control-Request-Method", "POST"}}));
  const SiteCheck any({.origins = {"*"}});
  EXPECT_TRUE(any.Check(Request("POST", {{"Host", "localhost"}, {"Origin", "null"}})).ok());
}

// Ports that the scheme implies may be left out.
TEST(SiteCheckTest, ComparesOriginsWithTheHost) {
  const SiteCheck check({.hosts = {"*"}});
  auto accepts = [&](const char* host, const char* origin) {
    return check.Check(Request("POST", {{"Host", host}, {"Origin", origin}})).ok();
  };
  EXPECT_TRUE(accepts("a.example", "https://a.example") &&
              accepts("a.example:443", "https://a.example"));
  EXPECT_TRUE(accepts("a.example", "http://A.example:80") && accepts("[::1]:80", "http://[::1]"));
  EXPECT_FALSE(accepts("a.example", "http://a.example:443") ||
               accepts("a.example:81", "http://a.example"));
}

TEST(SiteCheckTest, ChecksTheFlag) {
  for (const char* host :
       {"*", "models.example.com", "*.example.com", "10.0.0.1", "[::1]", "a_b"}) {
    EXPECT_TRUE(CheckHostName(host).ok()) << host;
  }
  for (const char* host : {"", "*.", "https://a.example", "a.example:80", "a b", "a/b", "*.*"}) {
    EXPECT_FALSE(CheckHostName(host).ok()) << host;
  }
}

}  // namespace
}  // namespace signet
