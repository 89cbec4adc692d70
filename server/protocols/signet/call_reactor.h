// CallReactor: serves one unary Call: parses the request, executes the call, and sends the
// response. The service makes one for each call, and gRPC deletes it through OnDone.

#pragma once

#include <atomic>

#include <grpcpp/server_context.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include "server/call/execute_call.h"
#include "server/call/serving.h"
#include "server/observability/call_log.h"

namespace signet {

class CallReactor final : public grpc::ServerUnaryReactor {
 public:
  // `response` lives until OnDone.
  CallReactor(Serving& serving, grpc::CallbackServerContext& context, grpc::ByteBuffer& response);

  void Start(const grpc::ByteBuffer& request);

 private:
  // Parses the request and executes the call.
  void Begin(const grpc::ByteBuffer& request, ThreadKind thread);
  void Answer(const StatusOr<CallOutput>& output);
  void FinishWith(const Status& status);

  void OnCancel() override { cancelled_.store(true, std::memory_order_relaxed); }
  void OnDone() override;
  // Its reactions only touch atomics and free memory, so gRPC may run them where it stands;
  // otherwise every call would cost a hop to another thread.
  bool InternalInlineable() override { return true; }

  Serving& serving_;
  grpc::CallbackServerContext& context_;
  grpc::ByteBuffer& response_;
  std::atomic<bool> cancelled_ = false;
  bool is_counted_ = true;  // in stats.in_flight
  CallNote note_;
};

}  // namespace signet
