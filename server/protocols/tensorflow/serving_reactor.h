// ServingReactor: serves one RPC of PredictionService that makes calls.
//
// The calls have the permissions, limits, queues, deadlines, metrics, traces, and logs of a Call of
// signet.v1. The service makes one object per RPC, and gRPC deletes it through OnDone.

#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include <grpcpp/server_context.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include "server/call/execute_call.h"
#include "server/call/serving.h"
#include "server/observability/call_log.h"
#include "server/protocols/tensorflow/serving_call.h"

namespace signet::tf {

class ServingReactor final : public grpc::ServerUnaryReactor {
 public:
  // `request` and `response` live until OnDone.
  ServingReactor(ServerContext& server, grpc::CallbackServerContext& context,
                 const grpc::ByteBuffer& request, grpc::ByteBuffer& response,
                 std::unique_ptr<ServingCall> call, const char* rpc);

  void Start();

 private:
  Status Admit();
  // Reads the request and executes its calls.
  void Begin(ThreadKind thread);
  // Executes the next call. `loads` counts how often it waited for its model.
  void ExecuteNext(ThreadKind thread, int loads);
  void Add(const CalledFunction& called, StatusOr<CallOutput> output);
  void FinishWith(const Status& status);

  void OnCancel() override {
    cancelled_.store(true, std::memory_order_relaxed);
    server_.scheduler.Cancel(&cancelled_);
  }
  void OnDone() override;
  // OnCancel and OnDone only change atomics and queues and free memory, so gRPC may run them on its
  // current thread.
  bool InternalInlineable() override { return true; }

  ServerContext& server_;
  grpc::CallbackServerContext& context_;
  const grpc::ByteBuffer& request_;
  grpc::ByteBuffer& response_;
  const std::unique_ptr<ServingCall> call_;
  const char* const rpc_;
  std::vector<ServingTask> tasks_;
  size_t next_ = 0;  // the task that is executed
  std::atomic<bool> cancelled_ = false;
  bool is_counted_ = true;  // in stats.in_flight
  CallContext call_context_;
  CallNote note_;
  ObservedCall observed_;
  Access access_;
  CallSlot slot_;
};

}  // namespace signet::tf
