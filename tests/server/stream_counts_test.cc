#include "server/stream_counts.h"

#include <algorithm>
#include <chrono>

#include <gtest/gtest.h>

#include "tests/server/raw_connection.h"
#include "tests/server/test_server.h"

namespace signet {
namespace {

TEST(StreamCountsTest, ReadsTheCountsOfASocket) {
  StreamCounts counts = ParseStreamCounts(
      R"({"socket":{"data":{"messagesReceived":"3","streamsFailed":"4","streamsStarted":"12",)"
      R"("streamsSucceeded":"5"},"ref":{"name":"chttp2 ipv4:1.2.3.4:5","socketId":"7"}}})");
  EXPECT_EQ(counts.started, 12);
  EXPECT_EQ(counts.succeeded, 5);
  EXPECT_EQ(counts.failed, 4);
  EXPECT_EQ(counts.messages, 3);
  EXPECT_EQ(counts.open(), 3);
  EXPECT_EQ(ParseStreamCounts("{}").started, 0);
}

TEST(StreamCountsTest, CountsTheStreamsOfAConnection) {
  TestServer test;
  Client client = test.MakeClient();
  for (int i = 0; i < 7; ++i) {
    EXPECT_TRUE(client.Call(MathCall("identity", {FloatsOf({1})})).ok());
  }
  StreamCounter counter;
  int64_t streams = 0;
  for (const std::string& peer : test.server().listener().Peers()) {
    auto counts = counter.Find(peer);
    ASSERT_TRUE(counts.has_value()) << peer;
    streams += counts->succeeded;
    EXPECT_LE(counts->messages, counts->started);
  }
  EXPECT_GE(streams, 7);
  EXPECT_FALSE(counter.Find("ipv4:127.0.0.1:1").has_value());
}

constexpr char kCall[] = "/signet.v1.TensorService/Call";

TEST(StreamCountsTest, ClosesAConnectionThatResetsItsStreamsAtOnce) {
  TestServer test;
  RawConnection attacker(test.server().port());
  ASSERT_TRUE(attacker.Greet());
  uint32_t stream = 1;
  bool closed = false;
  for (int i = 0; i < 10'000 && !closed; ++i) {
    std::string frames;
    for (int k = 0; k < 100; ++k, stream += 2) {
      frames += RawConnection::CallHeaders(stream, kCall);
      frames += RawConnection::Frame(3, 0, stream, std::string("\0\0\0\x8", 4));
    }
    closed = !attacker.Discard() || !attacker.Send(frames);
  }
  EXPECT_TRUE(closed);
  EXPECT_TRUE(test.MakeClient().Call(MathCall("identity", {FloatsOf({1})})).ok());
}

TEST(StreamCountsTest, ClosesAConnectionThatOpensStreamsWithoutEnd) {
  TestServer test;
  RawConnection attacker(test.server().port());
  ASSERT_TRUE(attacker.Greet());  // and never acknowledges the server's SETTINGS
  uint32_t stream = 1;
  bool closed = false;
  for (int i = 0; i < 10'000 && !closed; ++i) {
    std::string frames;
    for (int k = 0; k < 100; ++k, stream += 2) frames += RawConnection::CallHeaders(stream, kCall);
    closed = !attacker.Discard() || !attacker.Send(frames);
  }
  EXPECT_TRUE(closed);
  EXPECT_TRUE(test.MakeClient().Call(MathCall("identity", {FloatsOf({1})})).ok());
}

TEST(StreamCountsTest, ClosesAConnectionWhoseHeadersNeverEnd) {
  ServerOptions options;
  options.limits.message_bytes = 1 << 20;
  TestServer test(options);
  RawConnection attacker(test.server().port());
  ASSERT_TRUE(attacker.Greet());
  std::string field = std::string("\0\1x\x64", 4) + std::string(100, 'y');
  std::string block;
  for (int i = 0; i < 100; ++i) block += field;
  ASSERT_TRUE(attacker.Send(RawConnection::Frame(1, 0, 1, field)));
  bool closed = false;
  for (int i = 0; i < 100'000 && !closed; ++i) {
    closed = !attacker.Discard() || !attacker.Send(RawConnection::Frame(9, 0, 1, block));
  }
  EXPECT_TRUE(closed);
  EXPECT_TRUE(test.MakeClient().Call(MathCall("identity", {FloatsOf({1})})).ok());
}

// Many calls at once, some of them cancelled by their deadlines, are no harm.
TEST(StreamCountsTest, KeepsABusyConnection) {
  TestServer test;
  auto stub = test.MakeStub();
  int64_t before = -1;
  for (int i = 0; i < 3000; ++i) {
    grpc::ClientContext context;
    if (i % 2 == 0) {
      context.set_deadline(std::chrono::system_clock::now() + std::chrono::microseconds(200));
    }
    v1::CallResponse response;
    v1::CallRequest request = RequestOf(MathCall("identity", {FloatsOf({1})}));
    grpc::Status status = stub->Call(&context, request, &response);
    EXPECT_TRUE(status.ok() || status.error_code() == grpc::StatusCode::DEADLINE_EXCEEDED)
        << status.error_message();
    if (before < 0) before = test.server().listener().num_accepted();
  }
  EXPECT_LE(test.server().listener().num_accepted(), std::max<int64_t>(before, 1));
}

}  // namespace
}  // namespace signet
