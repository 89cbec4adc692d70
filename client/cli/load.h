// RunLoad: repeats one call, and measures throughput and latency.
//
// Closed loop: `concurrency` calls are in flight at all times. While the server cannot be reached
// or rejects calls, each of them pauses before it is repeated: from PauseAfter(1) on. Open loop, if
// a rate is set: calls are sent on a schedule, regardless of earlier calls, and latency is measured
// from the scheduled time. If the server stalls, all calls that it delayed are therefore counted.

#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <string>

#include "client/cli/histogram.h"
#include "signet/client.h"
#include "signet/status.h"
#include "signet/v1/service.pb.h"

namespace signet {

struct LoadOptions {
  int concurrency = 8;  // calls in flight
  int channels = 1;     // connections over which the calls are distributed
  double rate = 0;      // calls per second; 0: closed loop
  std::chrono::duration<double> duration = std::chrono::seconds(5);
  std::chrono::milliseconds timeout = std::chrono::seconds(30);  // of each call
  std::string priority = {};  // high, normal, or low; empty for that of the model
  ClientOptions client = {};  // TLS and token
};

struct LoadReport {
  Histogram latencies;  // of calls that succeeded
  std::atomic<uint64_t> answered = 0;
  std::atomic<uint64_t> failed = 0;  // calls with any status except OK
  std::chrono::duration<double> elapsed{};
  Status first_error;  // OK if no call failed
};

// Returns the time of the next check whether a load that ends at `end` is over: one second after
// `now`, or `end` if that is earlier. After the end, a load waits for its last calls.
std::chrono::steady_clock::time_point NextCheck(std::chrono::steady_clock::time_point now,
                                                std::chrono::steady_clock::time_point end);

// Returns the pause after `rejections` calls in a row that the server rejected: 10 milliseconds,
// then twice the last pause, up to a second.
std::chrono::milliseconds PauseAfter(int rejections);

// Runs until `options.duration` is over and every call has ended. Calls `progress` about once per
// second.
void RunLoad(const std::string& address, const v1::CallRequest& request, const LoadOptions& options,
             LoadReport& report, const std::function<void(const LoadReport&)>& progress);

}  // namespace signet
