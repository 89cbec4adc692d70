#include "server/transport/frame_scanner.h"

#include <random>
#include <string>

#include <gmock/gmock.h>

#include "signet/cat.h"
#include "tests/server/transport/raw_connection.h"

namespace signet {
namespace {

using testing::HasSubstr;

const char kPreface[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

std::string Frame(int type, int flags, uint32_t stream, std::string_view payload = "") {
  return RawConnection::Frame(type, flags, stream, payload);
}

// Returns the HEADERS frames of `count` streams, beginning with number `first`.
std::string Streams(int first, int count) {
  std::string frames;
  for (int i = first; i < first + count; ++i) {
    frames += Frame(1, 4, static_cast<uint32_t>(2 * i + 1), "block");
  }
  return frames;
}

TEST(FrameScannerTest, CountsFramesAtAnySplitOfTheBytes) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE(Cat("seed ", seed));
  std::mt19937 random(seed);
  std::string bytes = kPreface + Frame(4, 0, 0, "settings");
  for (uint32_t i = 0; i < 200; ++i) {
    bytes += Frame(1, 4, 2 * i + 1, std::string(random() % 100, 'h'));
    bytes += Frame(0, 1, 2 * i + 1, std::string(random() % 1000, '\3'));
    if (i % 2 == 0) bytes += Frame(3, 0, 2 * i + 1, "code");
    if (i % 10 == 0) bytes += Frame(1, 5, 2 * i + 1, "trailers");
  }
  for (int round = 0; round < 20; ++round) {
    FrameScanner scanner({});
    std::string_view rest = bytes;
    while (!rest.empty()) {
      size_t count = std::min<size_t>(1 + random() % (round == 0 ? 1 : 50), rest.size());
      ASSERT_EQ(scanner.Scan(rest.substr(0, count)), count);
      rest.remove_prefix(count);
    }
    EXPECT_EQ(scanner.misuse(), nullptr);
    EXPECT_EQ(scanner.counts().opened, 200);
    EXPECT_EQ(scanner.counts().reset, 100);
  }
}

TEST(FrameScannerTest, RejectsStreamsBeforeSettingsAreAcknowledged) {
  FrameScanner scanner({.streams_before_ack = 10});
  scanner.Scan(kPreface + Frame(4, 0, 0) + Streams(0, 10));
  EXPECT_EQ(scanner.misuse(), nullptr);
  scanner.Scan(Streams(10, 1));
  EXPECT_THAT(scanner.misuse(), HasSubstr("SETTINGS"));
  EXPECT_EQ(scanner.Scan(Streams(11, 1)), 0u);
}

TEST(FrameScannerTest, AcceptsStreamsAfterSettingsAreAcknowledged) {
  FrameScanner scanner({.streams_before_ack = 10});
  scanner.Scan(kPreface + Streams(0, 10) + Frame(4, 1, 0) + Streams(10, 100));
  EXPECT_EQ(scanner.misuse(), nullptr);
  EXPECT_EQ(scanner.counts().opened, 110);
}

TEST(FrameScannerTest, RejectsHeadersWithoutEnd) {
  FrameScanner scanner({.header_block_bytes = 1000});
  // The limit applies to each block of headers, not to their sum.
  scanner.Scan(kPreface + Streams(0, 500));
  scanner.Scan(Frame(1, 0, 2001, std::string(482, 'h')));
  scanner.Scan(Frame(9, 0, 2001, std::string(500, 'h')));
  EXPECT_EQ(scanner.misuse(), nullptr);
  scanner.Scan(Frame(9, 0, 2001));  // without payload
  EXPECT_THAT(scanner.misuse(), HasSubstr("headers"));
}

TEST(FrameScannerTest, LeavesBytesThatAreNotHttp2ToGrpc) {
  FrameScanner scanner({.streams_before_ack = 1});
  const std::string bytes = "GET / HTTP/1.1\r\n\r\n" + Streams(0, 100);
  EXPECT_EQ(scanner.Scan(bytes), bytes.size());
  EXPECT_EQ(scanner.misuse(), nullptr);
  EXPECT_EQ(scanner.counts().opened, 0);
}

TEST(FrameScannerTest, StopsAfterTheHeaderOfTheFrameThatReachesACount) {
  FrameScanner scanner({});
  const std::string start = kPreface + Frame(4, 1, 0) + Streams(0, 2);
  const std::string last = Frame(1, 4, 5, "block");
  const std::string reset = Frame(3, 0, 5, "code");
  const std::string bytes = start + last + reset + Frame(3, 0, 3, "code");
  std::string_view rest = bytes;

  EXPECT_EQ(scanner.Scan(rest, {.opened = 3, .reset = 1}), start.size() + 9);
  EXPECT_EQ(scanner.counts().opened, 3);
  rest.remove_prefix(start.size() + 9);
  EXPECT_EQ(scanner.Scan(rest, {.opened = 4, .reset = 1}),
            last.size());  // its payload and the header of the next frame
  EXPECT_EQ(scanner.counts().reset, 1);
  rest.remove_prefix(last.size());
  EXPECT_EQ(scanner.Scan(rest), rest.size());
  EXPECT_EQ(scanner.counts().reset, 2);
}

}  // namespace
}  // namespace signet
