// TensorService: implements signet.v1.TensorService with gRPC's callback API.
//
// Requests arrive as bytes. Tensors stay in the slices in which gRPC received them, and the error
// for bytes that do not parse is Signet's own. Each RPC is in <rpc>.cc. Thread-safe.

#pragma once

#include "server/call/serving.h"
#include "server/protocols/signet/stream_reactor.h"
#include "signet/v1/service.grpc.pb.h"

namespace signet {

using RawTensorService = v1::TensorService::WithRawCallbackMethod_Call<
    v1::TensorService::WithRawCallbackMethod_CallStream<
        v1::TensorService::WithRawCallbackMethod_Explain<
            v1::TensorService::WithRawCallbackMethod_GetModel<
                v1::TensorService::WithRawCallbackMethod_ListModels<v1::TensorService::Service>>>>>;

class TensorService final : public RawTensorService {
 public:
  explicit TensorService(ServerContext& server) : server_(server) {}

  // Ends the open streams, as StreamReactor::Drain does.
  void Drain() { streams_.Drain(); }

 private:
  // Checks that the caller may use `rpc`, whose request has `bytes`, and counts it in `slot`.
  StatusOr<Access> Authorize(const grpc::CallbackServerContext& context, Rpc rpc, size_t bytes,
                             CallSlot& slot) const;

  grpc::ServerUnaryReactor* Call(grpc::CallbackServerContext* context,
                                 const grpc::ByteBuffer* request,
                                 grpc::ByteBuffer* response) override;
  grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>* CallStream(
      grpc::CallbackServerContext* context) override;
  grpc::ServerUnaryReactor* Explain(grpc::CallbackServerContext* context,
                                    const grpc::ByteBuffer* request,
                                    grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* GetModel(grpc::CallbackServerContext* context,
                                     const grpc::ByteBuffer* request,
                                     grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* ListModels(grpc::CallbackServerContext* context,
                                       const grpc::ByteBuffer* request,
                                       grpc::ByteBuffer* response) override;

  ServerContext& server_;
  OpenStreams<StreamReactor> streams_;
};

}  // namespace signet
