#include "server/transport/listener.h"

#include <chrono>
#include <sys/stat.h>
#include <sys/un.h>
#include <thread>

#include <gmock/gmock.h>

#include "tests/server/test_server.h"
#include "tests/server/transport/raw_connection.h"
#include "tests/support/temporary_folder.h"

namespace signet {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

constexpr int kLongWait = 60'000;  // milliseconds; a fault would otherwise wait without end

template <class Condition>
bool WaitFor(Condition condition) {
  for (int i = 0; i < kLongWait / 5; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(milliseconds(5));
  }
  return false;
}

ServerOptions WithTransport(TransportLimits transport) {
  ServerOptions options;
  options.transport = transport;
  return options;
}

TEST(ListenerTest, RejectsConnectionsBeyondTheLimitAndRecovers) {
  TransportLimits transport;
  transport.connections = 3;
  TestServer test(WithTransport(transport));
  ServiceClient client = test.MakeClient();
  EXPECT_TRUE(client.ListModels().ok());
  {
    RawConnection first(test.server().port());
    RawConnection second(test.server().port());
    EXPECT_TRUE(WaitFor([&] { return test.server().listener().num_connections() == 3; }));
    RawConnection third(test.server().port());
    EXPECT_TRUE(third.WaitUntilClosed(kLongWait));
    EXPECT_TRUE(WaitFor([&] { return test.server().listener().num_rejected() >= 1; }));
    EXPECT_TRUE(client.ListModels().ok());
  }
  EXPECT_TRUE(WaitFor([&] { return test.server().listener().num_connections() == 1; }));
  RawConnection fourth(test.server().port());
  EXPECT_TRUE(WaitFor([&] { return test.server().listener().num_connections() == 2; }));
}

TEST(ListenerTest, ClosesAConnectionThatUploadsTooSlowly) {
  TransportLimits transport;
  transport.stall_seconds = 1;
  TestServer test(WithTransport(transport));
  RawConnection slow(test.server().port());
  std::string head("\0\0\1\0\0", 5);  // a message of 64 KiB, of which one byte comes at a time
  ASSERT_TRUE(slow.Greet());
  ASSERT_TRUE(slow.Send(RawConnection::CallHeaders(1, "/signet.v1.TensorService/Call")));
  ASSERT_TRUE(slow.Send(RawConnection::Frame(0, 0, 1, head)));
  EXPECT_TRUE(WaitFor([&] {
    std::this_thread::sleep_for(milliseconds(50));
    return !slow.Discard() || !slow.Send(RawConnection::Frame(0, 0, 1, "x"));
  }));
  EXPECT_TRUE(test.MakeClient().ListModels().ok());
}

TEST(ListenerTest, KeepsASlowConnectionThatMakesCalls) {
  TransportLimits transport;
  transport.stall_seconds = 1;
  TestServer test(WithTransport(transport));
  ServiceClient client = test.MakeClient();
  ASSERT_TRUE(client.Call(MathCall("identity", {FloatsOf({1})})).ok());
  auto connections = [&] { return test.server().listener().num_accepted(); };
  int64_t before = connections();
  for (int i = 0; i < 60; ++i) {  // for three periods and more
    ASSERT_TRUE(client.Call(MathCall("identity", {FloatsOf({1})})).ok());
    std::this_thread::sleep_for(milliseconds(60));
  }
  EXPECT_EQ(connections(), before);
}

TEST(ListenerTest, DoesNotReplaceAUnixSocketInUse) {
  TemporaryFolder folder;
  ServerOptions options;
  options.unix_socket = folder.path() / "signet.sock";
  TestServer first(options);
  {
    ServerOptions same = options;
    same.listen = "127.0.0.1:0";
    Server second(same);
    Status started = second.Start();
    EXPECT_EQ(started.code(), absl::StatusCode::kUnavailable);
    EXPECT_THAT(std::string(MessageOf(started)), HasSubstr("another process listens on it"));
  }
  EXPECT_TRUE(ServiceClient("unix:" + options.unix_socket).ListModels().ok());
  first.server().Drain();
  EXPECT_FALSE(std::filesystem::exists(options.unix_socket));
}

TEST(ListenerTest, ReplacesAnUnusedUnixSocket) {
  TemporaryFolder folder;
  std::string path = folder.path() / "signet.sock";
  {
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, path.size());
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    ASSERT_EQ(bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
    close(fd);  // the file stays
  }
  ServerOptions options;
  options.unix_socket = path;
  TestServer test(options);
  EXPECT_TRUE(ServiceClient("unix:" + path).ListModels().ok());
}

TEST(ListenerTest, KeepsAFileThatItDidNotMake) {
  TemporaryFolder folder;
  std::string path = folder.path() / "signet.sock";
  folder.Write("signet.sock", "text");
  Listener listener({});
  EXPECT_THAT(std::string(MessageOf(listener.ListenOnUnixSocket(path))),
              HasSubstr("expected a socket or no file, found another kind of file"));
  std::filesystem::remove(path);
  ASSERT_TRUE(listener.ListenOnUnixSocket(path).ok());
  listener.Start([](int fd) { close(fd); });
  std::filesystem::remove(path);
  folder.Write("signet.sock", "text of another program");
  listener.StopListening();
  EXPECT_TRUE(std::filesystem::exists(path));
}

TEST(ListenerTest, ListensOnBothFamiliesUnderOnePort) {
  Listener listener({});
  auto port = listener.Listen("0.0.0.0:0");
  ASSERT_TRUE(port.ok()) << port.status();
  EXPECT_GT(*port, 0);
  Listener other({});
  EXPECT_FALSE(other.Listen(Cat("127.0.0.1:", *port)).ok());
  EXPECT_THAT(std::string(MessageOf(other.Listen("no.such.host.invalid:0").status())),
              HasSubstr("cannot listen on `no.such.host.invalid:0`"));
}

}  // namespace
}  // namespace signet
