#include "server/transport/calls_in_memory.h"

#include <chrono>
#include <thread>

#include <gmock/gmock.h>

#include "tests/server/test_server.h"
#include "tests/server/transport/raw_connection.h"

namespace signet {
namespace {

constexpr char kIncompleteCall[] = "/signet.v1.TensorService/Call";

// Waits until `calls` counts `expected` calls of `peer`; returns false after a long wait.
bool CountBecomes(CallsInMemory& calls, const std::string& peer, int64_t expected) {
  for (int i = 0; i < 12'000; ++i) {
    if (calls.Count(peer) == expected) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

TEST(CallsInMemoryTest, CountsTheCallsOfEachConnection) {
  TestServer test;
  RawConnection first(test.server().port());
  RawConnection second(test.server().port());
  CallsInMemory calls;
  for (const RawConnection* connection : {&first, &second}) {
    ASSERT_TRUE(connection->Greet());
    for (uint32_t stream : {1, 3, 5}) {
      ASSERT_TRUE(connection->Send(RawConnection::CallHeaders(stream, kIncompleteCall)));
    }
    EXPECT_TRUE(CountBecomes(calls, connection->peer(), 3));
  }
  const std::string code("\0\0\0\x08", 4);
  ASSERT_TRUE(
      first.Send(RawConnection::Frame(3, 0, 1, code) + RawConnection::Frame(3, 0, 5, code)));
  EXPECT_TRUE(CountBecomes(calls, first.peer(), 1));
  EXPECT_TRUE(CountBecomes(calls, second.peer(), 3));
}

TEST(CallsInMemoryTest, CountsNoCallsOfAnEndedConnection) {
  TestServer test;
  CallsInMemory calls;
  std::string peer;
  {
    RawConnection connection(test.server().port());
    ASSERT_TRUE(connection.Greet());
    ASSERT_TRUE(connection.Send(RawConnection::CallHeaders(1, kIncompleteCall)));
    peer = connection.peer();
    EXPECT_TRUE(CountBecomes(calls, peer, 1));
  }
  EXPECT_TRUE(CountBecomes(calls, peer, 0));
}

}  // namespace
}  // namespace signet
