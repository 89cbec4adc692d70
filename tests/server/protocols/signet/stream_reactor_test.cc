#include "server/protocols/signet/stream_reactor.h"

#include <map>
#include <thread>

#include "tests/server/test_server.h"

namespace signet {
namespace {

v1::CallStreamRequest RequestOf(uint64_t id, const CallSpec& call) {
  v1::CallStreamRequest request;
  request.set_id(id);
  *request.mutable_call() = RequestOf(call);
  return request;
}

TEST(StreamReactorTest, AnswersEveryCallUnderItsId) {
  ServerOptions options;
  options.transport.stream_calls = 4;
  TestServer test(options);
  auto stub = test.MakeStub();
  grpc::ClientContext context;
  auto stream = stub->CallStream(&context);
  constexpr uint64_t kCalls = 500;
  std::thread writer([&] {
    for (uint64_t id = 1; id <= kCalls; ++id) {
      bool fits = id % 3 != 0;
      stream->Write(RequestOf(id, MathCall(fits ? "affine" : "none", {FloatsOf({1.0f})})));
    }
    stream->WritesDone();
  });
  std::map<uint64_t, v1::CallStreamResponse> answers;
  v1::CallStreamResponse answer;
  while (stream->Read(&answer)) answers[answer.id()] = answer;
  writer.join();
  EXPECT_TRUE(stream->Finish().ok());
  ASSERT_EQ(answers.size(), kCalls);
  for (const auto& [id, got] : answers) {
    ASSERT_EQ(got.has_response(), id % 3 != 0) << id;
    if (got.has_error()) {
      EXPECT_EQ(got.error().code(), grpc::StatusCode::NOT_FOUND);
    }
  }
}

TEST(StreamReactorTest, ContinuesAfterAFailedCall) {
  TestServer test;
  auto stub = test.MakeStub();
  grpc::ClientContext context;
  auto stream = stub->CallStream(&context);
  v1::CallStreamRequest request = RequestOf(7, MathCall("identity", {FloatsOf({1, 2})}));
  request.mutable_call()->mutable_args(0)->mutable_tensor()->set_data("abc");
  stream->Write(request);
  v1::CallStreamResponse answer;
  ASSERT_TRUE(stream->Read(&answer));
  EXPECT_EQ(answer.id(), 7u);
  EXPECT_EQ(answer.error().code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(answer.error().field(), "x");
  stream->Write(RequestOf(8, MathCall("identity", {FloatsOf({1})})));
  ASSERT_TRUE(stream->Read(&answer));
  EXPECT_EQ(answer.id(), 8u);
  EXPECT_TRUE(answer.has_response());
  stream->WritesDone();
  EXPECT_FALSE(stream->Read(&answer));
  EXPECT_TRUE(stream->Finish().ok());
}

TEST(StreamReactorTest, ReportsStageTimesIfTheStreamRequestsThem) {
  TestServer test;
  auto stub = test.MakeStub();
  for (bool requests : {true, false}) {
    grpc::ClientContext context;
    if (requests) context.AddMetadata("signet-stage-times", "1");
    auto stream = stub->CallStream(&context);
    const Value numbers = ManyFloats();  // so many that they are not copied into the message
    stream->Write(RequestOf(1, MathCall("identity", {numbers})));
    v1::CallStreamResponse answer;
    ASSERT_TRUE(stream->Read(&answer));
    ASSERT_TRUE(answer.has_response());
    EXPECT_EQ(answer.response().result().tensor().data().size(), numbers.tensor().data().size());
    EXPECT_EQ(answer.stage_times().find("run=") != std::string::npos, requests);
    EXPECT_EQ(answer.stage_times().find("total=") != std::string::npos, requests);
    stream->Write(RequestOf(2, MathCall("none", {FloatsOf({1})})));
    ASSERT_TRUE(stream->Read(&answer));
    EXPECT_TRUE(answer.has_error());
    EXPECT_EQ(answer.stage_times().empty(), !requests);
    stream->WritesDone();
    EXPECT_FALSE(stream->Read(&answer));
    EXPECT_TRUE(stream->Finish().ok());
  }
}

TEST(StreamReactorTest, AnswersSmallCallsBeforeLargeOnes) {
  TestServer test;
  auto stub = test.MakeStub();
  grpc::ClientContext context;
  auto stream = stub->CallStream(&context);
  stream->Write(RequestOf(1, MathCall("slow", {ManyFloats()})));
  stream->Write(RequestOf(2, MathCall("identity", {FloatsOf({1})})));
  v1::CallStreamResponse answer;
  ASSERT_TRUE(stream->Read(&answer));
  EXPECT_EQ(answer.id(), 2u);
  context.TryCancel();
  while (stream->Read(&answer)) {
  }
  EXPECT_EQ(stream->Finish().error_code(), grpc::StatusCode::CANCELLED);
}

TEST(StreamReactorTest, EndsWhenTheServerDrains) {
  TestServer test;
  auto stub = test.MakeStub();
  grpc::ClientContext context;
  auto stream = stub->CallStream(&context);
  stream->Write(RequestOf(1, MathCall("identity", {FloatsOf({1})})));
  v1::CallStreamResponse answer;
  ASSERT_TRUE(stream->Read(&answer));
  auto start = std::chrono::steady_clock::now();
  test.server().Drain();
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
  EXPECT_FALSE(stream->Read(&answer));
  grpc::Status end = stream->Finish();
  EXPECT_EQ(end.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(end.error_message(), "the server is stopping");
}

TEST(StreamReactorTest, EndsWhenTheClientDisconnects) {
  TestServer test;
  for (int i = 0; i < 20; ++i) {
    auto stub = test.MakeStub();
    grpc::ClientContext context;
    auto stream = stub->CallStream(&context);
    for (uint64_t id = 0; id < 8; ++id) {
      stream->Write(RequestOf(id, MathCall(id % 2 ? "slow" : "identity", {FloatsOf({1})})));
    }
    context.TryCancel();
    stream->Finish();
  }
  for (int i = 0; i < 4000 && test.server().stats().in_flight != 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_EQ(test.server().stats().in_flight, 0);
  EXPECT_TRUE(test.MakeClient().ListModels().ok());
}

}  // namespace
}  // namespace signet
