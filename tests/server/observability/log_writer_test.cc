#include "server/observability/log_writer.h"

#include <csignal>
#include <string>
#include <unistd.h>

#include <gtest/gtest.h>

#include "signet/cat.h"

namespace signet {
namespace {

using std::chrono::milliseconds;

std::string DroppedLine(uint64_t count) { return Cat(count, " dropped\n"); }

struct Pipe {
  Pipe() { EXPECT_EQ(pipe(ends), 0); }
  ~Pipe() {
    close(ends[0]);
    CloseWriting();
  }
  void CloseWriting() {
    if (ends[1] >= 0) close(ends[1]);
    ends[1] = -1;
  }
  std::string ReadSome(size_t size) const {
    std::string text(size, '\0');
    ssize_t count = read(ends[0], text.data(), text.size());
    text.resize(count > 0 ? static_cast<size_t>(count) : 0);
    return text;
  }
  int ends[2] = {-1, -1};
};

TEST(LogWriterTest, WritesLinesInOrder) {
  Pipe pipe;
  LogWriter writer(pipe.ends[1], 1 << 20, DroppedLine);
  std::string expected;
  for (int i = 0; i < 100; ++i) {
    expected += Cat("line ", i, "\n");
    writer.Write(Cat("line ", i, "\n"));
  }
  ASSERT_TRUE(writer.Flush(milliseconds(60'000)));
  EXPECT_EQ(pipe.ReadSome(1 << 16), expected);
}

// The pipe is not read. Neither Write nor the destructor may wait for a reader.
TEST(LogWriterTest, DropsAndCountsLinesThatAreNotRead) {
  Pipe pipe;
  const std::string line(1000, 'x');
  LogWriter writer(pipe.ends[1], 10'000, DroppedLine);
  while (writer.Flush(milliseconds(100))) writer.Write(line + "\n");  // until the pipe is full
  uint64_t before = writer.num_dropped();
  for (int i = 0; i < 1000; ++i) writer.Write(line + "\n");
  uint64_t dropped = writer.num_dropped();
  EXPECT_GT(dropped, before + 900);  // the queue holds ten lines
  std::string text;
  while (text.find("dropped") == std::string::npos) {
    std::string more = pipe.ReadSome(4096);
    ASSERT_FALSE(more.empty());
    text += more;
  }
  EXPECT_NE(text.find(Cat("\n", dropped, " dropped\n")), std::string::npos);
}

TEST(LogWriterTest, EndsWhileItsThreadIsStuck) {
  Pipe pipe;
  {
    LogWriter writer(pipe.ends[1], 1 << 20, DroppedLine);
    for (int i = 0; i < 300; ++i) writer.Write(std::string(1000, 'x'));
  }
  SUCCEED();
}

TEST(LogWriterTest, OutlivesItsReader) {
  Pipe pipe;
  close(pipe.ends[0]);
  signal(SIGPIPE, SIG_IGN);
  LogWriter writer(pipe.ends[1], 1 << 20, DroppedLine);
  writer.Write("this is not read\n");
  EXPECT_TRUE(writer.Flush(milliseconds(60'000)));
  pipe.ends[0] = -1;
}

}  // namespace
}  // namespace signet
