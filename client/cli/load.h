// Load: sends one call again and again, and measures.
//
// Closed loop: `concurrency` calls are always under way. Open loop, when a rate is given: calls are
// sent on a schedule whatever becomes of the earlier ones, and latency counts from the moment a
// call was due, so that a server that stalls is not measured as one that was asked less.

#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <string>

#include "client/cli/histogram.h"
#include "signet/status.h"
#include "signet/v1/service.pb.h"

namespace signet {

struct LoadOptions {
  int concurrency = 8;  // calls under way
  int channels = 1;     // connections they are spread over
  double rate = 0;      // calls a second; 0: closed loop
  std::chrono::duration<double> duration = std::chrono::seconds(5);
  std::chrono::milliseconds timeout = std::chrono::seconds(30);  // of each call
};

struct LoadReport {
  Histogram latencies;  // of calls that were answered
  std::atomic<uint64_t> answered = 0;
  std::atomic<uint64_t> refused = 0;  // with any status but OK
  std::chrono::duration<double> elapsed{};
  Status first_refusal;  // OK when there was none
};

// Returns when a load that ends at `end` checks next whether it is over: after a second, or at its
// end if that is earlier. After the end, it waits for the last calls.
std::chrono::steady_clock::time_point NextCheck(std::chrono::steady_clock::time_point now,
                                                std::chrono::steady_clock::time_point end);

// Runs to the end of `options.duration` and of every call. `progress` is called about once a
// second.
void RunLoad(const std::string& address, const v1::CallRequest& request, const LoadOptions& options,
             LoadReport& report, const std::function<void(const LoadReport&)>& progress);

}  // namespace signet
