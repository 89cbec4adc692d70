#include "server/security/access_control.h"

#include <filesystem>
#include <fstream>
#include <thread>

#include <absl/strings/escaping.h>
#include <gmock/gmock.h>

#include "server/security/digest.h"
#include "server/security/jwt_verifier.h"
#include "server/security/token_table.h"
#include "tests/server/test_server.h"

namespace signet {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

std::string HexOf(std::string_view token) {
  const Digest digest = DigestOf(token);
  return absl::BytesToHexString(std::string(digest.begin(), digest.end()));
}

class AccessControlTest : public testing::Test {
 protected:
  AccessControlTest() {
    folder_ = fs::path(testing::TempDir()) / Cat("access_control_test_", getpid());
    fs::create_directories(folder_);
  }
  ~AccessControlTest() override { fs::remove_all(folder_); }

  // Replaces a file.
  fs::path Write(const std::string& name, const std::string& text) const {
    fs::path path = folder_ / name;
    std::ofstream(path.string() + ".new") << text;
    fs::rename(path.string() + ".new", path);
    return path;
  }

  fs::path folder_;
};

TEST(DigestTest, ComputesSha256) {
  EXPECT_EQ(HexOf("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(ParseDigest(HexOf("abc")), DigestOf("abc"));
  EXPECT_EQ(ParseDigest("abc"), std::nullopt);
  EXPECT_EQ(ParseDigest(std::string(64, 'g')), std::nullopt);
}

TEST(TokenTableTest, ReadsNamesAndExpiries) {
  auto table = TokenTable::Parse(
      Cat("# comment\n\n ci ", HexOf("a"), "\r\nci\t", HexOf("b"), " 2030-01-31T00:00:00Z\n"));
  ASSERT_TRUE(table.ok()) << table.status();
  ASSERT_NE(table->Lookup(DigestOf("a")), nullptr);
  EXPECT_EQ(table->Lookup(DigestOf("a"))->name(), "token:ci");
  EXPECT_EQ(table->Lookup(DigestOf("b"))->expires, absl::FromUnixSeconds(1896048000));
  EXPECT_EQ(table->Lookup(DigestOf("c")), nullptr);
}

TEST(TokenTableTest, DoesNotRepeatWrongLines) {
  for (const std::string& text :
       {std::string("ci my-secret-token"), std::string("my-secret-token"),
        Cat("ci ", HexOf("a"), " my-secret-token"), Cat("ci ", HexOf("a"), " x my-secret-token"),
        Cat("a ", HexOf("a"), "\nmy-secret-token ", HexOf("a"))}) {
    Status status = TokenTable::Parse(text).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_THAT(MessageOf(status), HasSubstr("line ")) << text;
    EXPECT_THAT(MessageOf(status), Not(HasSubstr("secret"))) << text;
  }
}

TEST(UsageTest, LimitsTheRateAndTheBurst) {
  Usage usage;
  constexpr int64_t kSecond = 1'000'000'000;
  const int64_t start = 50 * kSecond;
  for (int i = 0; i < 3; ++i) EXPECT_EQ(usage.Take(2, 3, start), 0) << i;
  EXPECT_EQ(usage.Take(2, 3, start), kSecond / 2);
  EXPECT_EQ(usage.Take(2, 3, start + kSecond / 2), 0);
  EXPECT_GT(usage.Take(2, 3, start + kSecond / 2), 0);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(usage.Take(2, 3, start + 100 * kSecond), 0) << i;
  EXPECT_GT(usage.Take(2, 3, start + 100 * kSecond), 0);
}

TEST(UsageTest, LimitsCallsInFlightOnAllThreads) {
  auto usage = std::make_shared<Usage>();
  std::atomic<int> most = 0;
  std::atomic<int> begun = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < 10000; ++n) {
        if (!usage->Begin(2)) continue;
        CallSlot slot = MakeCallSlot(usage);
        int now = ++begun;
        int before = most.load();
        while (now > before && !most.compare_exchange_weak(before, now)) {
        }
        --begun;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(most.load(), 2);
  EXPECT_GE(most.load(), 1);
  EXPECT_EQ(usage->in_flight(), 0);
}

TEST_F(AccessControlTest, PermitsEverythingWithoutFlags) {
  AccessControl access;
  ASSERT_TRUE(access.Load({}).ok());
  EXPECT_FALSE(access.is_enabled());
  EXPECT_TRUE(Access().Check(Rpc::kAdmin).ok());
  EXPECT_TRUE(Access().Begin(1 << 30).ok());
}

TEST_F(AccessControlTest, RejectsMissingFilesAtTheStart) {
  AccessControl access;
  SecurityOptions options;
  options.policy_file = folder_ / "missing";
  EXPECT_THAT(MessageOf(access.Load(options)), HasSubstr("--policy_file: cannot read"));
}

TEST_F(AccessControlTest, ReloadsFilesAndKeepsTheLastCorrectOnes) {
  AccessControl access;
  SecurityOptions options;
  options.tokens_file = Write("tokens", Cat("ci ", HexOf("secret-a")));
  ASSERT_TRUE(access.Load(options).ok());
  auto reason = [&](const std::string& header) {
    return ReasonOf(access.AuthenticateToken(header).status());
  };
  EXPECT_EQ(reason("Bearer secret-a"), "");
  EXPECT_EQ(reason("bearer secret-a"), "");
  EXPECT_EQ(reason("Bearer secret-b"), "TOKEN_INVALID");
  EXPECT_EQ(reason("Bearer "), "TOKEN_INVALID");
  EXPECT_EQ(reason(""), "TOKEN_INVALID");
  EXPECT_EQ(reason("secret-a"), "TOKEN_INVALID");
  auto caller = access.AuthenticateToken("Bearer secret-a");
  ASSERT_TRUE(caller.ok());
  EXPECT_TRUE(caller->Check(Rpc::kCall, "any").ok());
  EXPECT_FALSE(caller->Check(Rpc::kAdmin).ok()) << "administration needs a policy";
  EXPECT_EQ(ReasonOf(access.Anonymous().Check(Rpc::kCall, "any")), "CREDENTIALS_MISSING");
  EXPECT_TRUE(access.Anonymous().Check(Rpc::kHealth).ok());

  auto reloaded = access.Reload();
  ASSERT_TRUE(reloaded.ok());
  EXPECT_FALSE(*reloaded) << "nothing has changed";
  Write("tokens", "ci secret-b");
  EXPECT_THAT(MessageOf(access.Reload().status()), HasSubstr("--tokens_file: line 1"));
  EXPECT_TRUE(access.Reload().ok()) << "an error is reported once";
  EXPECT_EQ(reason("Bearer secret-a"), "");
  Write("tokens", Cat("ci ", HexOf("secret-b")));
  ASSERT_TRUE(access.Reload().ok());
  EXPECT_EQ(reason("Bearer secret-a"), "TOKEN_INVALID") << "the cached check is forgotten";
  EXPECT_EQ(reason("Bearer secret-b"), "");
  fs::remove(options.tokens_file);
  EXPECT_FALSE(access.Reload().ok());
  EXPECT_EQ(reason("Bearer secret-b"), "");
}

TEST_F(AccessControlTest, ForgetsExpiredTokens) {
  AccessControl access;
  SecurityOptions options;
  const absl::Time expiry = absl::Now() + absl::Milliseconds(1500);
  options.tokens_file =
      Write("tokens", Cat("old ", HexOf("old"), " 2020-01-01T00:00:00Z\nsoon ", HexOf("soon"), " ",
                          std::string(absl::FormatTime(expiry)), "\n"));
  ASSERT_TRUE(access.Load(options).ok());
  EXPECT_EQ(ReasonOf(access.AuthenticateToken("Bearer old").status()), "TOKEN_EXPIRED");
  EXPECT_TRUE(access.AuthenticateToken("Bearer soon").ok());
  absl::SleepFor(expiry - absl::Now() + absl::Milliseconds(1));
  EXPECT_EQ(ReasonOf(access.AuthenticateToken("Bearer soon").status()), "TOKEN_EXPIRED");
  EXPECT_EQ(ReasonOf(access.AuthenticateToken("Bearer soon").status()), "TOKEN_EXPIRED");
}

TEST_F(AccessControlTest, AppliesLimitsToEachIdentity) {
  AccessControl access;
  SecurityOptions options;
  options.tokens_file =
      Write("tokens", Cat("a ", HexOf("a1"), "\na ", HexOf("a2"), "\nb ", HexOf("b1"), "\n"));
  options.policy_file = Write("policy", R"pb(
    roles { name: "all" members: "authenticated" }
    rules { roles: "all" rpcs: CALL models: "*" }
    limits { roles: "all" concurrent_calls: 1 request_bytes: 10 }
  )pb");
  ASSERT_TRUE(access.Load(options).ok());
  auto begin = [&](const std::string& token, size_t bytes) {
    return access.AuthenticateToken("Bearer " + token)->Begin(bytes);
  };
  EXPECT_EQ(ReasonOf(begin("a1", 11).status()), "REQUEST_TOO_LARGE");
  auto first = begin("a1", 10);
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(ReasonOf(begin("a2", 10).status()), "CALLS_LIMITED") << "tokens of one identity";
  EXPECT_TRUE(begin("b1", 10).ok());
  Write("policy", R"pb(
    roles { name: "all" members: "authenticated" }
    rules { roles: "all" rpcs: CALL models: "*" }
    limits { roles: "all" concurrent_calls: 1 }
  )pb");
  ASSERT_TRUE(access.Reload().ok());
  EXPECT_EQ(ReasonOf(begin("a2", 10).status()), "CALLS_LIMITED") << "a reload forgets no call";
  first = absl::CancelledError();  // the call ends
  EXPECT_TRUE(begin("a2", 1000).ok());
}

TEST_F(AccessControlTest, KeepsABoundedNumberOfCallers) {
  AccessControl access;
  SecurityOptions options;
  std::string text;
  const int count = static_cast<int>(AccessControl::kMaxCached) + 3000;
  for (int i = 0; i < count; ++i) text += Cat("name", i, " ", HexOf(Cat("token", i)), "\n");
  options.tokens_file = Write("tokens", text);
  ASSERT_TRUE(access.Load(options).ok());
  for (int i = 0; i < count; ++i) {
    ASSERT_TRUE(access.AuthenticateToken(Cat("Bearer token", i)).ok());
  }
  ASSERT_TRUE(access.AuthenticateToken("Bearer token0").ok());
}

TEST_F(AccessControlTest, IdentifiesCertificates) {
  AccessControl access;
  SecurityOptions options;
  options.tls_client_ca = "unused";
  options.policy_file = Write("policy", R"pb(
    roles { name: "robots" members: "cert:*.example.com" }
    rules { roles: "robots" rpcs: CALL models: "m" }
  )pb");
  ASSERT_TRUE(access.Load(options).ok());
  EXPECT_TRUE(
      access.AuthenticateCertificate({"robot", "a.example.com"}).Check(Rpc::kCall, "m").ok());
  EXPECT_EQ(ReasonOf(access.AuthenticateCertificate({"robot"}).Check(Rpc::kCall, "m")),
            "NOT_PERMITTED");
  EXPECT_EQ(ReasonOf(access.AuthenticateCertificate({}).Check(Rpc::kCall, "m")),
            "CREDENTIALS_MISSING");
}

TEST(JwtVerifierTest, ExplainsWrongKeys) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "expected a public key in PEM"},
      {"-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n", "expected a public key"},
      {"{", "expected JSON"},
      {"{\"keys\": []}", "expected at least one key"},
      {R"({"keys": [{"kty": "oct", "k": "c2hvcnQ"}]})",
       "keys[0]: expected a secret of at least 256"},
      {R"({"keys": [{"kty": "RSA"}]})", "keys[0]: the key is not a valid JWK"},
      {R"({"kty": "oct", "alg": "RS256",
          "k": "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"})",
       "alg: expected one of HS256, HS384, HS512, found `RS256`"},
  };
  for (const auto& [text, expected] : cases) {
    Status status = JwtVerifier::Make(text, "i", "a").status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_THAT(MessageOf(status), HasSubstr(expected)) << text;
  }
}

TEST_F(AccessControlTest, GuardsTheServiceAndKeepsModelsSecret) {
  ServerOptions options;
  options.security.tokens_file = Write("tokens", Cat("ci ", HexOf("secret-token")));
  options.security.policy_file = Write("policy", R"pb(
    roles { name: "ci" members: "token:ci" }
    rules {
      roles: "ci"
      rpcs: [ CALL, LIST_MODELS, GET_MODEL ]
      models: "mat*"
    }
  )pb");
  TestServer server(options);
  server.server().repository().Add(MathModel(1));
  auto client = [&](const std::string& token) {
    return ServiceClient(server.address(), ClientOptions{.token = token});
  };
  CallSpec call = MathCall("identity", {Value(Tensor::Scalar<float>(1))});
  EXPECT_TRUE(client("secret-token").Call(call).ok());
  EXPECT_EQ(client("secret-token").Explain(call).status().code(),
            absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(ReasonOf(client("").Call(call).status()), "CREDENTIALS_MISSING");
  EXPECT_EQ(ReasonOf(client("wrong").Call(call).status()), "TOKEN_INVALID");
  call.model.name = "other";
  EXPECT_EQ(ReasonOf(client("secret-token").Call(call).status()), "NOT_PERMITTED");
  auto list = client("secret-token").ListModels();
  ASSERT_TRUE(list.ok());
  EXPECT_EQ(list->models_size(), 1);
}

}  // namespace
}  // namespace signet
