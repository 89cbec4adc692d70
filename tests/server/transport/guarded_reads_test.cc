#include "server/transport/guarded_reads.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <thread>
#include <vector>

#include <absl/cleanup/cleanup.h>
#include <gmock/gmock.h>

#include "tests/server/test_server.h"
#include "tests/server/transport/raw_connection.h"

namespace signet {
namespace {

using std::chrono::milliseconds;

constexpr int kLongWait = 60'000;  // milliseconds; a fault would otherwise wait without end
constexpr char kCallPath[] = "/signet.v1.TensorService/Call";

template <class Condition>
bool WaitFor(Condition condition) {
  for (int i = 0; i < kLongWait / 5; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(milliseconds(5));
  }
  return false;
}

bool Answers(ServiceClient& client) {
  return client.Call(MathCall("identity", {FloatsOf({1})})).ok();
}

std::string AcknowledgeSettings() { return RawConnection::Frame(4, 1, 0, ""); }

std::string OpenAndReset(uint32_t stream) {
  return RawConnection::CallHeaders(stream, kCallPath) +
         RawConnection::Frame(3, 0, stream, std::string_view("\0\0\0\x08", 4));
}

// Sends OpenAndReset for the streams from `first` to `end` (exclusive), and reads the responses.
bool SendResets(const RawConnection& connection, uint32_t first, uint32_t end) {
  for (uint32_t stream = first; stream < end;) {
    std::string bytes;
    for (; stream < end && bytes.size() < 4096; stream += 2) bytes += OpenAndReset(stream);
    if (!connection.Send(bytes) || !connection.Discard()) return false;
  }
  return true;
}

// Bytes are available all the time, and reads nevertheless end again and again, so that gRPC does
// not allocate memory for all that it has read.
TEST(GuardedReadsTest, PausesReadsOfManyBytes) {
  constexpr size_t kPieceBytes = 64 << 10;
  const int listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  ASSERT_EQ(bind(listening, reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(listen(listening, 1), 0);
  getsockname(listening, reinterpret_cast<sockaddr*>(&address), &size);
  RawConnection client(ntohs(address.sin_port));
  const int fd = accept4(listening, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
  close(listening);
  ASSERT_GE(fd, 0);
  const int epoll = epoll_create1(EPOLL_CLOEXEC);
  epoll_event event = {};
  event.events = EPOLLIN | EPOLLET;
  ASSERT_EQ(epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event), 0);
  auto paused = std::make_shared<PausedSockets>(100, [] {});
  auto guard = GuardReads(fd, dup(fd), "peer", /*tls=*/false, {}, paused);
  std::thread sending([&] {
    std::string frames;
    while (frames.size() < kPieceBytes) frames += RawConnection::Frame(2, 0, 1, "\1\1\1\1\1");
    bool sends = client.Greet();
    while (sends) sends = client.Send(frames);
  });
  std::string bytes(kPieceBytes, '\0');
  int pauses = 0;
  for (ssize_t read = 0; read < ssize_t{10} << 20;) {
    int available = 0;
    while (available == 0) ASSERT_EQ(ioctl(fd, FIONREAD, &available), 0);
    while (epoll_wait(epoll, &event, 1, 0) > 0) {
    }
    iovec piece = {.iov_base = bytes.data(), .iov_len = bytes.size()};
    msghdr message = {};
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    const ssize_t count = recvmsg(fd, &message, 0);
    if (count > 0) {
      read += count;
      continue;
    }
    ASSERT_EQ(errno, EAGAIN);
    ++pauses;
    EXPECT_EQ(epoll_wait(epoll, &event, 1, kLongWait), 1);  // the bytes are reported again
  }
  EXPECT_GE(pauses, 8);  // two per 2 MiB
  EXPECT_LE(pauses, 12);
  Unguard(guard);
  guard = nullptr;  // closes its descriptor
  close(fd);        // ends the connection of the client, because bytes are not read
  close(epoll);
  sending.join();
}

TEST(GuardedReadsTest, EndsAClientThatNeverAcknowledgesSettings) {
  TestServer test;
  ServiceClient client = test.MakeClient();
  ASSERT_TRUE(Answers(client));
  RawConnection flood(test.server().port());
  ASSERT_TRUE(flood.Greet());
  for (uint32_t stream = 1; stream < 400'000; stream += 2) {
    if (!flood.Send(RawConnection::CallHeaders(stream, kCallPath))) break;
  }
  EXPECT_TRUE(flood.WaitUntilClosed(kLongWait));
  EXPECT_TRUE(Answers(client));
  EXPECT_TRUE(WaitFor([&] { return test.server().listener().num_connections() == 1; }));
}

TEST(GuardedReadsTest, EndsAClientThatSendsTooManyHeaders) {
  TestServer test;
  ServiceClient client = test.MakeClient();
  ASSERT_TRUE(Answers(client));
  for (size_t size : {0, 1, 16384}) {
    RawConnection flood(test.server().port());
    ASSERT_TRUE(flood.Greet());
    // A literal whose value of 2^28 bytes never ends.
    std::string_view literal("\0\1x\x7f\xff\xff\xff\x7f", 8);
    ASSERT_TRUE(flood.Send(AcknowledgeSettings() + RawConnection::Frame(1, 0, 1, literal)));
    const std::string frame = RawConnection::Frame(9, 0, 1, std::string(size, 'a'));
    std::string frames;
    while (frames.size() < 16384) frames += frame;
    for (int i = 0; i < 2000 && flood.Send(frames); ++i) continue;
    EXPECT_TRUE(flood.WaitUntilClosed(kLongWait)) << size;
    EXPECT_TRUE(Answers(client));
  }
}

TEST(GuardedReadsTest, SlowsDownResets) {
  TestServer test;
  ServiceClient client = test.MakeClient();
  ASSERT_TRUE(Answers(client));
  RawConnection resets(test.server().port());
  ASSERT_TRUE(resets.Greet());
  ASSERT_TRUE(resets.Send(AcknowledgeSettings()));
  ASSERT_TRUE(SendResets(resets, 1, 10'001));
  EXPECT_TRUE(Answers(client));
  // Bytes after the resets are read, although no further bytes arrive that would wake the server.
  ASSERT_TRUE(resets.Send(RawConnection::Frame(6, 0, 0, "the ping")));
  EXPECT_TRUE(resets.WaitFor("the ping", kLongWait));
  EXPECT_TRUE(Answers(client));
}

// Calls that wait for a compute thread are not finished, although their streams are reset.
TEST(GuardedReadsTest, WaitsUntilTheCallsOfResetStreamsAreFinished) {
  ServerOptions options;
  options.compute_threads = 1;
  options.transport.queued_calls = 1'000'000;
  TestServer test(options);
  auto& in_flight = test.server().stats().in_flight;

  // These occupy the compute thread.
  auto stub = test.MakeStub();
  const v1::CallRequest slow = RequestOf(MathCall("slow", {ManyFloats()}));
  constexpr int kSlowCalls = 60;
  std::vector<grpc::ClientContext> contexts(kSlowCalls);
  std::vector<v1::CallResponse> responses(kSlowCalls);
  std::atomic<int> ended = 0;
  int started = 0;
  // gRPC uses the contexts until the calls have ended, also if an assertion fails.
  absl::Cleanup end_calls = [&] {
    for (grpc::ClientContext& context : contexts) context.TryCancel();
    while (ended < started) std::this_thread::sleep_for(milliseconds(5));
  };
  for (size_t i = 0; i < kSlowCalls; ++i, ++started) {
    stub->async()->Call(&contexts[i], &slow, &responses[i], [&](const grpc::Status&) { ++ended; });
  }
  ASSERT_TRUE(WaitFor([&] { return in_flight + ended >= kSlowCalls; }));

  const std::string message = RequestOf(MathCall("count", {Json{"20000000"}})).SerializeAsString();
  const std::string prefix("\0\0\0\0", 4);
  const std::string data = prefix + static_cast<char>(message.size()) + message;
  std::string calls = AcknowledgeSettings();
  for (uint32_t stream = 1; stream < 10'000; stream += 2) {
    calls += RawConnection::CallHeaders(stream, kCallPath) +
             RawConnection::Frame(0, 1, stream, data) +
             RawConnection::Frame(3, 0, stream, std::string_view("\0\0\0\x08", 4));
  }
  // The calls that a client may have at once, plus the calls of one turn and of a small read.
  const int64_t bound = kSlowCalls + 1024 + 100 + 600;
  {
    RawConnection flood(test.server().port());
    ASSERT_TRUE(flood.Greet());
    std::string_view rest = calls;
    auto send = [&] {
      flood.SendSome(rest);
      flood.Discard();
    };
    // A server that reads slowly receives few more calls than one turn allows.
    ASSERT_TRUE(WaitFor([&] {
      send();
      return in_flight > kSlowCalls + 50 || ended > 0;
    }));
    for (int i = 0; i < 300; ++i) {
      send();
      EXPECT_LE(in_flight, bound);
      std::this_thread::sleep_for(milliseconds(5));
    }
    flood.ResetOnClose();
  }
  EXPECT_TRUE(WaitFor([&] { return test.server().listener().num_connections() == 1; }));
  EXPECT_LE(in_flight, bound);
  std::move(end_calls).Invoke();
  EXPECT_TRUE(WaitFor([&] { return in_flight == 0; }));
}

TEST(GuardedReadsTest, DetectsAResetOfAPausedConnection) {
  TestServer test;
  ServiceClient client = test.MakeClient();
  ASSERT_TRUE(Answers(client));
  for (int i = 0; i < 20; ++i) {
    RawConnection resets(test.server().port());
    ASSERT_TRUE(resets.Greet());
    ASSERT_TRUE(resets.Send(AcknowledgeSettings()));
    ASSERT_TRUE(SendResets(resets, 1, 801));
    resets.ResetOnClose();
  }
  EXPECT_TRUE(WaitFor([&] { return test.server().listener().num_connections() == 1; }));
  EXPECT_TRUE(WaitFor([&] { return test.server().stats().in_flight == 0; }));
  EXPECT_TRUE(Answers(client));
}

// Makes `count` calls at once on one connection; each is canceled at once if `cancels`. Returns
// the number of responses by status.
std::map<grpc::StatusCode, int> CallAtOnce(v1::TensorService::Stub& stub, int count, bool cancels) {
  struct PendingCall {
    grpc::ClientContext context;
    v1::CallResponse response;
  };
  const v1::CallRequest request = RequestOf(MathCall("identity", {FloatsOf({1})}));
  std::vector<PendingCall> calls(static_cast<size_t>(count));
  std::map<grpc::StatusCode, int> answers;
  std::mutex mu;
  std::condition_variable changed;
  int done = 0;
  for (PendingCall& call : calls) {
    stub.async()->Call(&call.context, &request, &call.response, [&](const grpc::Status& status) {
      std::lock_guard lock(mu);
      ++answers[status.error_code()];
      ++done;
      changed.notify_all();
    });
  }
  for (PendingCall& call : calls) {
    if (cancels) call.context.TryCancel();
  }
  std::unique_lock lock(mu);
  changed.wait(lock, [&] { return done == count; });
  return answers;
}

TEST(GuardedReadsTest, KeepsAConnectionWithManyCallsAtOnce) {
  TestServer test;
  auto stub = test.MakeStub();
  ASSERT_EQ(CallAtOnce(*stub, 1, false)[grpc::StatusCode::OK], 1);
  const int64_t accepted = test.server().listener().num_accepted();
  for (int round = 0; round < 5; ++round) {
    EXPECT_EQ(CallAtOnce(*stub, 1000, false)[grpc::StatusCode::OK], 1000);
  }
  EXPECT_EQ(test.server().listener().num_accepted(), accepted);
}

TEST(GuardedReadsTest, KeepsAConnectionThatCancelsManyCalls) {
  TestServer test;
  auto stub = test.MakeStub();
  ASSERT_EQ(CallAtOnce(*stub, 1, false)[grpc::StatusCode::OK], 1);
  const int64_t accepted = test.server().listener().num_accepted();
  for (int round = 0; round < 10; ++round) {
    auto answers = CallAtOnce(*stub, 500, true);
    EXPECT_EQ(answers[grpc::StatusCode::OK] + answers[grpc::StatusCode::CANCELLED], 500);
  }
  EXPECT_EQ(CallAtOnce(*stub, 100, false)[grpc::StatusCode::OK], 100);
  EXPECT_EQ(test.server().listener().num_accepted(), accepted);
}

TEST(GuardedReadsTest, KeepsManyStreamsAndLargeUploadsOnOneConnection) {
  TestServer test;
  auto stub = test.MakeStub();
  ASSERT_EQ(CallAtOnce(*stub, 1, false)[grpc::StatusCode::OK], 1);
  const int64_t accepted = test.server().listener().num_accepted();
  v1::CallStreamRequest request;
  *request.mutable_call() = RequestOf(MathCall("identity", {FloatsOf({1})}));
  std::vector<std::unique_ptr<grpc::ClientContext>> contexts;
  std::vector<
      std::unique_ptr<grpc::ClientReaderWriter<v1::CallStreamRequest, v1::CallStreamResponse>>>
      streams;
  for (int i = 0; i < 500; ++i) {
    contexts.push_back(std::make_unique<grpc::ClientContext>());
    streams.push_back(stub->CallStream(contexts.back().get()));
    ASSERT_TRUE(streams.back()->Write(request));
  }
  const v1::CallRequest large = RequestOf(MathCall("identity", {ManyFloats()}));
  for (int i = 0; i < 4; ++i) {
    grpc::ClientContext context;
    v1::CallResponse response;
    EXPECT_TRUE(stub->Call(&context, large, &response).ok());
  }
  for (auto& stream : streams) {
    v1::CallStreamResponse response;
    EXPECT_TRUE(stream->Read(&response));
    stream->WritesDone();
    EXPECT_FALSE(stream->Read(&response));
    EXPECT_TRUE(stream->Finish().ok());
  }
  EXPECT_EQ(test.server().listener().num_accepted(), accepted);
}

}  // namespace
}  // namespace signet
