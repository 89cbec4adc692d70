// Log: writes structured events to standard error and to other places, one line per event.
//
//   Log(LogLevel::kInfo, "model loaded", {{"model", "recipes"}, {"version", "3"}});
//
//   2026-01-31T09:30:00.123Z info model loaded model=recipes version=3
//   {"time":"2026-01-31T09:30:00.123Z","level":"info","event":"model
//   loaded","model":"recipes","version":"3"}
//
// Control characters are escaped and long values are cut, so that text from outside can neither
// begin a line nor fill the log. Logging never blocks: each place has a queue and a thread of its
// own, and lines that do not fit into the queue are dropped and counted (log_destination.h).
// Thread-safe.

#pragma once

#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <mutex>
#include <string>
#include <string_view>

#include "server/observability/log_options.h"
#include "signet/status.h"

namespace signet {

struct LogField {
  std::string_view name;
  std::string value;
};

// Opens the places of `options`, and redirects the messages of gRPC and of Protocol Buffers to this
// log. Until it is called, and if it returns an error, text goes to standard error. Errors name the
// flag.
Status ConfigureLog(const LogOptions& options);

void Log(LogLevel level, std::string_view event, std::initializer_list<LogField> fields = {});

// Returns true if events of `level` are written, so that their fields are worth preparing.
bool IsLogged(LogLevel level);

// Waits until every line so far is written, or for `time`. Returns true if all were written. Call
// it before the process ends.
bool FlushLog(std::chrono::milliseconds time);

// Returns the number of lines that were dropped in all places, because they were not read or could
// not be written.
uint64_t NumDroppedLogLines();

// Opens the files of the log and of the access log again, so that a program such as logrotate can
// rename them. Logs an error if a file cannot be opened; the earlier file then remains in use.
void ReopenLogFiles();

// LogSampler: bounds how often an event that clients can cause is logged. Thread-safe.
class LogSampler {
 public:
  explicit LogSampler(int most_per_second) : most_per_second_(most_per_second) {}

  // Returns 0 if this event must not be logged. Otherwise, returns the number of events that its
  // line reports: this event and the events before it that were not logged.
  uint64_t Admit();

 private:
  const int most_per_second_;
  std::mutex mu_;
  int64_t second_ = 0;    // guarded by mu_
  int in_second_ = 0;     // guarded by mu_
  uint64_t skipped_ = 0;  // guarded by mu_
};

// Returns `text` in double quotes, for both formats and for JSON. Escapes each byte that is not
// printable ASCII, and cuts the text after 512 bytes, so that text from outside can neither control
// a terminal nor look like another line.
std::string QuotedForLog(std::string_view text);
// Returns a time as the log writes it: `2026-01-31T09:30:00.123Z`.
std::string LogTime(std::chrono::system_clock::time_point time);

// Returns the line without its time and level.
std::string RenderLogLine(LogFormat format, std::string_view event,
                          std::initializer_list<LogField> fields);

}  // namespace signet
