// LoadClient: a gRPC client that keeps a number of calls in flight, and counts them.
//
//   LoadClient client("127.0.0.1:8500", "/signet.v1.TensorService/Call", request);
//   client.CallsPerSecond(64, 1.5);
//
// The request is serialized once, and responses are not parsed (except by CallOnce), so that the
// work of the client does not depend on the server. One channel, callback API.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include "signet/status.h"

namespace signet {

struct LoadSecurity {
  std::string root_certificates = {};  // PEM; empty: no TLS
  std::string token = {};              // a bearer token; empty: none
};

// The outcome of calls that were sent on a schedule.
struct OfferedLoad {
  int64_t answered = 0;
  int64_t rejected = 0;  // with RESOURCE_EXHAUSTED
  int64_t failed = 0;    // with any other error
  double seconds = 0;
  std::vector<double> latencies_us;  // of the calls that were answered, from their scheduled time

  // Returns the latency that the share `fraction` of the calls does not exceed.
  double Percentile(double fraction);
};

class LoadClient {
 public:
  // Opens a separate channel to `address`: `host:port` or `unix:path`.
  LoadClient(const std::string& address, std::string method, std::string_view request,
             const LoadSecurity& security = {});
  // Sends the requests in turn.
  LoadClient(const std::string& address, std::string method,
             const std::vector<std::string>& requests, const LoadSecurity& security = {});

  // Waits for the server, calls it once, and returns the bytes of the response.
  StatusOr<std::string> CallOnce(double seconds) const;
  // Returns the completed calls per second with `in_flight` at a time. Aborts if a call fails.
  double CallsPerSecond(int in_flight, double seconds) const;
  // Returns the median time of one call with one in flight, in microseconds.
  double MedianLatency(double seconds) const;
  // Makes one call after the other, at least one, with this priority, or none if it is empty.
  OfferedLoad CallInTurn(double seconds, const std::string& priority = "") const;
  // Sends calls on a schedule, regardless of earlier calls, and waits for all of them.
  OfferedLoad Offer(double calls_per_second, double seconds,
                    const std::string& priority = "") const;

 private:
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<grpc::GenericStub> stub_;
  const std::string method_;
  const std::vector<grpc::ByteBuffer> requests_;
};

}  // namespace signet
