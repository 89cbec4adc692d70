// ServingReactor: serves one RPC of PredictionService that makes calls.
//
// The calls have the permissions, limits, queues, deadlines, metrics, traces, and logs of a Call of
// signet.v1.

#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "server/protocols/signet/unary_call.h"
#include "server/protocols/tensorflow/serving_call.h"

namespace signet::tf {

class ServingReactor final : public UnaryCall {
 public:
  ServingReactor(ServerContext& server, grpc::CallbackServerContext& context,
                 const grpc::ByteBuffer& request, grpc::ByteBuffer& response,
                 std::unique_ptr<ServingCall> serving, const char* rpc)
      : UnaryCall(server, context, request, response, rpc), serving_(std::move(serving)) {}

 private:
  void Begin(ThreadKind thread) override;
  // Executes the next call. `loads` counts how often it waited for its model.
  void ExecuteNext(ThreadKind thread, int loads);
  void Add(const CalledFunction& called, StatusOr<CallOutput> output);

  const std::unique_ptr<ServingCall> serving_;
  std::vector<ServingTask> tasks_;
  size_t next_ = 0;  // the task that is executed
};

}  // namespace signet::tf
