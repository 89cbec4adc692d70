// LogDestination: writes lines to one place on a thread of its own, so that callers never wait.
//
//   SIGNET_ASSIGN_OR_RETURN(auto log, LogDestination::Open({.kind = LogTarget::Kind::kFile,
//                                                           .path = "signet.log"}, options));
//   log->Write(LogLevel::kInfo, "model loaded model=recipes");
//
// The queue, the formatter, and the rotating files come from spdlog. The rules:
//   1. At most kMaxQueuedLines lines wait. If the queue is full, the oldest line is dropped.
//   2. A line that cannot be written is dropped: the disk is full, or the reader of a pipe has
//   ended.
//      A file is opened again after an error, at most once per second.
//   3. Dropped lines are counted. When no line waits, the count is written as a line.
//   4. A pipe that is not read and a hanging file system delay neither other destinations nor the
//      end of the process.
//   5. A file has the mode 0640. When it would exceed `max_bytes`, it is renamed: log.txt to
//      log.1.txt, log.1.txt to log.2.txt, and so on.
// Thread-safe.

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "server/observability/log_options.h"
#include "signet/status.h"

namespace signet {

class LogDestination {
 public:
  static constexpr size_t kMaxQueuedLines = 2048;

  struct Options {
    std::string pattern;  // of spdlog; `%v` is the line
    // Returns the line that reports `count` dropped lines.
    std::function<std::string(uint64_t count)> dropped_line;
  };

  // Returns FAILED_PRECONDITION if the place cannot be written.
  static StatusOr<std::unique_ptr<LogDestination>> Open(const LogTarget& target, Options options);
  // Waits up to 200 ms until the queue is written.
  ~LogDestination();
  LogDestination(const LogDestination&) = delete;
  LogDestination& operator=(const LogDestination&) = delete;

  // Adds a line without a newline to the queue.
  void Write(LogLevel level, std::string_view line);
  // Waits until every line so far is written or dropped, or for `time`. Returns true if none waits.
  bool Flush(std::chrono::milliseconds time);
  uint64_t num_dropped() const;

  // Opens the files of all destinations of this process again, so that another program may rename
  // them. If a file cannot be opened, the destination keeps the earlier file. Returns the first
  // error.
  static Status ReopenFiles();

 private:
  struct State;

  explicit LogDestination(std::shared_ptr<State> state);

  // Leaked if the thread is stuck in a write when the destination ends.
  std::shared_ptr<State> state_;
};

}  // namespace signet
