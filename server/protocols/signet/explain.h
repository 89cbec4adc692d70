// ExplainWork: explains what Call would do, without running the function.
//
// RunWork runs it on a maker thread, because an explanation usually makes a concrete function
// (server/call/attempts.h). If the arguments do not fit the function, the explanation has the
// outcome REFUSED and the error. If the function is not found, or the request cannot be parsed, the
// RPC fails. `access` must permit Explain of the model. Not thread-safe.

#pragma once

#include <optional>
#include <utility>

#include <grpcpp/support/byte_buffer.h>

#include "core/serving/call/bind.h"
#include "server/call/serving.h"
#include "signet/v1/service.pb.h"

namespace signet {

class ExplainWork {
 public:
  using Outcome = StatusOr<v1::ExplainResponse>;

  // `server` and `request` must outlive this object.
  ExplainWork(ServerContext& server, Access access, const grpc::ByteBuffer& request)
      : server_(&server), access_(std::move(access)), request_(&request) {}

  Outcome Attempt(const RunControl& control);
  static Outcome Fail(Status status) { return status; }

 private:
  // Parses the request and binds the call.
  Status Begin();

  ServerContext* server_;
  Access access_;
  const grpc::ByteBuffer* request_;
  CalledFunction called_;  // without a model before Begin
  StatusOr<BoundCall> call_ = BoundCall();
};

}  // namespace signet
