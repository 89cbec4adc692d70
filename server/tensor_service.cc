#include "server/tensor_service.h"

#include <utility>

#include <grpcpp/support/proto_buffer_reader.h>

#include "server/byte_buffers.h"
#include "server/call_reactor.h"
#include "server/deadline.h"
#include "server/errors.h"
#include "server/handlers/explain.h"
#include "server/handlers/get_model.h"
#include "server/handlers/list_models.h"
#include "server/handlers/read_call.h"

namespace signet {
namespace {

grpc::ServerUnaryReactor* Finished(grpc::CallbackServerContext& context, const Status& status) {
  auto* reactor = context.DefaultReactor();
  reactor->Finish(GrpcStatusOf(status));
  return reactor;
}

// A message without values.
template <class Request>
StatusOr<Request> Parse(const grpc::ByteBuffer& buffer) {
  Request request;
  grpc::ProtoBufferReader reader(&const_cast<grpc::ByteBuffer&>(buffer));
  if (reader.status().ok() && request.ParseFromZeroCopyStream(&reader)) return request;
  return InvalidArgument("the bytes are no message `", Request::descriptor()->full_name(),
                         "`, or not all of it");
}

}  // namespace

grpc::ServerUnaryReactor* TensorService::Call(grpc::CallbackServerContext* context,
                                              const grpc::ByteBuffer* request,
                                              grpc::ByteBuffer* response) {
  auto* reactor = new CallReactor(serving_, *context, *response);
  reactor->Start(*request);
  return reactor;
}

grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>* TensorService::CallStream(
    grpc::CallbackServerContext* context) {
  auto* reactor = new StreamReactor(serving_, *context, streams_);
  reactor->Start();
  return reactor;
}

grpc::ServerUnaryReactor* TensorService::Explain(grpc::CallbackServerContext* context,
                                                 const grpc::ByteBuffer* request,
                                                 grpc::ByteBuffer* response) {
  auto call = ReadCall(serving_, MessageOf(*request));
  if (!call.ok()) return Finished(*context, call.status());
  auto explanation = ExplainCall(serving_, *std::move(call), {.deadline = DeadlineOf(*context)});
  if (explanation.ok()) *response = ByteBufferOf(*explanation);
  return Finished(*context, explanation.status());
}

grpc::ServerUnaryReactor* TensorService::GetModel(grpc::CallbackServerContext* context,
                                                  const grpc::ByteBuffer* request,
                                                  grpc::ByteBuffer* response) {
  auto wanted = Parse<v1::GetModelRequest>(*request);
  if (!wanted.ok()) return Finished(*context, wanted.status());
  auto found = signet::GetModel(serving_, *wanted);
  if (found.ok()) *response = ByteBufferOf(*found);
  return Finished(*context, found.status());
}

grpc::ServerUnaryReactor* TensorService::ListModels(grpc::CallbackServerContext* context,
                                                    const grpc::ByteBuffer* request,
                                                    grpc::ByteBuffer* response) {
  auto wanted = Parse<v1::ListModelsRequest>(*request);
  if (wanted.ok()) *response = ByteBufferOf(signet::ListModels(serving_));
  return Finished(*context, wanted.status());
}

}  // namespace signet
