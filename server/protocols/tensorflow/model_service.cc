#include "server/protocols/tensorflow/model_service.h"

#include "core/describe/error_message.h"
#include "core/serving/tensorflow/model_status.h"
#include "server/observability/call_log.h"
#include "server/observability/log.h"
#include "server/protocols/signet/errors.h"
#include "server/protocols/tensorflow/reload_config.h"
#include "server/protocols/tensorflow/serving_call.h"

namespace signet::tf {
namespace {

// Without this use, the linker would leave out the description of the file with the service, which
// reflection sends.
const google::protobuf::internal::AddDescriptorsRunner kDescribeModelService(
    &descriptor_table_tensorflow_5fserving_2fmodel_5fservice_2eproto);

using ::tensorflow::serving::GetModelStatusRequest;
using ::tensorflow::serving::GetModelStatusResponse;
using ::tensorflow::serving::ReloadConfigRequest;
using ::tensorflow::serving::ReloadConfigResponse;
using ::tensorflow::serving::StatusProto;

constexpr size_t kLongestMessage = 2000;  // bytes

}  // namespace

grpc::ServerUnaryReactor* ModelService::GetModelStatus(grpc::CallbackServerContext* context,
                                                       const GetModelStatusRequest* request,
                                                       GetModelStatusResponse* response) {
  server_.listener.NoteCall(*context);
  auto get = [&]() -> Status {
    const Target target = TargetOf(request->model_spec());
    SIGNET_ASSIGN_OR_RETURN(Access access, server_.access.Authenticate(*context));
    SIGNET_RETURN_IF_ERROR(access.Check(Rpc::kGetModel));
    SIGNET_ASSIGN_OR_RETURN(CallSlot slot, access.Begin(request->ByteSizeLong()));
    SIGNET_RETURN_IF_ERROR(access.Check(Rpc::kGetModel, target.model));
    SIGNET_ASSIGN_OR_RETURN(*response, tf::GetModelStatus(server_.repository, target));
    return absl::OkStatus();
  };
  const Status status = get();
  LogCall("GetModelStatus", *context, status);
  auto* reactor = context->DefaultReactor();
  reactor->Finish(GrpcStatusOf(status));
  return reactor;
}

Status ModelService::BeginReload(const grpc::CallbackServerContext& context) {
  SIGNET_RETURN_IF_ERROR(server_.access.AuthorizeAdmin(context));
  if (!administers_) {
    return Unimplemented(
        "HandleReloadConfigRequest requires administration on this address (--admin)");
  }
  std::lock_guard lock(mu_);
  if (is_reloading_) return Unavailable("another HandleReloadConfigRequest is running");
  is_reloading_ = true;
  if (thread_.joinable()) thread_.join();  // it has ended
  return absl::OkStatus();
}

grpc::ServerUnaryReactor* ModelService::HandleReloadConfigRequest(
    grpc::CallbackServerContext* context, const ReloadConfigRequest* request,
    ReloadConfigResponse* response) {
  server_.listener.NoteCall(*context);
  auto* reactor = context->DefaultReactor();
  auto finish = [context, response, reactor](const Status& status) {
    Log(status.ok() ? LogLevel::kInfo : LogLevel::kWarning, "admin",
        {{"rpc", "HandleReloadConfigRequest"},
         {"peer", context->peer()},
         {"status", std::string(absl::StatusCodeToString(status.code()))},
         {"reason", std::string(MessageOf(status))}});
    StatusProto& outcome = *response->mutable_status();
    outcome.set_error_code(static_cast<StatusProto::Code>(status.code()));
    outcome.set_error_message(FitText(MessageOf(status), kLongestMessage));
    reactor->Finish(GrpcStatusOf(status));
  };
  if (Status begun = BeginReload(*context); !begun.ok()) {
    finish(begun);
    return reactor;
  }
  std::lock_guard lock(mu_);
  thread_ = std::thread([this, context, request, finish] {
    const Status status = ReloadConfig(server_.repository, *request, [&]() -> Status {
      if (context->IsCancelled()) return Cancelled("the call ended; the operation continues");
      if (server_.draining) return Unavailable("the server is stopping");
      return absl::OkStatus();
    });
    {
      std::lock_guard end(mu_);
      is_reloading_ = false;  // before the response, after which the client may call again
    }
    finish(status);
  });
  return reactor;
}

ModelService::~ModelService() {
  if (thread_.joinable()) thread_.join();
}

}  // namespace signet::tf
