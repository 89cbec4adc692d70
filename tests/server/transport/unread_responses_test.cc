#include "server/transport/unread_responses.h"

#include <chrono>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>

#include "tests/server/test_server.h"

namespace signet {
namespace {

using testing::HasSubstr;

constexpr int64_t kMiB = int64_t{1} << 20;

ServerOptions WithUnread(int64_t all, int64_t of_one) {
  ServerOptions options;
  options.transport.unread_bytes = all;
  options.transport.connection_unread_bytes = of_one;
  return options;
}

struct FakeContext {
  std::string peer() const { return "ipv4:127.0.0.1:1"; }
};

TEST(UnreadResponsesTest, CountsResponsesUntilTheyAreReleased) {
  Listener listener({});
  UnreadResponses unread(listener, 10 * kMiB, 4 * kMiB);
  FakeContext context;
  EXPECT_EQ(*unread.Admit(context, 100), nullptr);
  auto first = unread.Admit(context, 3 * kMiB);
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(unread.bytes(), 3 * kMiB);
  Status second = unread.Admit(context, 2 * kMiB).status();
  EXPECT_EQ(second.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(ReasonOf(second), "RESPONSES_UNREAD");
  EXPECT_THAT(std::string(MessageOf(second)), HasSubstr("--max_connection_unread_bytes"));
  EXPECT_EQ(unread.bytes(), 3 * kMiB);
  EXPECT_TRUE(unread.CheckRoom(context).ok());
  auto third = unread.Admit(context, kMiB);
  ASSERT_TRUE(third.ok());
  EXPECT_FALSE(unread.CheckRoom(context).ok());
  first->reset();
  third->reset();
  EXPECT_EQ(unread.bytes(), 0);
  EXPECT_TRUE(unread.Admit(context, 9 * kMiB).ok());  // a single response may exceed the limit
}

TEST(UnreadResponsesTest, LimitsAllConnectionsTogether) {
  Listener listener({});
  UnreadResponses unread(listener, 10 * kMiB, 40 * kMiB);
  FakeContext context;
  auto first = unread.Admit(context, 4 * kMiB);
  auto second = unread.Admit(context, 4 * kMiB);
  ASSERT_TRUE(first.ok() && second.ok());
  Status third = unread.Admit(context, 4 * kMiB).status();
  EXPECT_EQ(ReasonOf(third), "RESPONSES_UNREAD");
  EXPECT_THAT(std::string(MessageOf(third)), HasSubstr("--max_unread_bytes"));
  EXPECT_EQ(unread.bytes(), 8 * kMiB);
  first->reset();
  EXPECT_TRUE(unread.Admit(context, 4 * kMiB).ok());
}

// The streams of `connections` connections are never read. Each stream fills its window and then
// waits. At most `limit` bytes of responses wait.
void LeaveStreamsUnread(TestServer& test, int connections, int64_t limit) {
  std::vector<std::unique_ptr<v1::TensorService::Stub>> stubs;
  for (int i = 0; i < connections; ++i) {
    // A client that estimates the bandwidth would enlarge its windows until all responses fit.
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_HTTP2_BDP_PROBE, 0);
    arguments.SetInt("signet.connection", i);  // channels that differ do not share a connection
    stubs.push_back(v1::TensorService::NewStub(
        grpc::CreateCustomChannel(test.address(), grpc::InsecureChannelCredentials(), arguments)));
  }
  std::vector<std::unique_ptr<grpc::ClientContext>> contexts;
  std::vector<
      std::unique_ptr<grpc::ClientReaderWriter<v1::CallStreamRequest, v1::CallStreamResponse>>>
      streams;
  CallSpec call = MathCall("count", {Json{"500000"}});
  call.result_format.set_format(v1::Encoded::JSON);
  v1::CallStreamRequest request;
  *request.mutable_call() = RequestOf(call);
  for (int i = 0; i < 40; ++i) {
    contexts.push_back(std::make_unique<grpc::ClientContext>());
    auto& stub = *stubs[static_cast<size_t>(i) % stubs.size()];
    streams.push_back(stub.CallStream(contexts.back().get()));
    for (uint64_t id = 0; id < 4; ++id) {
      request.set_id(id);
      ASSERT_TRUE(streams.back()->Write(request));
    }
  }
  // 160 calls with responses of 3 MiB: 480 MiB.
  auto& stats = test.server().stats();
  for (int i = 0; i < 12'000 && stats.answered() < 160; ++i) {
    EXPECT_LE(test.server().unread_bytes(), limit);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_LE(test.server().unread_bytes(), limit);
  EXPECT_GT(stats.calls[static_cast<size_t>(absl::StatusCode::kResourceExhausted)], 0u);
  // Another client is served.
  auto other = v1::TensorService::NewStub(OpenChannel(test.address(), 1));
  grpc::ClientContext context;
  v1::CallResponse response;
  EXPECT_TRUE(
      other->Call(&context, RequestOf(MathCall("identity", {FloatsOf({1})})), &response).ok());
  for (auto& open : contexts) open->TryCancel();
  for (auto& stream : streams) EXPECT_FALSE(stream->Finish().ok());
}

TEST(UnreadResponsesTest, LimitsTheMemoryOfUnreadStreams) {
  TestServer test(WithUnread(64 * kMiB, 16 * kMiB));
  LeaveStreamsUnread(test, 1, 17 * kMiB);
}

TEST(UnreadResponsesTest, LimitsTheMemoryOfUnreadStreamsOfSeveralConnections) {
  TestServer test(WithUnread(24 * kMiB, 16 * kMiB));
  // A response counts for a moment before it is rejected.
  LeaveStreamsUnread(test, 4, 24 * kMiB + 3 * 3 * kMiB);
}

}  // namespace
}  // namespace signet
