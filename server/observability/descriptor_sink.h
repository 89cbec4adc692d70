// DescriptorSink: a sink of spdlog that writes to a pipe, a terminal, or a device.
//
// Lines are joined to writes that a pipe with room accepts without blocking, so a thread that waits
// for room can be stopped. The descriptor remains blocking, because O_NONBLOCK would affect every
// process that shares it. On a terminal, the level is colored.
//
// One thread logs and flushes; it receives spdlog::spdlog_ex if lines cannot be written. Stop is
// thread-safe.

#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <string_view>

#include <spdlog/formatter.h>
#include <spdlog/sinks/sink.h>

namespace signet {

class DescriptorSink final : public spdlog::sinks::sink {
 public:
  // Owns the descriptor.
  explicit DescriptorSink(int descriptor);
  ~DescriptorSink() override;

  void log(const spdlog::details::log_msg& message) override;
  void flush() override;
  void set_pattern(const std::string& pattern) override;
  void set_formatter(std::unique_ptr<spdlog::formatter> formatter) override;

  // From now on, lines for which there is no room are lost.
  void Stop() { stop_ = true; }

 private:
  void WriteOut(std::string_view text);

  const int descriptor_;
  const bool has_colors_;
  std::unique_ptr<spdlog::formatter> formatter_;
  std::string text_;  // not written yet
  std::atomic<bool> stop_ = false;
};

}  // namespace signet
