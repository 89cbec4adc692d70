// Log: structured events, one line each, on standard error.
//
//   Log(LogLevel::kInfo, "model loaded", {{"model", "recipes"}, {"version", "3"}});
//
//   2026-01-31T09:30:00.123Z info model loaded model=recipes version=3
//   {"time":"2026-01-31T09:30:00.123Z","level":"info","event":"model
//   loaded","model":"recipes","version":"3"}
//
// Control characters are escaped and long values cut, so that text from outside can neither begin a
// line nor fill the log. A log that nobody reads stops nothing. Thread-safe.

#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "core/base/status.h"

namespace signet {

enum class LogLevel : uint8_t { kDebug, kInfo, kWarning, kError, kOff };
enum class LogFormat : uint8_t { kText, kJson };

struct LogField {
  std::string_view name;
  std::string value;
};

// Before the first event; also brings gRPC's own messages into this log.
void ConfigureLog(LogLevel level, LogFormat format);

void Log(LogLevel level, std::string_view event, std::initializer_list<LogField> fields = {});

// The line without its time and level.
std::string RenderLogLine(LogFormat format, std::string_view event,
                          std::initializer_list<LogField> fields);

}  // namespace signet
