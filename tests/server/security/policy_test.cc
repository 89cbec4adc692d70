#include "server/security/policy.h"

#include <gmock/gmock.h>

namespace signet {
namespace {

using testing::HasSubstr;

Identity Named(std::vector<std::string> names) { return {.names = std::move(names)}; }

TEST(PolicyTest, MatchesPatterns) {
  EXPECT_TRUE(IsMatch("recipes", "recipes"));
  EXPECT_FALSE(IsMatch("recipes", "recipes2"));
  EXPECT_FALSE(IsMatch("recipes2", "recipes"));
  EXPECT_TRUE(IsMatch("*", ""));
  EXPECT_TRUE(IsMatch("team_*", "team_"));
  EXPECT_TRUE(IsMatch("*_a*_b", "x_a_a_b_b"));
  EXPECT_FALSE(IsMatch("*_a*_b", "x_a_a_b_c"));
  EXPECT_TRUE(IsMatch("a**b", "ab"));
  EXPECT_FALSE(IsMatch("", "a"));
  // Linear in practice: no pattern takes exponential time.
  EXPECT_FALSE(IsMatch("*a*a*a*a*a*a*a*a*a*b", std::string(5000, 'a')));
}

TEST(PolicyTest, GrantsWhatRulesState) {
  auto policy = AccessPolicy::Parse(R"pb(
    roles { name: "readers" members: "token:ci" members: "cert:*.example.com" }
    roles { name: "known" members: "authenticated" }
    roles { name: "strangers" members: "anonymous" }
    rules {
      roles: "readers"
      rpcs: [ CALL, GET_MODEL ]
      models: "team_*"
      models: "shared"
    }
    rules { roles: "known" rpcs: LIST_MODELS models: "*" }
    rules { roles: "strangers" roles: "known" rpcs: HEALTH }
  )pb");
  ASSERT_TRUE(policy.ok()) << policy.status();
  for (const char* name : {"token:ci", "cert:a.example.com"}) {
    Permissions reader = policy->PermissionsOf(Named({name}));
    EXPECT_TRUE(reader.Permits(Rpc::kCall, "team_a"));
    EXPECT_TRUE(reader.Permits(Rpc::kGetModel, "shared"));
    EXPECT_FALSE(reader.Permits(Rpc::kCall, "other"));
    EXPECT_FALSE(reader.Permits(Rpc::kExplain, "team_a"));
    EXPECT_FALSE(reader.Permits(Rpc::kExplain));
    EXPECT_TRUE(reader.Permits(Rpc::kListModels, "other"));
    EXPECT_TRUE(reader.Permits(Rpc::kHealth));
    EXPECT_FALSE(reader.Permits(Rpc::kHealth, "team_a")) << "the health of models has its own rule";
    EXPECT_FALSE(reader.Permits(Rpc::kAdmin));
  }
  // The names of one kind are not names of another kind.
  EXPECT_FALSE(policy->PermissionsOf(Named({"jwt:ci"})).Permits(Rpc::kCall, "team_a"));
  EXPECT_FALSE(policy->PermissionsOf(Named({"jwt:token:ci"})).Permits(Rpc::kCall, "team_a"));
  Permissions anonymous = policy->PermissionsOf({});
  EXPECT_TRUE(anonymous.Permits(Rpc::kHealth));
  EXPECT_FALSE(anonymous.Permits(Rpc::kListModels));
  // A caller whose name is the word of a role is a stranger to it.
  EXPECT_FALSE(policy->PermissionsOf(Named({"authenticated"})).Permits(Rpc::kCall, "team_a"));
}

TEST(PolicyTest, AppliesTheLowestLimits) {
  auto policy = AccessPolicy::Parse(R"pb(
    roles { name: "a" members: "token:*" }
    roles { name: "b" members: "token:b" }
    limits { roles: "a" calls_per_second: 10 concurrent_calls: 5 }
    limits { roles: "b" calls_per_second: 0.5 request_bytes: 100 }
  )pb");
  ASSERT_TRUE(policy.ok()) << policy.status();
  CallerLimits a = policy->PermissionsOf(Named({"token:a"})).limits();
  EXPECT_EQ(a.calls_per_second, 10);
  EXPECT_EQ(a.burst, 10);
  EXPECT_EQ(a.request_bytes, 0);
  CallerLimits b = policy->PermissionsOf(Named({"token:b"})).limits();
  EXPECT_EQ(b.calls_per_second, 0.5);
  EXPECT_EQ(b.burst, 1);
  EXPECT_EQ(b.concurrent_calls, 5);
  EXPECT_EQ(b.request_bytes, 100);
}

TEST(PolicyTest, ExplainsWhatIsWrong) {
  const std::pair<const char*, const char*> cases[] = {
      {"rolls {}", "line 1, column 7: message type \"signet.v1.Policy\" has no field named"},
      {"roles { name: \"a\"\n members: 1 }", "line 2"},
      {"roles {}", "roles[0].name: expected a name"},
      {"roles { name: \"a\" } roles { name: \"a\" }", "roles[1].name: duplicate role `a`"},
      {"roles { name: \"a\" members: \"bob\" }", "roles[0].members: expected `token:NAME`"},
      {"roles { name: \"a\" members: \"jwt:\" }", "found `jwt:`"},
      {"rules { rpcs: HEALTH }", "rules[0].roles: expected at least one role"},
      {"roles { name: \"reader\" } rules { roles: \"raeder\" rpcs: HEALTH }",
       "role `raeder` is not defined; did you mean `reader`?"},
      {"roles { name: \"a\" } rules { roles: \"a\" }", "rules[0].rpcs: expected at least one RPC"},
      {"roles { name: \"a\" } rules { roles: \"a\" rpcs: RPC_UNSPECIFIED }", "found 0"},
      {"roles { name: \"a\" } rules { roles: \"a\" rpcs: EVERYTHING }", "EVERYTHING"},
      {"roles { name: \"a\" } rules { roles: \"a\" rpcs: CALL }", "rules[0].models: expected"},
      {"roles { name: \"a\" } rules { roles: \"a\" rpcs: ADMIN models: \"*\" }", "have no model"},
      {"roles { name: \"a\" } rules { roles: \"a\" rpcs: [ADMIN, CALL] models: \"*\" }",
       "expected ADMIN in a rule of its own"},
      {"roles { name: \"a\" } limits { roles: \"a\" }", "limits[0]: expected calls_per_second"},
      {"roles { name: \"a\" } limits { roles: \"a\" calls_per_second: nan }",
       "from 0.001 to 1000000"},
      {"roles { name: \"a\" } limits { roles: \"a\" calls_per_second: -1 }",
       "from 0.001 to 1000000"},
      {"roles { name: \"a\" } limits { roles: \"a\" calls_per_second: 1e-12 }", "found 1e-12"},
      {"roles { name: \"a\" } limits { roles: \"a\" calls_per_second: 1 burst: 2000000000 }",
       "limits[0].burst: expected at most 1000000, found 2000000000"},
      {"roles { name: \"a\" } limits { roles: \"a\" burst: 3 }", "limits[0].burst"},
      {"roles { name: \"a\" } limits { roles: \"a\" concurrent_calls: -3 }", "at least 0"},
  };
  for (const auto& [text, expected] : cases) {
    Status status = AccessPolicy::Parse(text).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_THAT(MessageOf(status), HasSubstr(expected)) << text;
  }
  EXPECT_TRUE(AccessPolicy::Parse("").ok()) << "an empty policy denies everything";
}

}  // namespace
}  // namespace signet
