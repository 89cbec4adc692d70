// AccessLog: writes one JSON object per call to a file or to standard output.
//
//   {"time":"2026-01-31T09:30:00.123Z","rpc":"Call","model":"recipes","version":3,
//    "function":"score","code":"OK","reason":"","seconds":0.000123,
//    "stages":{"decode":0.000010,"run":0.000100},"request_bytes":310,"response_bytes":64,
//    "peer":"ipv4:10.0.0.7:5123","trace_id":"4bf92f3577b34da6a3ce929d0e0e4736"}   (one line)
//
// Writing never blocks a call: up to 1 MiB of lines wait, and further lines are dropped and counted
// (log_writer.h). Control characters are escaped. Thread-safe.

#pragma once

#include <memory>
#include <string>

#include "server/observability/log_writer.h"
#include "server/observability/observed_call.h"
#include "signet/status.h"

namespace signet {

class AccessLog {
 public:
  // Appends to the file at `path`, or writes to standard output if it is `-`. Returns
  // FAILED_PRECONDITION if the file cannot be opened.
  static StatusOr<std::unique_ptr<AccessLog>> Open(const std::string& path);
  ~AccessLog();
  AccessLog(const AccessLog&) = delete;
  AccessLog& operator=(const AccessLog&) = delete;

  void Write(const ObservedCall& call, const Status& status);
  uint64_t num_dropped() const { return writer_.num_dropped(); }

 private:
  explicit AccessLog(int descriptor);

  const int descriptor_;
  LogWriter writer_;
};

// Returns the line of one call, with a newline.
std::string AccessLogLine(const ObservedCall& call, const Status& status);

}  // namespace signet
