// InferReactor: serves one ModelInfer: parses the request, executes the call, and sends the
// response. It does for this protocol what CallReactor does for signet.v1.
//
// The service makes one object per call, and gRPC deletes it through OnDone.

#pragma once

#include <atomic>

#include <grpcpp/server_context.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include "core/formats/inference/infer_message.h"
#include "core/formats/signet_wire/wire.h"
#include "server/call/execute_call.h"
#include "server/call/serving.h"
#include "server/observability/call_log.h"
#include "server/security/access_control.h"

namespace signet {

// Parses a request, checks that the caller may call its model, and moves the inputs to a call.
// `request` keeps the rest, also after an error.
StatusOr<CallRequest> ReadInferCall(const ServerContext& server, const Access& access,
                                    const wire::Message& message, InferRequest& request);
// Adds the time and the priority that the call itself states to `control` and `context`.
void ApplyRequestSettings(const CallRequest& call, RunControl& control, CallContext& context);

class InferReactor final : public grpc::ServerUnaryReactor {
 public:
  // `response` lives until OnDone.
  InferReactor(ServerContext& server, grpc::CallbackServerContext& context,
               grpc::ByteBuffer& response);

  void Start(const grpc::ByteBuffer& request);

 private:
  // Checks that the caller may make calls, and begins one with a request of `bytes`.
  Status Admit(size_t bytes);
  // Parses the request on a compute thread.
  void Queue(const grpc::ByteBuffer& request);
  void Begin(const grpc::ByteBuffer& request, ThreadKind thread);
  void Answer(const StatusOr<CallOutput>& output);
  void FinishWith(const Status& status);

  void OnCancel() override {
    cancelled_.store(true, std::memory_order_relaxed);
    server_.scheduler.Cancel(&cancelled_);
  }
  void OnDone() override;
  bool InternalInlineable() override { return true; }  // as in CallReactor

  ServerContext& server_;
  grpc::CallbackServerContext& context_;
  grpc::ByteBuffer& response_;
  std::atomic<bool> cancelled_ = false;
  bool is_counted_ = true;  // in stats.in_flight
  InferRequest request_;    // without its inputs
  CallContext call_;
  CallNote note_;
  ObservedCall observed_;
  Access access_;
  CallSlot slot_;
};

}  // namespace signet
