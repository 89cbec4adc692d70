// AccessLog: writes one JSON object per call to a file, to standard output, to syslog, or to the
// journal.
//
//   {"time":"2026-01-31T09:30:00.123Z","rpc":"Call","model":"recipes","version":3,
//    "function":"score","code":"OK","reason":"","seconds":0.000123,
//    "stages":{"decode":0.000010,"run":0.000100},"request_bytes":310,"response_bytes":64,
//    "peer":"ipv4:10.0.0.7:5123","trace_id":"4bf92f3577b34da6a3ce929d0e0e4736"}   (one line)
//
// Writing never blocks a call: lines that do not fit into a queue are dropped and counted
// (log_destination.h). Control characters are escaped. Thread-safe.

#pragma once

#include <memory>
#include <string>
#include <utility>

#include "server/observability/log_destination.h"
#include "server/observability/observed_call.h"
#include "signet/status.h"

namespace signet {

class AccessLog {
 public:
  // `place` is `-` for standard output, `syslog`, `journal`, or the path of a file, to which lines
  // are appended. Returns FAILED_PRECONDITION if the place cannot be written.
  static StatusOr<std::unique_ptr<AccessLog>> Open(const std::string& place,
                                                   const LogFileLimits& limits);

  void Write(const ObservedCall& call, const Status& status);
  uint64_t num_dropped() const { return destination_->num_dropped(); }

 private:
  explicit AccessLog(std::unique_ptr<LogDestination> destination)
      : destination_(std::move(destination)) {}

  const std::unique_ptr<LogDestination> destination_;
};

// Returns the line of one call, without a newline.
std::string AccessLogLine(const ObservedCall& call, const Status& status);

}  // namespace signet
