#include "server/observability/descriptor_sink.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <limits.h>
#include <poll.h>
#include <unistd.h>
#include <utility>

#include <spdlog/common.h>
#include <spdlog/pattern_formatter.h>

namespace signet {
namespace {

constexpr int kPollMilliseconds = 100;  // between two checks whether the sink is stopped
constexpr std::string_view kColorEnd = "\033[0m";

// Escape sequences by level of spdlog: trace, debug, info, warning, error, critical, and off.
constexpr std::array<std::string_view, spdlog::level::n_levels> kColors = {
    "\033[37m", "\033[36m", "\033[32m", "\033[33;1m", "\033[31;1m", "\033[1;41m", "\033[0m"};

// NO_COLOR is a convention that many programs follow.
bool ShowsColors(int descriptor) {
  const char* no_color = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  return isatty(descriptor) == 1 && (no_color == nullptr || *no_color == '\0') &&
         terminal != nullptr && std::string_view(terminal) != "dumb";
}

}  // namespace

DescriptorSink::DescriptorSink(int descriptor)
    : descriptor_(descriptor),
      has_colors_(ShowsColors(descriptor)),
      formatter_(std::make_unique<spdlog::pattern_formatter>()) {}

DescriptorSink::~DescriptorSink() { close(descriptor_); }

void DescriptorSink::log(const spdlog::details::log_msg& message) {
  spdlog::memory_buf_t formatted;
  formatter_->format(message, formatted);
  std::string line(formatted.data(), formatted.size());
  if (has_colors_ && message.color_range_end > message.color_range_start) {
    line.insert(message.color_range_end, kColorEnd);
    line.insert(message.color_range_start, kColors[static_cast<size_t>(message.level)]);
  }
  if (!text_.empty() && text_.size() + line.size() > PIPE_BUF) flush();
  text_ += line;
}

void DescriptorSink::flush() { WriteOut(std::exchange(text_, {})); }

void DescriptorSink::WriteOut(std::string_view text) {
  while (!text.empty()) {
    pollfd room = {descriptor_, POLLOUT, 0};
    if (poll(&room, 1, kPollMilliseconds) == 0) {
      if (stop_) throw spdlog::spdlog_ex("the log is not read");
      continue;
    }
    ssize_t written = write(descriptor_, text.data(), std::min<size_t>(text.size(), PIPE_BUF));
    if (written >= 0) {
      text.remove_prefix(static_cast<size_t>(written));
    } else if (errno != EAGAIN && errno != EINTR) {
      throw spdlog::spdlog_ex("write", errno);  // the reader has closed the pipe
    }
  }
}

void DescriptorSink::set_pattern(const std::string& pattern) {
  set_formatter(std::make_unique<spdlog::pattern_formatter>(pattern));
}

void DescriptorSink::set_formatter(std::unique_ptr<spdlog::formatter> formatter) {
  formatter_ = std::move(formatter);
}

}  // namespace signet
