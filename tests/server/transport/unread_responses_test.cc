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

// The streams are never read. Each fills its window and then waits.
TEST(UnreadResponsesTest, LimitsTheMemoryOfUnreadStreams) {
  TestServer test(WithUnread(64 * kMiB, 16 * kMiB));
  // A client that estimates the bandwidth would enlarge its windows until all responses fit.
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_HTTP2_BDP_PROBE, 0);
  auto stub = v1::TensorService::NewStub(
      grpc::CreateCustomChannel(test.address(), grpc::InsecureChannelCredentials(), arguments));
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
    streams.push_back(stub->CallStream(contexts.back().get()));
    for (uint64_t id = 0; id < 4; ++id) {
      request.set_id(id);
      ASSERT_TRUE(streams.back()->Write(request));
    }
  }
  // 160 calls with responses of 3 MiB: 480 MiB, of which 16 MiB may wait.
  auto& stats = test.server().stats();
  for (int i = 0; i < 12'000 && stats.answered() < 160; ++i) {
    EXPECT_LE(test.server().unread_bytes(), 17 * kMiB);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_LE(test.server().unread_bytes(), 17 * kMiB);
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

}  // namespace
}  // namespace signet
