// InferReactor: serves one ModelInfer: parses the request, executes the call, and sends the
// response. It does for this protocol what CallReactor does for signet.v1.

#pragma once

#include "core/formats/inference/infer_message.h"
#include "server/protocols/inference/shared_memory.h"
#include "server/protocols/signet/unary_call.h"

namespace signet {

// Parses a request, checks that the caller may call its model, and moves the inputs to a call.
// `request` keeps the rest, also after an error. `regions` is null if the server permits no shared
// memory.
StatusOr<CallRequest> ReadInferCall(const ServerContext& server, const Access& access,
                                    const SharedMemoryRegions* regions,
                                    const wire::Message& message, InferRequest& request);
// Returns true if the request is read on the thread that received it: it is small, and no tensors
// have to be copied from shared memory.
bool IsReadAtOnce(size_t bytes, const SharedMemoryRegions* regions);
// Adds the time and the priority that the call itself states to `control` and `context`.
void ApplyRequestSettings(const CallRequest& call, RunControl& control, CallContext& context);

class InferReactor final : public UnaryCall {
 public:
  // `regions` is null if the server permits no shared memory.
  InferReactor(ServerContext& server, const SharedMemoryRegions* regions,
               grpc::CallbackServerContext& context, const grpc::ByteBuffer& request,
               grpc::ByteBuffer& response)
      : UnaryCall(server, context, request, response, "inference.GRPCInferenceService/ModelInfer"),
        regions_(regions) {}

 private:
  bool IsReadAtOnce() const override { return signet::IsReadAtOnce(request_.Length(), regions_); }
  void Queue() override;
  void Begin(ThreadKind thread) override;
  Status ShownError(const Status& status) const override;
  void Answer(const StatusOr<CallOutput>& output);

  const SharedMemoryRegions* const regions_;
  InferRequest infer_;  // without its inputs
};

}  // namespace signet
