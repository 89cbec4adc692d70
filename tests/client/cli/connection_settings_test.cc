#include "client/cli/connection_settings.h"

#include <fstream>
#include <unistd.h>

#include <gmock/gmock.h>

#include "client/lib/credentials.h"

namespace signet {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class ConnectionSettingsTest : public testing::Test {
 protected:
  ConnectionSettingsTest() {
    folder_ = fs::path(testing::TempDir()) / Cat("connection_settings_", getpid());
    fs::create_directories(folder_);
  }
  ~ConnectionSettingsTest() override { fs::remove_all(folder_); }

  // Returns an environment with a configuration file.
  ConnectionEnvironment With(const std::string& config) const {
    fs::path path = folder_ / "config.toml";
    std::ofstream(path) << config;
    return {.config = path, .has_config = true};
  }

  fs::path folder_;
};

TEST_F(ConnectionSettingsTest, UsesDefaultsWithoutAFile) {
  auto settings = ResolveConnection({}, {.config = folder_ / "missing.toml"});
  ASSERT_TRUE(settings.ok()) << settings.status();
  EXPECT_EQ(settings->address, "localhost:8500");
  EXPECT_EQ(settings->timeout, 30);
  EXPECT_FALSE(UsesTls(settings->client));
  EXPECT_FALSE(ResolveConnection({.profile = "p"}, {.config = folder_ / "missing.toml"}).ok());
  EXPECT_FALSE(
      ResolveConnection({}, {.config = folder_ / "missing.toml", .has_config = true}).ok());
}

TEST_F(ConnectionSettingsTest, PrefersFlagsThenVariablesThenTheProfile) {
  ConnectionEnvironment environment = With(
      "default_profile = \"a\"\n# comment\n[a]\naddress = \"a:1\"\ntimeout = 5\nca = \"ca.pem\"\n"
      "token_file = \"/run/token\"\n\n[b]\naddress = \"b:1\"\ntls = true\n");
  auto a = ResolveConnection({}, environment);
  ASSERT_TRUE(a.ok()) << a.status();
  EXPECT_EQ(a->address, "a:1");
  EXPECT_EQ(a->timeout, 5);
  EXPECT_EQ(a->client.ca_file, (folder_ / "ca.pem").string());
  EXPECT_EQ(a->client.token_file, "/run/token");

  environment.profile = "b";
  auto b = ResolveConnection({}, environment);
  ASSERT_TRUE(b.ok()) << b.status();
  EXPECT_EQ(b->address, "b:1");
  EXPECT_TRUE(b->client.tls);
  EXPECT_EQ(b->client.token_file, "");

  environment.address = "variable:1";
  environment.token = "variable-token";
  auto c = ResolveConnection({.timeout = 7, .profile = "a", .tls = false}, environment);
  ASSERT_TRUE(c.ok()) << c.status();
  EXPECT_EQ(c->address, "variable:1");
  EXPECT_EQ(c->timeout, 7);
  EXPECT_EQ(c->client.token, "variable-token");
  EXPECT_EQ(c->client.token_file, "");
  EXPECT_FALSE(UsesTls(c->client)) << "--no_tls";

  auto d = ResolveConnection({.address = "flag:1", .ca = "flag.pem", .token_file = "flag.token"},
                             environment);
  ASSERT_TRUE(d.ok()) << d.status();
  EXPECT_EQ(d->address, "flag:1");
  EXPECT_EQ(d->client.ca_file, "flag.pem");
  EXPECT_EQ(d->client.token, "");
  EXPECT_EQ(d->client.token_file, "flag.token");
}

TEST_F(ConnectionSettingsTest, ExplainsWrongFiles) {
  const std::pair<const char*, const char*> cases[] = {
      {"[a]\nadress = \"x\"\n", "[a]: unknown key `adress`; did you mean `address`?"},
      {"[a]\ntoken = \"x\"\n", "expected the token in a file of its own"},
      {"address = \"x\"\n", "expected default_profile or a section"},
      {"[a.b]\naddress = \"x\"\n", "expected a section with a plain name"},
      {"default_profile = \"a\"\n[a]\ntls = maybe\n", "tls: expected true or false, found `maybe`"},
      {"default_profile = \"a\"\n[a]\ntimeout = 0\n", "timeout: expected seconds"},
      {"default_profile = \"b\"\n[a]\ntimeout = 1\n", "profile `b` not found"},
      {"default_profile = \"a\"\n[a]\naddress = [\"x\", \"y\"]\n", "expected one value"},
  };
  for (const auto& [text, expected] : cases) {
    Status status = ResolveConnection({}, With(text)).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_THAT(MessageOf(status), HasSubstr(expected)) << text;
  }
}

TEST(CredentialsTest, SendsTokensWithoutTlsOnlyToThisMachine) {
  for (const char* address : {"localhost:1", "127.0.0.1:1", "[::1]:1", "unix:/run/x"}) {
    EXPECT_TRUE(MakeTokenInterceptors(address, {.token = "t"}).ok()) << address;
  }
  for (const char* address : {"example.com:1", "10.0.0.1:1", "localhost.example.com:1"}) {
    EXPECT_FALSE(MakeTokenInterceptors(address, {.token = "t"}).ok()) << address;
    EXPECT_TRUE(MakeTokenInterceptors(address, {.tls = true, .token = "t"}).ok()) << address;
    EXPECT_TRUE(MakeTokenInterceptors(address, {.token = "t", .plaintext_token = true}).ok());
  }
}

TEST(CredentialsTest, RejectsContradictions) {
  EXPECT_FALSE(MakeTokenInterceptors("localhost:1", {.token = "a", .token_file = "b"}).ok());
  EXPECT_FALSE(MakeTokenInterceptors("localhost:1", {.token = "a b"}).ok());
  EXPECT_FALSE(MakeTokenInterceptors("localhost:1", {.token = "a\nb"}).ok());
  EXPECT_FALSE(MakeTokenInterceptors("localhost:1", {.token_file = "/nonexistent"}).ok());
  EXPECT_FALSE(MakeChannelCredentials({.ca_file = "/nonexistent"}).ok());
  EXPECT_FALSE(MakeChannelCredentials({.certificate_file = "/dev/null"}).ok());
  EXPECT_FALSE(MakeChannelCredentials({.ca_file = "/dev/null"}).ok()) << "no certificates";
}

}  // namespace
}  // namespace signet
