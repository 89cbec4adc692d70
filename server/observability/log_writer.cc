#include "server/observability/log_writer.h"

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <deque>
#include <limits.h>
#include <mutex>
#include <poll.h>
#include <string_view>
#include <unistd.h>
#include <utility>

#include "server/observability/background_thread.h"

namespace signet {

using std::chrono::milliseconds;

namespace {

constexpr milliseconds kFlushTime(200);
constexpr milliseconds kPollAgain(1000);

}  // namespace

struct LogWriter::State {
  int descriptor = -1;
  size_t max_bytes = 0;
  DroppedLine dropped_line;

  std::mutex mu;
  std::condition_variable changed;
  std::deque<std::string> lines;  // guarded by mu
  size_t bytes = 0;               // of lines; guarded by mu
  bool writing = false;           // lines were taken and are not written yet; guarded by mu
  bool stop = false;              // guarded by mu
  uint64_t dropped = 0;           // guarded by mu
  uint64_t dropped_reported = 0;  // guarded by mu

  void Run();
  // Returns false if the text could not be written completely.
  bool WriteOut(std::string_view text);
};

void LogWriter::State::Run() {
  std::unique_lock lock(mu);
  while (true) {
    changed.wait(lock, [this] { return stop || !lines.empty(); });
    if (lines.empty()) return;
    // Lines are joined to the size that a pipe with room accepts without blocking.
    std::string text;
    uint64_t count = 0;
    while (!lines.empty() && (text.empty() || text.size() + lines.front().size() <= PIPE_BUF)) {
      bytes -= lines.front().size();
      text += lines.front();
      lines.pop_front();
      ++count;
    }
    if (lines.empty() && dropped > dropped_reported) {
      text += dropped_line(dropped - std::exchange(dropped_reported, dropped));
    }
    writing = true;
    lock.unlock();
    const bool is_written = WriteOut(text);
    lock.lock();
    if (!is_written) dropped += count;
    writing = false;
    changed.notify_all();
  }
}

bool LogWriter::State::WriteOut(std::string_view text) {
  while (!text.empty()) {
    pollfd room = {descriptor, POLLOUT, 0};
    if (poll(&room, 1, static_cast<int>(kPollAgain.count())) == 0) {
      std::lock_guard lock(mu);
      if (stop) return false;
      continue;
    }
    ssize_t written = write(descriptor, text.data(), std::min<size_t>(text.size(), PIPE_BUF));
    if (written >= 0) {
      text.remove_prefix(static_cast<size_t>(written));
    } else if (errno != EAGAIN && errno != EINTR) {
      return false;  // the reader has closed the pipe, or the disk is full
    }
  }
  return true;
}

LogWriter::LogWriter(int descriptor, size_t max_queued_bytes, DroppedLine dropped_line)
    : state_(std::make_shared<State>()) {
  state_->descriptor = descriptor;
  state_->max_bytes = max_queued_bytes;
  state_->dropped_line = std::move(dropped_line);
  StartBackgroundThread([state = state_] { state->Run(); }).detach();
}

LogWriter::~LogWriter() {
  Flush(kFlushTime);
  std::lock_guard lock(state_->mu);
  state_->stop = true;
  state_->changed.notify_all();
}

void LogWriter::Write(std::string line) {
  std::lock_guard lock(state_->mu);
  if (state_->bytes + line.size() > state_->max_bytes) {
    ++state_->dropped;
    return;
  }
  state_->bytes += line.size();
  state_->lines.push_back(std::move(line));
  state_->changed.notify_all();
}

bool LogWriter::Flush(milliseconds time) {
  std::unique_lock lock(state_->mu);
  return state_->changed.wait_for(lock, time,
                                  [this] { return state_->lines.empty() && !state_->writing; });
}

uint64_t LogWriter::num_dropped() const {
  std::lock_guard lock(state_->mu);
  return state_->dropped;
}

}  // namespace signet
