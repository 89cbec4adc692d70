#include "server/observability/call_log.h"

#include <algorithm>

#include <gmock/gmock.h>

#include "tests/server/test_server.h"

namespace signet {
namespace {

using testing::HasSubstr;
using testing::Not;

// Returns the lines that a server with this log level writes while `act` runs.
template <class Act>
std::string LinesOf(LogLevel level, Act act) {
  TestServer test;
  testing::internal::CaptureStderr();
  EXPECT_EQ(ConfigureLog({.level = level}), absl::OkStatus());
  act(test);
  EXPECT_TRUE(FlushLog(std::chrono::seconds(60)));
  EXPECT_EQ(ConfigureLog({.level = LogLevel::kError}), absl::OkStatus());
  return testing::internal::GetCapturedStderr();
}

void CallWell(TestServer& test) {
  EXPECT_TRUE(test.MakeClient().Call(MathCall("identity", {FloatsOf({1})})).ok());
}
void CallBadly(TestServer& test) { EXPECT_FALSE(test.MakeClient().Call(MathCall("affine")).ok()); }

TEST(CallLogTest, LogsCallsAtDebugLevelAndFailuresAtInfoLevel) {
  EXPECT_THAT(LinesOf(LogLevel::kDebug, CallWell),
              HasSubstr("debug call rpc=Call function=math.identity"));
  EXPECT_THAT(LinesOf(LogLevel::kInfo, CallWell), Not(HasSubstr("rpc=Call")));
  std::string failure = LinesOf(LogLevel::kInfo, CallBadly);
  EXPECT_THAT(failure, HasSubstr("info call failed rpc=Call code=INVALID_ARGUMENT"));
  EXPECT_THAT(failure, HasSubstr("math/1.affine: "));
  EXPECT_THAT(LinesOf(LogLevel::kWarning, CallBadly), Not(HasSubstr("call failed")));
}

TEST(CallLogTest, LogsExplainAndStreams) {
  std::string lines = LinesOf(LogLevel::kDebug, [](TestServer& test) {
    auto stub = test.MakeStub();
    grpc::ClientContext context;
    v1::ExplainResponse response;
    EXPECT_FALSE(stub->Explain(&context, {}, &response).ok());
    grpc::ClientContext stream_context;
    auto stream = stub->CallStream(&stream_context);
    v1::CallStreamRequest request;
    *request.mutable_call() = RequestOf(MathCall("identity", {FloatsOf({1})}));
    stream->Write(request);
    v1::CallStreamResponse answer;
    EXPECT_TRUE(stream->Read(&answer));
    stream->WritesDone();
    EXPECT_TRUE(stream->Finish().ok());
  });
  EXPECT_THAT(lines, HasSubstr("rpc=Explain code=NOT_FOUND"));
  EXPECT_THAT(lines, HasSubstr("rpc=CallStream function=math.identity"));
}

TEST(CallLogTest, LogsDataLossAsAnError) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(ConfigureLog({.level = LogLevel::kError}), absl::OkStatus());
  LogFailedCall("Call", "ipv4:127.0.0.1:1", DataLoss("m/1.f: model.onnx was cut short"));
  LogFailedCall("Call", "ipv4:127.0.0.1:1", InvalidArgument("m/1.f: wrong"));
  EXPECT_TRUE(FlushLog(std::chrono::seconds(60)));
  std::string lines = testing::internal::GetCapturedStderr();
  EXPECT_THAT(lines, HasSubstr("code=DATA_LOSS message=\"m/1.f: model.onnx was cut short\""));
  EXPECT_THAT(lines, Not(HasSubstr("wrong")));
}

TEST(CallLogTest, SamplesFailures) {
  std::string lines = LinesOf(LogLevel::kInfo, [](TestServer& test) {
    ServiceClient client = test.MakeClient();
    for (int i = 0; i < 500; ++i) EXPECT_FALSE(client.Call(MathCall("affine")).ok());
  });
  EXPECT_LT(std::count(lines.begin(), lines.end(), '\n'), 400);
}

}  // namespace
}  // namespace signet
