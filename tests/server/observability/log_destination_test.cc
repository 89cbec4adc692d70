#include "server/observability/log_destination.h"

#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <sstream>
#include <string>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/common.h>
#include <spdlog/details/log_msg.h>

#include "server/observability/descriptor_sink.h"
#include "signet/cat.h"
#include "tests/support/temporary_folder.h"

namespace signet {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLong(60'000);

std::unique_ptr<LogDestination> Open(const std::filesystem::path& path, int64_t max_bytes = 0) {
  auto destination = LogDestination::Open(
      {.kind = LogTarget::Kind::kFile, .path = path, .max_bytes = max_bytes, .num_old_files = 2},
      {.pattern = "%l %v", .dropped_line = [](uint64_t count) { return Cat(count, " dropped"); }});
  EXPECT_TRUE(destination.ok()) << destination.status();
  return destination.ok() ? *std::move(destination) : nullptr;
}

std::string ContentsOf(const std::filesystem::path& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

class LogDestinationTest : public testing::Test {
 protected:
  std::filesystem::path Path(std::string_view name) const { return folder_.path() / name; }
  std::filesystem::path MakePipe() const {
    EXPECT_EQ(mkfifo(Path("pipe").c_str(), 0600), 0);
    return Path("pipe");
  }

 private:
  TemporaryFolder folder_;
};

TEST_F(LogDestinationTest, AppendsLinesInOrder) {
  std::ofstream(Path("log.txt")) << "earlier\n";
  auto log = Open(Path("log.txt"));
  std::string expected = "earlier\n";
  for (int i = 0; i < 1000; ++i) {
    expected += Cat("info line ", i, "\n");
    log->Write(LogLevel::kInfo, Cat("line ", i));
  }
  ASSERT_TRUE(log->Flush(kLong));
  EXPECT_EQ(ContentsOf(Path("log.txt")), expected);
  EXPECT_EQ(log->num_dropped(), 0u);
}

TEST_F(LogDestinationTest, RotatesFiles) {
  auto log = Open(Path("log.txt"), /*max_bytes=*/100);
  for (int i = 0; i < 10; ++i) log->Write(LogLevel::kError, Cat(i, std::string(60, 'x')));
  ASSERT_TRUE(log->Flush(kLong));
  EXPECT_THAT(ContentsOf(Path("log.txt")), testing::StartsWith("error 9x"));
  EXPECT_THAT(ContentsOf(Path("log.1.txt")), testing::StartsWith("error 8x"));
  EXPECT_THAT(ContentsOf(Path("log.2.txt")), testing::StartsWith("error 7x"));
  EXPECT_FALSE(std::filesystem::exists(Path("log.3.txt")));
  struct stat info = {};
  ASSERT_EQ(stat(Path("log.txt").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777 & ~0640u, 0u);
}

TEST_F(LogDestinationTest, ReopensRenamedFiles) {
  auto log = Open(Path("log.txt"));
  log->Write(LogLevel::kInfo, "first");
  ASSERT_TRUE(log->Flush(kLong));
  std::filesystem::rename(Path("log.txt"), Path("old.txt"));
  log->Write(LogLevel::kInfo, "second");
  ASSERT_TRUE(log->Flush(kLong));
  ASSERT_EQ(LogDestination::ReopenFiles(), absl::OkStatus());
  log->Write(LogLevel::kInfo, "third");
  ASSERT_TRUE(log->Flush(kLong));
  EXPECT_EQ(ContentsOf(Path("old.txt")), "info first\ninfo second\n");
  EXPECT_EQ(ContentsOf(Path("log.txt")), "info third\n");
}

// The path leads to a device that is full at first, and to a file later.
TEST_F(LogDestinationTest, OpensAFileAgainAfterAnError) {
  if (access("/dev/full", W_OK) != 0) GTEST_SKIP() << "no /dev/full";
  std::filesystem::create_symlink("/dev/full", Path("log.txt"));
  auto log = Open(Path("log.txt"));
  log->Write(LogLevel::kInfo, "lost");
  ASSERT_TRUE(log->Flush(kLong));
  EXPECT_EQ(log->num_dropped(), 1u);
  std::filesystem::remove(Path("log.txt"));
  while (!std::filesystem::exists(Path("log.txt"))) {
    log->Write(LogLevel::kInfo, "later");
    ASSERT_TRUE(log->Flush(kLong));
    std::this_thread::sleep_for(milliseconds(10));
  }
  EXPECT_THAT(ContentsOf(Path("log.txt")),
              testing::MatchesRegex("info later\nwarning [0-9]+ dropped\n"));
}

TEST_F(LogDestinationTest, RejectsPlacesThatCannotBeWritten) {
  const LogDestination::Options options = {.pattern = "%v", .dropped_line = {}};
  for (const auto& path : {Path("missing") / "log.txt", Path("")}) {
    auto log = LogDestination::Open({.kind = LogTarget::Kind::kFile, .path = path}, options);
    EXPECT_EQ(log.status().code(), absl::StatusCode::kFailedPrecondition) << path;
    EXPECT_THAT(log.status().message(), testing::HasSubstr("cannot write")) << path;
  }
}

// The pipe is not read at first. Write does not wait for a reader.
TEST_F(LogDestinationTest, DropsAndCountsLinesThatAreNotRead) {
  const auto path = MakePipe();
  auto log = Open(path);
  const std::string line(1000, 'x');
  while (log->num_dropped() < 1000) log->Write(LogLevel::kInfo, line);
  EXPECT_FALSE(log->Flush(milliseconds(0)));
  const uint64_t dropped = log->num_dropped();
  std::ifstream pipe(path);
  std::string text;
  while (std::getline(pipe, text) && !text.ends_with("dropped")) EXPECT_EQ(text, "info " + line);
  EXPECT_EQ(text, Cat("warning ", dropped, " dropped"));
}

TEST_F(LogDestinationTest, EndsWhileItsThreadIsStuck) {
  auto log = Open(MakePipe());
  for (int i = 0; i < 300; ++i) log->Write(LogLevel::kInfo, std::string(1000, 'x'));
  log = nullptr;  // returns
}

struct Pipe {
  Pipe() { EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0); }
  int ends[2] = {-1, -1};
};

TEST(DescriptorSinkTest, ReportsThatItsReaderHasEnded) {
  Pipe pipe;
  close(pipe.ends[0]);
  signal(SIGPIPE, SIG_IGN);
  DescriptorSink sink(pipe.ends[1]);
  sink.log({"signet-server", spdlog::level::info, "not read"});
  EXPECT_THROW(sink.flush(), spdlog::spdlog_ex);
  EXPECT_NO_THROW(sink.flush());  // nothing is left
}

TEST(DescriptorSinkTest, ColorsLevelsOnTerminals) {
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  ASSERT_GE(terminal, 0);
  ASSERT_EQ(grantpt(terminal), 0);
  ASSERT_EQ(unlockpt(terminal), 0);
  setenv("TERM", "xterm", 1);
  for (bool has_colors : {true, false}) {
    has_colors ? unsetenv("NO_COLOR") : setenv("NO_COLOR", "1", 1);
    DescriptorSink sink(open(ptsname(terminal), O_WRONLY | O_NOCTTY | O_CLOEXEC));
    sink.set_pattern("%^%l%$ %v");
    sink.log({"signet-server", spdlog::level::err, "message"});
    sink.flush();
    std::string text(100, '\0');
    const ssize_t size = read(terminal, text.data(), text.size());
    text.resize(size > 0 ? static_cast<size_t>(size) : 0);
    EXPECT_EQ(text, has_colors ? "\033[31;1merror\033[0m message\r\n" : "error message\r\n");
  }
  unsetenv("NO_COLOR");
  close(terminal);
}

}  // namespace
}  // namespace signet
