// ExplainWork: explains what Call would do, without running it.
//
// Work as server/call/attempts.h runs it, on a thread that may make a concrete function, since that
// is likely. A call that does not fit its function is explained too: outcome REFUSED, with the
// error. NOT_FOUND and a request that cannot be parsed are statuses. One attempt at a time.

#pragma once

#include <optional>

#include <grpcpp/support/byte_buffer.h>

#include "core/serving/call/bind.h"
#include "server/call/serving.h"
#include "signet/v1/service.pb.h"

namespace signet {

class ExplainWork {
 public:
  using Outcome = StatusOr<v1::ExplainResponse>;

  // Both must outlive the work.
  ExplainWork(const Serving& serving, const grpc::ByteBuffer& request)
      : serving_(&serving), request_(&request) {}

  Outcome Attempt(const RunControl& control);
  static Outcome Fail(Status status) { return status; }

 private:
  // Parses the request and binds the call.
  Status Begin();

  const Serving* serving_;
  const grpc::ByteBuffer* request_;
  CalledFunction called_;  // without a model before Begin
  StatusOr<BoundCall> call_ = BoundCall();
};

}  // namespace signet
