// PredictionService: implements tensorflow.serving.PredictionService with gRPC's callback API.
//
// Requests of calls arrive as bytes, so that tensors stay in the slices in which gRPC received them
// and the sizes that a request states are checked before memory is allocated. Thread-safe.

#pragma once

#include "server/call/serving.h"
#include "tensorflow_serving/prediction_service.grpc.pb.h"

namespace signet::tf {

using RawPredictionService =
    ::tensorflow::serving::PredictionService::WithRawCallbackMethod_Classify<
        ::tensorflow::serving::PredictionService::WithRawCallbackMethod_Regress<
            ::tensorflow::serving::PredictionService::WithRawCallbackMethod_Predict<
                ::tensorflow::serving::PredictionService::WithRawCallbackMethod_MultiInference<
                    ::tensorflow::serving::PredictionService::WithCallbackMethod_GetModelMetadata<
                        ::tensorflow::serving::PredictionService::Service>>>>>;

class PredictionService final : public RawPredictionService {
 public:
  explicit PredictionService(ServerContext& server) : server_(server) {}

 private:
  grpc::ServerUnaryReactor* Classify(grpc::CallbackServerContext* context,
                                     const grpc::ByteBuffer* request,
                                     grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* Regress(grpc::CallbackServerContext* context,
                                    const grpc::ByteBuffer* request,
                                    grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* Predict(grpc::CallbackServerContext* context,
                                    const grpc::ByteBuffer* request,
                                    grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* MultiInference(grpc::CallbackServerContext* context,
                                           const grpc::ByteBuffer* request,
                                           grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* GetModelMetadata(
      grpc::CallbackServerContext* context,
      const ::tensorflow::serving::GetModelMetadataRequest* request,
      ::tensorflow::serving::GetModelMetadataResponse* response) override;

  ServerContext& server_;
};

}  // namespace signet::tf
