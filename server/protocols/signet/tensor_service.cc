#include "server/protocols/signet/tensor_service.h"

#include <utility>

#include "server/call/attempts.h"
#include "server/call/await_model.h"
#include "server/call/describe.h"
#include "server/observability/call_log.h"
#include "server/protocols/signet/call_reactor.h"
#include "server/protocols/signet/errors.h"
#include "server/protocols/signet/explain.h"
#include "server/protocols/signet/get_model.h"
#include "server/protocols/signet/list_models.h"
#include "server/protocols/signet/parse_request.h"
#include "server/protocols/signet/response.h"
#include "server/transport/byte_buffers.h"
#include "server/transport/deadline.h"

namespace signet {
namespace {

grpc::ServerUnaryReactor* FinishRpc(grpc::CallbackServerContext& context, std::string_view rpc,
                                    const Status& status) {
  LogCall(rpc, context, status);
  auto* reactor = context.DefaultReactor();
  reactor->Finish(GrpcStatusOf(status));
  return reactor;
}

}  // namespace

StatusOr<Access> TensorService::Authorize(const grpc::CallbackServerContext& context, Rpc rpc,
                                          size_t bytes, CallSlot& slot) const {
  SIGNET_ASSIGN_OR_RETURN(Access access, server_.access.Authenticate(context));
  SIGNET_RETURN_IF_ERROR(access.Check(rpc));
  SIGNET_ASSIGN_OR_RETURN(slot, access.Begin(bytes));
  return access;
}

grpc::ServerUnaryReactor* TensorService::Call(grpc::CallbackServerContext* context,
                                              const grpc::ByteBuffer* request,
                                              grpc::ByteBuffer* response) {
  auto* reactor = new CallReactor(server_, *context, *request, *response);
  reactor->Start();
  return reactor;
}

grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>* TensorService::CallStream(
    grpc::CallbackServerContext* context) {
  auto* reactor = new StreamReactor(server_, *context, streams_);
  reactor->Start();
  return reactor;
}

grpc::ServerUnaryReactor* TensorService::Explain(grpc::CallbackServerContext* context,
                                                 const grpc::ByteBuffer* request,
                                                 grpc::ByteBuffer* response) {
  server_.listener.NoteCall(*context);
  // The call is counted before the check, so that no call begins after Drain has seen none.
  server_.stats.in_flight.fetch_add(1);
  if (server_.draining.load()) {
    server_.stats.in_flight.fetch_sub(1);
    return FinishRpc(*context, "Explain", Unavailable("the server is stopping"));
  }
  CallSlot slot;
  auto access = Authorize(*context, Rpc::kExplain, request->Length(), slot);
  if (!access.ok()) {
    server_.stats.in_flight.fetch_sub(1);
    return FinishRpc(*context, "Explain", access.status());
  }
  auto* reactor = context->DefaultReactor();
  RunControl control{.deadline = DeadlineOf(*context)};
  RunWork(server_, ExplainWork(server_, *access, *request), control, ThreadKind::kNetwork,
          [this, context, reactor, response, slot](StatusOr<v1::ExplainResponse> explanation) {
            if (explanation.ok()) *response = ByteBufferOf(*explanation);
            LogCall("Explain", *context, explanation.status());
            server_.stats.explained.fetch_add(1, std::memory_order_relaxed);
            server_.stats.in_flight.fetch_sub(1, std::memory_order_release);
            reactor->Finish(GrpcStatusOf(explanation.status()));
          });
  return reactor;
}

grpc::ServerUnaryReactor* TensorService::GetModel(grpc::CallbackServerContext* context,
                                                  const grpc::ByteBuffer* request,
                                                  grpc::ByteBuffer* response) {
  server_.listener.NoteCall(*context);
  CallSlot slot;
  auto access = Authorize(*context, Rpc::kGetModel, request->Length(), slot);
  if (!access.ok()) return FinishRpc(*context, "GetModel", access.status());
  auto wanted = ParseSmallRequest<v1::GetModelRequest>(server_, *request);
  if (!wanted.ok()) return FinishRpc(*context, "GetModel", wanted.status());
  Status permitted = access->Check(Rpc::kGetModel, wanted->model().name());
  if (!permitted.ok()) return FinishRpc(*context, "GetModel", permitted);
  auto* reactor = context->DefaultReactor();  // may be requested once per RPC
  auto finish = [context, reactor](const Status& status) {
    LogCall("GetModel", *context, status);
    reactor->Finish(GrpcStatusOf(status));
  };
  auto describe = [this, context, response, wanted, finish, slot] {
    signet::GetModel(server_, *wanted,
                     [this, context, response, finish](StatusOr<wire::Pieces> described) {
                       auto message = Guarded([&]() -> StatusOr<grpc::ByteBuffer> {
                         SIGNET_RETURN_IF_ERROR(described.status());
                         return AdmitResponse(server_, *context, *std::move(described));
                       });
                       if (message.ok()) *response = *std::move(message);
                       finish(message.status());
                     });
  };
  auto schedule = [this, describe, finish] {
    Status accepted = ScheduleDescription(server_, describe);
    if (!accepted.ok()) finish(accepted);
  };
  std::optional<int64_t> version;
  if (wanted->model().has_version()) version = wanted->model().version();
  const std::string& name = wanted->model().name();
  const std::string& label = wanted->model().label();
  if (!IsLoadedOnDemand(server_.repository.Find(name, version, label).status())) {
    schedule();
    return reactor;
  }
  AwaitModel(
      server_, name, version, label, DeadlineOf(*context),
      [schedule, finish](const Status& loaded) { loaded.ok() ? schedule() : finish(loaded); });
  return reactor;
}

grpc::ServerUnaryReactor* TensorService::ListModels(grpc::CallbackServerContext* context,
                                                    const grpc::ByteBuffer* request,
                                                    grpc::ByteBuffer* response) {
  server_.listener.NoteCall(*context);
  CallSlot slot;
  auto access = Authorize(*context, Rpc::kListModels, request->Length(), slot);
  if (!access.ok()) return FinishRpc(*context, "ListModels", access.status());
  auto wanted = ParseSmallRequest<v1::ListModelsRequest>(server_, *request);
  if (!wanted.ok()) return FinishRpc(*context, "ListModels", wanted.status());
  auto* reactor = context->DefaultReactor();
  auto finish = [context, reactor](const Status& status) {
    LogCall("ListModels", *context, status);
    reactor->Finish(GrpcStatusOf(status));
  };
  Status accepted = ScheduleDescription(
      server_, [this, access = *std::move(access), context, response, finish, slot] {
        auto message = Guarded([&]() -> StatusOr<grpc::ByteBuffer> {
          const std::string text = signet::ListModels(server_, access).SerializeAsString();
          return AdmitResponse(server_, *context, {Buffer::Copy(text)});
        });
        if (message.ok()) *response = *std::move(message);
        finish(message.status());
      });
  if (!accepted.ok()) finish(accepted);
  return reactor;
}

}  // namespace signet
