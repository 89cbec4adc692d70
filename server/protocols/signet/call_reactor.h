// CallReactor: serves one unary Call: parses the request, executes the call, and sends the
// response.

#pragma once

#include "server/protocols/signet/unary_call.h"

namespace signet {

class CallReactor final : public UnaryCall {
 public:
  CallReactor(ServerContext& server, grpc::CallbackServerContext& context,
              const grpc::ByteBuffer& request, grpc::ByteBuffer& response)
      : UnaryCall(server, context, request, response, "signet.v1.TensorService/Call",
                  /*is_replayable=*/true) {}

 private:
  void Queue() override;
  void Begin(ThreadKind thread) override;
  void Answer(const StatusOr<CallOutput>& output);
};

}  // namespace signet
