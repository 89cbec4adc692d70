#include "server/observability/access_log.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/server/test_server.h"
#include "tests/support/temporary_folder.h"

namespace signet {
namespace {

TEST(AccessLogTest, WritesAnObjectPerCall) {
  TemporaryFolder folder;
  const auto path = folder.path() / "access.log";
  auto model = MathModel(3);
  {
    auto log = AccessLog::Open(path.string(), {});
    ASSERT_TRUE(log.ok()) << log.status();
    ObservedCall call;
    call.rpc = "Call";
    call.version = 3;
    call.called = {model, *model->FindFunction("affine")};
    call.request_bytes = 310;
    call.peer = "ipv4:127.0.0.1:1";
    call.times.End(Stage::kRun);
    (*log)->Write(call, WithReason("QUEUE_FULL", ResourceExhausted("a\n\x1b[31m\"b\"")));
    (*log)->Write(call, absl::OkStatus());
  }
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  ASSERT_EQ(lines.size(), 2u);
  auto first = nlohmann::json::parse(lines[0]);
  EXPECT_EQ(first["model"], "math");
  EXPECT_EQ(first["version"], 3);
  EXPECT_EQ(first["function"], "affine");
  EXPECT_EQ(first["code"], "RESOURCE_EXHAUSTED");
  EXPECT_EQ(first["reason"], "QUEUE_FULL");
  EXPECT_EQ(first["message"], "a\n\x1b[31m\"b\"");
  EXPECT_EQ(first["request_bytes"], 310);
  EXPECT_EQ(first["peer"], "ipv4:127.0.0.1:1");
  EXPECT_TRUE(first["stages"].contains("run"));
  EXPECT_THAT(lines[0], testing::Not(testing::HasSubstr("\x1b")));
  EXPECT_EQ(nlohmann::json::parse(lines[1])["code"], "OK");
}

TEST(AccessLogTest, RejectsAFileThatCannotBeWritten) {
  EXPECT_EQ(AccessLog::Open("/no/such/directory/access.log", {}).status().code(),
            absl::StatusCode::kFailedPrecondition);
}

TEST(AccessLogTest, CountsLinesThatCannotBeWritten) {
  if (access("/dev/full", W_OK) != 0) GTEST_SKIP() << "no /dev/full";
  auto log = AccessLog::Open("/dev/full", {});
  ASSERT_TRUE(log.ok()) << log.status();
  (*log)->Write(ObservedCall(), absl::OkStatus());
  for (int i = 0; i < 1000 && (*log)->num_dropped() == 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_EQ((*log)->num_dropped(), 1u);
}

TEST(AccessLogTest, StageTimesText) {
  ObservedCall call;
  call.times.End(Stage::kDecode);
  call.times.End(Stage::kRun);
  EXPECT_THAT(StageTimesText(call.times),
              testing::MatchesRegex("decode=0\\.[0-9]{6};run=0\\.[0-9]{6};total=0\\.[0-9]{6}"));
}

}  // namespace
}  // namespace signet
