// CallReactor: serves one unary Call: parses the request, executes the call, and sends the
// response.
//
// The service makes one object per call, and gRPC deletes it through OnDone.

#pragma once

#include <atomic>

#include <grpcpp/server_context.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include "server/call/execute_call.h"
#include "server/call/serving.h"
#include "server/observability/call_log.h"
#include "server/security/access_control.h"

namespace signet {

class CallReactor final : public grpc::ServerUnaryReactor {
 public:
  // `response` lives until OnDone.
  CallReactor(ServerContext& server, grpc::CallbackServerContext& context,
              grpc::ByteBuffer& response);

  void Start(const grpc::ByteBuffer& request);

 private:
  // Checks that the caller may make calls, and begins one with a request of `bytes`.
  Status Authorize(size_t bytes);
  // Parses the request on a compute thread.
  void Queue(const grpc::ByteBuffer& request);
  // Parses the request and executes the call.
  void Begin(const grpc::ByteBuffer& request, ThreadKind thread);
  void Answer(const StatusOr<CallOutput>& output);
  void FinishWith(const Status& status);

  void OnCancel() override {
    cancelled_.store(true, std::memory_order_relaxed);
    server_.scheduler.Cancel(&cancelled_);
  }
  void OnDone() override;
  // OnCancel and OnDone only change atomics and queues and free memory, so gRPC may run them on its
  // current thread. Otherwise, every call would switch to another thread.
  bool InternalInlineable() override { return true; }

  ServerContext& server_;
  grpc::CallbackServerContext& context_;
  grpc::ByteBuffer& response_;
  std::atomic<bool> cancelled_ = false;
  bool is_counted_ = true;  // in stats.in_flight
  CallContext call_;
  CallNote note_;
  ObservedCall observed_;
  Access access_;
  CallSlot slot_;
};

}  // namespace signet
