#include "server/protocols/signet/tensor_service.h"

#include <utility>

#include <grpcpp/support/proto_buffer_reader.h>

#include "server/call/attempts.h"
#include "server/observability/call_log.h"
#include "server/protocols/signet/call_reactor.h"
#include "server/protocols/signet/errors.h"
#include "server/protocols/signet/explain.h"
#include "server/protocols/signet/get_model.h"
#include "server/protocols/signet/list_models.h"
#include "server/transport/byte_buffers.h"
#include "server/transport/deadline.h"

namespace signet {
namespace {

grpc::ServerUnaryReactor* Finished(grpc::CallbackServerContext& context, std::string_view rpc,
                                   const Status& status) {
  LogCall(rpc, context, status);
  auto* reactor = context.DefaultReactor();
  reactor->Finish(GrpcStatusOf(status));
  return reactor;
}

// A message without values.
template <class Request>
StatusOr<Request> Parse(const grpc::ByteBuffer& buffer) {
  if (buffer.Length() > kSmallRequestBytes) {
    return ResourceExhausted("a message `", Request::descriptor()->full_name(), "` of ",
                             buffer.Length(), " bytes exceeds the limit of ", kSmallRequestBytes);
  }
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
  serving_.listener.NoteCall(*context);
  // Counted before the look at `draining`: once a drain has seen no calls, none begins.
  serving_.stats.in_flight.fetch_add(1);
  if (serving_.draining.load()) {
    serving_.stats.in_flight.fetch_sub(1);
    return Finished(*context, "Explain", Unavailable("the server is stopping"));
  }
  auto* reactor = context->DefaultReactor();
  RunControl control{.deadline = DeadlineOf(*context)};
  CarryOutWork(serving_, ExplainWork(serving_, *request), control, ThreadKind::kNetwork,
               [this, context, reactor, response](StatusOr<v1::ExplainResponse> explanation) {
                 if (explanation.ok()) *response = ByteBufferOf(*explanation);
                 LogCall("Explain", *context, explanation.status());
                 serving_.stats.explained.fetch_add(1, std::memory_order_relaxed);
                 serving_.stats.in_flight.fetch_sub(1, std::memory_order_release);
                 reactor->Finish(GrpcStatusOf(explanation.status()));
               });
  return reactor;
}

grpc::ServerUnaryReactor* TensorService::GetModel(grpc::CallbackServerContext* context,
                                                  const grpc::ByteBuffer* request,
                                                  grpc::ByteBuffer* response) {
  serving_.listener.NoteCall(*context);
  auto wanted = Parse<v1::GetModelRequest>(*request);
  if (!wanted.ok()) return Finished(*context, "GetModel", wanted.status());
  auto found = signet::GetModel(serving_, *wanted);
  if (found.ok()) *response = ByteBufferOf(*found);
  return Finished(*context, "GetModel", found.status());
}

grpc::ServerUnaryReactor* TensorService::ListModels(grpc::CallbackServerContext* context,
                                                    const grpc::ByteBuffer* request,
                                                    grpc::ByteBuffer* response) {
  serving_.listener.NoteCall(*context);
  auto wanted = Parse<v1::ListModelsRequest>(*request);
  if (wanted.ok()) *response = ByteBufferOf(signet::ListModels(serving_));
  return Finished(*context, "ListModels", wanted.status());
}

}  // namespace signet
