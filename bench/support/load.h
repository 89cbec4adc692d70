// LoadClient: a gRPC client that keeps a number of calls in flight, and counts them.
//
//   LoadClient client("127.0.0.1:8500", "/signet.v1.TensorService/Call", request);
//   client.CallsPerSecond(64, 1.5);
//
// The request is serialized once, and responses are not parsed (except by CallOnce), so that the
// work of the client does not depend on the server. One channel, callback API.

#pragma once

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

 private:
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<grpc::GenericStub> stub_;
  const std::string method_;
  const std::vector<grpc::ByteBuffer> requests_;
};

}  // namespace signet
