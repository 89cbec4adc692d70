// Load: a gRPC client that keeps a number of calls in flight, and counts.
//
//   LoadClient client("127.0.0.1:8500", "/signet.v1.TensorService/Call", request);
//   client.CallsPerSecond(64, 1.5);
//
// The request is made once, as bytes; answers are received as bytes and not looked at (but see
// CallOnce). Whatever the server, the client's work is thus the same. One channel, callback API.

#pragma once

#include <memory>
#include <string>

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include "signet/status.h"

namespace signet {

class LoadClient {
 public:
  // A channel of its own to `address`: `host:port` or `unix:path`.
  LoadClient(const std::string& address, std::string method, std::string_view request);

  // Waits for the server, calls once, and returns the answer's bytes.
  StatusOr<std::string> CallOnce(double seconds) const;
  // Completed calls a second with `in_flight` of them at a time. Aborts when a call is refused.
  double CallsPerSecond(int in_flight, double seconds) const;
  // The median time of one call with one in flight, in microseconds.
  double MedianLatency(double seconds) const;

 private:
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<grpc::GenericStub> stub_;
  const std::string method_;
  const grpc::ByteBuffer request_;
};

}  // namespace signet
