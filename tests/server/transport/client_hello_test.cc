#include "server/transport/client_hello.h"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

namespace signet {
namespace {

using State = ClientHello::State;

const std::string kRandom(ClientHello::kRandomBytes, 'r');

// A record with `record_bytes` bytes that begins with a message of `message_bytes`.
std::string Record(size_t record_bytes, size_t message_bytes, const std::string& random = kRandom) {
  std::string out = {22, 3, 1, static_cast<char>(record_bytes >> 8),
                     static_cast<char>(record_bytes)};
  out += {1, 0, static_cast<char>(message_bytes >> 8), static_cast<char>(message_bytes), 3, 3};
  out += random;
  out.resize(5 + record_bytes);
  return out;
}

// Adds the bytes as a reader does that gets at most `at_once` of them. Returns the state at the end
// of the bytes.
State Read(ClientHello& hello, std::string_view bytes, size_t at_once) {
  while (!bytes.empty() && hello.missing_bytes() > 0) {
    const size_t count = std::min({bytes.size(), at_once, hello.missing_bytes()});
    hello.Add(bytes.substr(0, count));
    bytes.remove_prefix(count);
  }
  return hello.state();
}

State StateOf(std::string_view bytes) {
  ClientHello hello;
  return Read(hello, bytes, bytes.size());
}

TEST(ClientHelloTest, FindsTheRandomNumber) {
  const std::string record = Record(300, 296);
  for (size_t at_once : {size_t{1}, size_t{7}, record.size()}) {
    ClientHello hello;
    EXPECT_EQ(Read(hello, record.substr(0, record.size() - 1), at_once), State::kIncomplete);
    EXPECT_EQ(hello.missing_bytes(), 1u);
    EXPECT_EQ(hello.Add("x"), State::kComplete);
    EXPECT_EQ(hello.missing_bytes(), 0u);
    EXPECT_EQ(hello.random(), kRandom);
  }
}

TEST(ClientHelloTest, NeverReadsAfterTheRecord) {
  ClientHello hello;
  EXPECT_EQ(hello.missing_bytes(), 5u);
  hello.Add(Record(300, 296).substr(0, 5));
  EXPECT_EQ(hello.missing_bytes(), 300u);
}

TEST(ClientHelloTest, ReportsOtherBytes) {
  EXPECT_EQ(StateOf("G"), State::kOther);         // HTTP
  EXPECT_EQ(StateOf("\x80\x2e"), State::kOther);  // SSL 2
  EXPECT_EQ(StateOf(Record(37, 33)), State::kOther);
  EXPECT_EQ(StateOf(Record(38, 34)), State::kComplete);
  EXPECT_EQ(StateOf(Record(100, 97)), State::kOther);  // the message ends in another record
  EXPECT_EQ(StateOf(Record(100, 96, std::string(ClientHello::kRandomBytes, '\0'))), State::kOther);
  std::string server_hello = Record(100, 96);
  server_hello[5] = 2;
  EXPECT_EQ(StateOf(server_hello), State::kOther);
}

}  // namespace
}  // namespace signet
