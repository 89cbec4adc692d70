#include "server/options.h"

#include <vector>

#include <gmock/gmock.h>

namespace signet {
namespace {

std::optional<int> Parse(std::vector<const char*> words, ServerOptions& options) {
  words.insert(words.begin(), "signet-server");
  return ParseOptions(static_cast<int>(words.size()), words.data(), options);
}

TEST(OptionsTest, ReadsFlags) {
  ServerOptions options;
  ASSERT_EQ(Parse({"--models",
                   "m",
                   "--listen",
                   "[::1]:0",
                   "--max_message_bytes",
                   "64MB",
                   "--max_rank",
                   "8",
                   "--max_stream_calls",
                   "2",
                   "--log_format",
                   "json",
                   "--max_concrete_functions",
                   "5",
                   "--max_loop_steps",
                   "7",
                   "--max_call_bytes",
                   "4GB",
                   "--max_function_bytes",
                   "1MB",
                   "--max_cache_bytes",
                   "2GB"},
                  options),
            std::nullopt);
  EXPECT_EQ(options.models, "m");
  EXPECT_EQ(options.listen, "[::1]:0");
  EXPECT_EQ(options.limits.message_bytes, 64 << 20);
  EXPECT_EQ(options.limits.rank, 8);
  EXPECT_EQ(options.transport.stream_calls, 2);
  EXPECT_EQ(options.observability.log.format, LogFormat::kJson);
  EXPECT_EQ(options.function.max_concrete_functions, 5u);
  EXPECT_EQ(options.function.max_loop_steps, 7);
  EXPECT_EQ(options.function.max_call_bytes, int64_t{4} << 30);
  EXPECT_EQ(options.function.max_function_bytes, 1 << 20);
  EXPECT_EQ(options.function.max_cache_bytes, int64_t{2} << 30);
  EXPECT_EQ(options.ready, ReadyPolicy::kAny);
  ASSERT_EQ(Parse({"--models", "m", "--ready=all", "--log_level", "off"}, options), std::nullopt);
  EXPECT_EQ(options.ready, ReadyPolicy::kAll);
  EXPECT_EQ(options.observability.log.level, LogLevel::kOff);
}

// Users can change a flag that a service or a chart sets.
TEST(OptionsTest, TheLastValueOfAFlagApplies) {
  ServerOptions options;
  ASSERT_EQ(Parse({"--models", "m", "--listen=127.0.0.1:8500", "--log_format=json",
                   "--drain_seconds=20", "--listen=0.0.0.0:1", "--log_format=text",
                   "--drain_seconds=5", "--max_rank=3", "--max_rank=4"},
                  options),
            std::nullopt);
  EXPECT_EQ(options.listen, "0.0.0.0:1");
  EXPECT_EQ(options.observability.log.format, LogFormat::kText);
  EXPECT_EQ(options.drain_seconds, 5);
  EXPECT_EQ(options.limits.rank, 4);
  ASSERT_EQ(Parse({"--models", "m", "--http_cors_origins", "http://a,http://b"}, options),
            std::nullopt);
  EXPECT_EQ(options.observability.http_cors_origins,
            (std::vector<std::string>{"http://a", "http://b"}));
}

TEST(OptionsTest, ReadsTheModelRepository) {
  ServerOptions options;
  ASSERT_EQ(Parse({"--models", "a", "--models", "recipes=b/c", "--models", "d", "--poll_seconds",
                   "0.5", "--version_policy", "newest:2", "--load", "on_demand", "--warm_up",
                   "none", "--model_memory_bytes", "2GB", "--load_threads", "3"},
                  options),
            std::nullopt);
  EXPECT_EQ(options.models, "a");
  ASSERT_EQ(options.more_models.size(), 2u);
  EXPECT_EQ(options.more_models[0].name, "recipes");
  EXPECT_EQ(options.more_models[0].folder, "b/c");
  EXPECT_EQ(options.more_models[1].name, "");
  EXPECT_EQ(options.more_models[1].folder, "d");
  EXPECT_EQ(options.poll_seconds, 0.5);
  EXPECT_EQ(options.version_policy.newest().count(), 2);
  EXPECT_TRUE(options.load_on_demand);
  EXPECT_FALSE(options.warm_up_examples);
  EXPECT_EQ(options.model_memory_bytes, int64_t{2} << 30);
  EXPECT_EQ(options.load_threads, 3);
  ASSERT_EQ(Parse({"--models", "recipes=b"}, options), std::nullopt);
  EXPECT_EQ(options.models, "");
  EXPECT_EQ(options.more_models.size(), 1u);
}

TEST(OptionsTest, ListsTheNamesThatAFlagAccepts) {
  testing::internal::CaptureStderr();
  ServerOptions options;
  EXPECT_EQ(Parse({"--models", "m", "--log_format", "xml"}, options), 2);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              testing::HasSubstr("--log_format: expected one of text, json; found `xml`"));
}

TEST(OptionsTest, RejectsInvalidCommandLines) {
  const std::vector<const char*> kLines[] = {
      {},
      {"--models", "m", "--listen", "8500"},
      {"--models", "m", "--listen", "localhost:http"},
      {"--models", "m", "--max_rank", "0"},
      {"--models", "m", "--max_message_bytes", "4GB"},
      {"--models", "m", "--log_level", "loud"},
      {"--models", "m", "--ready", "some"},
      {"--models", "m", "--no_such_flag", "1"},
      {"--models", "m", "--version_policy", "newest"},
      {"--models", "m", "--load", "later"},
      {"--models", "m", "--poll_seconds", "-1"},
      {"--models", "m", "extra"},
  };
  for (const auto& line : kLines) {
    ServerOptions options;
    EXPECT_EQ(Parse(line, options), 2) << (line.empty() ? "" : line.back());
  }
}

}  // namespace
}  // namespace signet
