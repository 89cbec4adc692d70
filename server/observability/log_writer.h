// LogWriter: writes lines to a file descriptor on its own thread, so that callers never wait.
//
// Lines wait in a queue of bounded size. When it is full, lines are dropped and counted, and the
// count is written as a line when there is room again. The descriptor remains blocking, because
// O_NONBLOCK would affect every process that shares it. Thread-safe.

#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace signet {

class LogWriter {
 public:
  using DroppedLine = std::function<std::string(uint64_t count)>;

  // `dropped_line` makes the line that reports dropped lines; each line ends with a newline.
  LogWriter(int descriptor, size_t max_queued_bytes, DroppedLine dropped_line);
  // Waits up to 200 ms until the queue is written.
  ~LogWriter();
  LogWriter(const LogWriter&) = delete;
  LogWriter& operator=(const LogWriter&) = delete;

  void Write(std::string line);
  // Waits until every line so far is written, or for `time`. Returns true if all were written.
  bool Flush(std::chrono::milliseconds time);
  uint64_t num_dropped() const;

 private:
  struct State;

  // Shared with the thread, which may be stuck in a write when the writer ends.
  std::shared_ptr<State> state_;
};

}  // namespace signet
