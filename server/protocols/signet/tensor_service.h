// TensorService: signet.v1.TensorService over gRPC's callback API.
//
// Requests arrive raw: tensors stay in the slices they were received in, and what is no message at
// all is refused in our words. What each RPC does is in <rpc>.cc. Thread-safe.

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
  explicit TensorService(Serving& serving) : serving_(serving) {}

  // Ends the open streams, as StreamReactor::Drain does.
  void Drain() { streams_.Drain(); }

 private:
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

  Serving& serving_;
  OpenStreams streams_;
};

}  // namespace signet
