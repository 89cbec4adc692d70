#include "core/serving/repository/model_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temporary_folder.h"

namespace signet {
namespace {

using testing::HasSubstr;

// Returns the error for the text of a settings file.
std::string Rejection(std::string_view text) {
  auto settings = ParseModelSettings(text);
  Status status = settings.status();
  if (status.ok()) status = CheckModelSettings(*settings, Limits(), FunctionOptions());
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << text;
  return std::string(MessageOf(status));
}

TEST(ModelSettingsTest, RejectsUnknownFieldsAndWrongValues) {
  EXPECT_THAT(Rejection("labels { key: 'a' value: 1 }\nlabel: 2"), HasSubstr("line 2, column"));
  EXPECT_THAT(Rejection("load: SOMETIMES"), HasSubstr("SOMETIMES"));
  EXPECT_EQ(Rejection("version_policy { newest {} }"),
            "version_policy: newest.count: expected at least 1, found 0");
  EXPECT_EQ(Rejection("version_policy { listed {} }"),
            "version_policy: listed.versions: expected at least one version, found none");
  EXPECT_EQ(Rejection("labels { key: 'a/b' value: 1 }"),
            "labels: expected a label of at most 128 letters, digits, `_`, `-`, and `.`; found "
            "`a/b`");
  EXPECT_EQ(Rejection("labels { key: 'a' value: 0 }"),
            "labels: `a`: expected a version of at least 1, found 0");
  EXPECT_EQ(Rejection("warm_up { requests_file: '../calls' }"),
            "warm_up: requests_file: expected a path in the directory of the version, found "
            "`../calls`");
  EXPECT_EQ(Rejection("frozen_graph { inputs { key: 'x' value: '' } }"),
            "frozen_graph: inputs: `x`: expected a tensor of the graph, such as `input:0`, found "
            "none");
  EXPECT_EQ(Rejection("frozen_graph { outputs { key: '' value: 'y:0' } }"),
            "frozen_graph: outputs: expected a name for `y:0`, found none");
  EXPECT_EQ(Rejection("batching { max_rows: -1 }"),
            "batching: max_rows: expected at least 0, found -1");
  EXPECT_EQ(Rejection("batching { functions { key: 'f' value {} } }"),
            "batching: functions: `f`: expected at least one parameter");
  EXPECT_EQ(Rejection("scheduling { weight: -1 }"),
            "scheduling: weight: expected 0 to 1000.0, found -1.0");
  EXPECT_EQ(Rejection("scheduling { priority: 7 }"),
            "scheduling: priority: expected HIGH, NORMAL, or LOW, found 7");
  EXPECT_EQ(Rejection("limits { max_tensor_elements: 9000000000000 }"),
            "limits: max_tensor_elements: 9000000000000 exceeds the limit of the server, "
            "2147483648 (--max_tensor_elements); limits of a model may only be stricter");
}

TEST(ModelSettingsTest, CombinesTheFileTheFlagsAndTheDefaults) {
  v1::ModelSettings flags;
  *flags.mutable_version_policy() = *ParseVersionPolicy("newest:2");
  flags.set_load(v1::ModelSettings::ON_DEMAND);
  auto file = ParseModelSettings(
      "load: EAGER labels { key: 'stable' value: 3 } limits { max_loop_steps: 5 }");
  ASSERT_TRUE(file.ok()) << file.status();
  FunctionOptions function;
  auto effective = CombineSettings(flags, *file, Limits(), function);
  EXPECT_EQ(FormatVersionPolicy(effective.settings.version_policy()), "newest:2");
  EXPECT_EQ(effective.settings.load(), v1::ModelSettings::EAGER);
  EXPECT_TRUE(effective.settings.warm_up().examples());
  EXPECT_EQ(effective.settings.batching().max_rows(), 1024);
  EXPECT_EQ(effective.settings.limits().max_loop_steps(), 5);
  EXPECT_EQ(effective.settings.limits().max_call_bytes(), function.max_call_bytes);
  EXPECT_EQ(effective.origins.at("version_policy"), v1::FLAG);
  EXPECT_EQ(effective.origins.at("load"), v1::FILE);
  EXPECT_EQ(effective.origins.at("labels.stable"), v1::FILE);
  EXPECT_EQ(effective.origins.at("limits.max_loop_steps"), v1::FILE);
  EXPECT_EQ(effective.origins.at("limits.max_call_bytes"), v1::FLAG);
  EXPECT_EQ(effective.origins.at("batching.max_rows"), v1::DEFAULT_VALUE);
}

TEST(ModelSettingsTest, ParsesPoliciesAsTheyAreFormatted) {
  for (const char* text : {"all", "newest:1", "newest:12", "listed:3", "listed:3,5"}) {
    auto policy = ParseVersionPolicy(text);
    ASSERT_TRUE(policy.ok()) << policy.status();
    EXPECT_EQ(FormatVersionPolicy(*policy), text);
  }
  for (const char* text : {"", "newest", "newest:0", "newest:x", "listed:", "listed:1,", "al"}) {
    EXPECT_FALSE(ParseVersionPolicy(text).ok()) << text;
  }
}

TEST(ModelSettingsTest, ReadsRegularFilesOnly) {
  TemporaryFolder folder;
  folder.Write("settings.textproto", "load: ON_DEMAND");
  EXPECT_TRUE(ReadModelSettings(SystemFiles(), folder.path() / "settings.textproto").ok());
  EXPECT_FALSE(ReadModelSettings(SystemFiles(), folder.path()).ok());
  EXPECT_FALSE(ReadModelSettings(SystemFiles(), folder.path() / "nothing").ok());
}

TEST(ModelSettingsTest, LowersLimitsOnly) {
  v1::CallLimits model;
  model.set_max_expanded_bytes(10);
  model.set_max_call_bytes(int64_t{1} << 60);
  EXPECT_EQ(StricterLimits(Limits(), model).expanded_bytes, 10);
  EXPECT_EQ(StricterLimits(Limits(), model).tensor_elements, Limits().tensor_elements);
  EXPECT_EQ(StricterLimits(FunctionOptions(), model).max_call_bytes,
            FunctionOptions().max_call_bytes);
}

}  // namespace
}  // namespace signet
