// RunReplay: sends recorded calls to a server again, and compares the responses.
//
// Calls are sent at the times at which they were recorded, or at a fixed rate, regardless of
// earlier responses. At most `concurrency` calls are in flight; if more are due, they are sent
// late. A response is compared with the record:
//   1. If the recorded call succeeded, the response must be equal, except for the version of the
//      model.
//   2. If it failed because of the request, such as with INVALID_ARGUMENT, the code must be equal.
//   3. Other calls are not compared: calls without a recorded response, and calls that failed
//      because of load, time, or the state of the server.

#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "client/cli/histogram.h"
#include "core/formats/signet_wire/recorded_calls.h"
#include "signet/client.h"
#include "signet/status.h"

namespace signet {

struct ReplayOptions {
  double rate = 0;       // calls per second; 0: as recorded
  int concurrency = 64;  // calls in flight
  bool compare = false;
  std::chrono::milliseconds timeout = std::chrono::seconds(30);  // of each call
  ClientOptions client = {};                                     // TLS and token
};

struct ReplayReport {
  Histogram latencies;  // of calls that succeeded
  uint64_t sent = 0;
  uint64_t failed = 0;  // calls with any status except OK
  Status first_error;   // OK if no call failed
  uint64_t equal = 0;
  uint64_t different = 0;
  uint64_t not_compared = 0;
  std::vector<std::string> differences;  // the first ten, one line each
  std::chrono::duration<double> elapsed{};
  std::chrono::duration<double> latest{};  // the longest time by which a call was sent late
};

// Returns DATA_LOSS if the file is damaged; the calls before the damage were sent. Returns
// INVALID_ARGUMENT if the options of the client are wrong.
Status RunReplay(const std::string& address, RecordedCallReader& calls,
                 const ReplayOptions& options, ReplayReport& report);

}  // namespace signet
