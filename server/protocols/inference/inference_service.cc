#include "server/protocols/inference/inference_service.h"

#include <utility>

#include <google/protobuf/descriptor.h>

#include "inference/inference.pb.h"
#include "server/observability/call_log.h"
#include "server/protocols/inference/infer_call.h"
#include "server/protocols/inference/infer_reactor.h"
#include "server/protocols/inference/model_changes.h"
#include "server/protocols/inference/model_facts.h"
#include "server/protocols/inference/settings.h"
#include "server/protocols/signet/errors.h"
#include "server/protocols/signet/parse_request.h"
#include "server/transport/byte_buffers.h"

namespace signet {
namespace {

using grpc::ByteBuffer;
using grpc::CallbackServerContext;

// Returns the place of a method in the service, by which gRPC registers it.
int MethodIndex(const char* method) {
  const auto* file = inference::ModelInferRequest::descriptor()->file();
  const auto* found = file->service(0)->FindMethodByName(method);
  SIGNET_CHECK(found != nullptr);
  return found->index();
}

// Parses the settings of a request.
StatusOr<LogSettingsMap> WantedSettings(const inference::LogSettingsRequest& request) {
  using Value = inference::LogSettingsRequest::SettingValue;
  LogSettingsMap out;
  for (const auto& [name, value] : request.settings()) {
    switch (value.parameter_choice_case()) {
      case Value::kBoolParam:
        out[name] = value.bool_param();
        break;
      case Value::kUint32Param:
        out[name] = value.uint32_param();
        break;
      case Value::kStringParam:
        out[name] = value.string_param();
        break;
      case Value::PARAMETER_CHOICE_NOT_SET:
        return InvalidArgument("log setting `", Printable(name), "` has no value");
    }
  }
  return out;
}

}  // namespace

InferenceService::InferenceService(ServerContext& server, InferenceOptions options)
    : server_(server), options_(std::move(options)) {
  ServeCalls();
  ServeFacts();
  ServeRepository();
  ServeSharedMemory();
  ServeSettings();
}

template <class Request, class Response>
void InferenceService::Serve(const char* method, Rpc permission, Answer<Request, Response> answer) {
  auto serve = [this, method, permission, answer = std::move(answer)](
                   CallbackServerContext* context, const ByteBuffer* request,
                   ByteBuffer* response) -> grpc::ServerUnaryReactor* {
    server_.listener.NoteCall(*context);
    auto* reactor = context->DefaultReactor();
    auto done = [method, context, reactor, response](StatusOr<Response> made) {
      if (made.ok()) *response = ByteBufferOf(*made);
      LogCall(method, *context, made.status());
      reactor->Finish(GrpcStatusOf(made.status()));
    };
    auto begin = [&]() -> Status {
      SIGNET_ASSIGN_OR_RETURN(Access access, server_.access.Authenticate(*context));
      SIGNET_RETURN_IF_ERROR(access.Check(permission));
      SIGNET_ASSIGN_OR_RETURN(CallSlot slot, access.Begin(request->Length()));
      SIGNET_ASSIGN_OR_RETURN(Request wanted, ParseSmallRequest<Request>(server_, *request));
      answer(wanted, access, [done, slot](StatusOr<Response> made) { done(std::move(made)); });
      return absl::OkStatus();
    };
    if (Status begun = begin(); !begun.ok()) done(std::move(begun));
    return reactor;
  };
  MarkMethodRawCallback(
      MethodIndex(method),
      new grpc::internal::CallbackUnaryHandler<ByteBuffer, ByteBuffer>(std::move(serve)));
}

template <class Request, class Response>
void InferenceService::ServeNow(
    const char* method, Rpc permission,
    std::function<StatusOr<Response>(const Request&, const Access&)> answer) {
  Serve<Request, Response>(
      method, permission,
      [answer = std::move(answer)](const Request& request, const Access& access,
                                   const Done<Response>& done) { done(answer(request, access)); });
}

void InferenceService::ServeCalls() {
  MarkMethodRawCallback(MethodIndex("ModelInfer"),
                        new grpc::internal::CallbackUnaryHandler<ByteBuffer, ByteBuffer>(
                            [this](CallbackServerContext* context, const ByteBuffer* request,
                                   ByteBuffer* response) -> grpc::ServerUnaryReactor* {
                              auto* reactor =
                                  new InferReactor(server_, options_.shared_memory.get(), *context,
                                                   *request, *response);
                              reactor->Start();
                              return reactor;
                            }));
  MarkMethodRawCallback(
      MethodIndex("ModelStreamInfer"),
      new grpc::internal::CallbackBidiHandler<ByteBuffer, ByteBuffer>(
          [this](
              CallbackServerContext* context) -> grpc::ServerBidiReactor<ByteBuffer, ByteBuffer>* {
            auto* reactor =
                new InferStream(server_, options_.shared_memory.get(), *context, streams_);
            reactor->Start();
            return reactor;
          }));
}

void InferenceService::ServeFacts() {
  using namespace inference;  // NOLINT(google-build-using-namespace): the messages of the service
  ServeNow<ServerLiveRequest, ServerLiveResponse>(
      "ServerLive", Rpc::kHealth, [](const auto&, const Access&) -> StatusOr<ServerLiveResponse> {
        ServerLiveResponse out;
        out.set_live(true);
        return out;
      });
  ServeNow<ServerReadyRequest, ServerReadyResponse>(
      "ServerReady", Rpc::kHealth,
      [this](const auto&, const Access&) -> StatusOr<ServerReadyResponse> {
        ServerReadyResponse out;
        out.set_ready(options_.check_ready().ok());
        return out;
      });
  ServeNow<ModelReadyRequest, ModelReadyResponse>(
      "ModelReady", Rpc::kHealth,
      [this](const ModelReadyRequest& request,
             const Access& access) -> StatusOr<ModelReadyResponse> {
        const Status ready = CheckModelReady(server_, access, request.name(), request.version());
        if (absl::IsInvalidArgument(ready) || absl::IsUnauthenticated(ready) ||
            absl::IsPermissionDenied(ready))
          return ready;
        ModelReadyResponse out;
        out.set_ready(ready.ok() && options_.check_stopping().ok());
        return out;
      });
  ServeNow<ServerMetadataRequest, ServerMetadataResponse>(
      "ServerMetadata", Rpc::kHealth,
      [this](const auto&, const Access&) -> StatusOr<ServerMetadataResponse> {
        return ServerFacts(options_);
      });
  Serve<ModelMetadataRequest, ModelMetadataResponse>(
      "ModelMetadata", Rpc::kGetModel,
      [this](const ModelMetadataRequest& request, const Access& access, auto done) {
        AnswerAboutModel<ModelMetadataResponse>(server_, access, request.name(), request.version(),
                                                MetadataOf, std::move(done));
      });
  Serve<ModelConfigRequest, ModelConfigResponse>(
      "ModelConfig", Rpc::kGetModel,
      [this](const ModelConfigRequest& request, const Access& access, auto done) {
        AnswerAboutModel<ModelConfigResponse>(server_, access, request.name(), request.version(),
                                              ConfigOf, std::move(done));
      });
  Serve<ModelStatisticsRequest, ModelStatisticsResponse>(
      "ModelStatistics", Rpc::kGetModel,
      [this](const ModelStatisticsRequest& request, const Access& access, auto done) {
        AnswerLater<ModelStatisticsResponse>(
            server_,
            [this, request, access] {
              return StatisticsOf(server_, access, request.name(), request.version());
            },
            std::move(done));
      });
}

void InferenceService::ServeRepository() {
  using namespace inference;  // NOLINT(google-build-using-namespace): the messages of the service
  Serve<RepositoryIndexRequest, RepositoryIndexResponse>(
      "RepositoryIndex", Rpc::kListModels,
      [this](const RepositoryIndexRequest& request, const Access& access, auto done) {
        AnswerLater<RepositoryIndexResponse>(
            server_,
            [this, request, access]() -> StatusOr<RepositoryIndexResponse> {
              SIGNET_RETURN_IF_ERROR(CheckRepositoryName(request.repository_name()));
              return IndexOf(server_, access, request.ready());
            },
            std::move(done));
      });
  Serve<RepositoryModelLoadRequest, RepositoryModelLoadResponse>(
      "RepositoryModelLoad", Rpc::kAdmin,
      [this](const RepositoryModelLoadRequest& request, const Access&, auto done) {
        Status named = CheckRepositoryName(request.repository_name());
        if (!named.ok()) return done(named);
        LoadForClient(server_, options_, request.model_name(), !request.parameters().empty(),
                      [done = std::move(done)](const Status& loaded) {
                        if (!loaded.ok()) return done(loaded);
                        done(RepositoryModelLoadResponse());
                      });
      });
  ServeNow<RepositoryModelUnloadRequest, RepositoryModelUnloadResponse>(
      "RepositoryModelUnload", Rpc::kAdmin,
      [this](const RepositoryModelUnloadRequest& request,
             const Access&) -> StatusOr<RepositoryModelUnloadResponse> {
        SIGNET_RETURN_IF_ERROR(CheckRepositoryName(request.repository_name()));
        SIGNET_RETURN_IF_ERROR(UnloadForClient(server_, options_, request.model_name()));
        return RepositoryModelUnloadResponse();
      });
}

void InferenceService::ServeSharedMemory() {
  using namespace inference;  // NOLINT(google-build-using-namespace): the messages of the service
  ServeNow<SystemSharedMemoryStatusRequest, SystemSharedMemoryStatusResponse>(
      "SystemSharedMemoryStatus", Rpc::kCall,
      [this](const SystemSharedMemoryStatusRequest& request,
             const Access&) -> StatusOr<SystemSharedMemoryStatusResponse> {
        SIGNET_ASSIGN_OR_RETURN(auto regions, SharedMemoryRegionsOf(options_, request.name()));
        SystemSharedMemoryStatusResponse out;
        for (const SharedMemoryRegions::Region& region : regions) {
          auto& made = (*out.mutable_regions())[region.name];
          made.set_name(region.name);
          made.set_key(region.key);
          made.set_offset(region.offset);
          made.set_byte_size(region.size);
        }
        return out;
      });
  ServeNow<SystemSharedMemoryRegisterRequest, SystemSharedMemoryRegisterResponse>(
      "SystemSharedMemoryRegister", Rpc::kCall,
      [this](const SystemSharedMemoryRegisterRequest& request,
             const Access&) -> StatusOr<SystemSharedMemoryRegisterResponse> {
        SIGNET_RETURN_IF_ERROR(RegisterSharedMemory(options_, {.name = request.name(),
                                                               .key = request.key(),
                                                               .offset = request.offset(),
                                                               .size = request.byte_size()}));
        return SystemSharedMemoryRegisterResponse();
      });
  ServeNow<SystemSharedMemoryUnregisterRequest, SystemSharedMemoryUnregisterResponse>(
      "SystemSharedMemoryUnregister", Rpc::kCall,
      [this](const SystemSharedMemoryUnregisterRequest& request,
             const Access&) -> StatusOr<SystemSharedMemoryUnregisterResponse> {
        if (options_.shared_memory != nullptr) options_.shared_memory->Unregister(request.name());
        return SystemSharedMemoryUnregisterResponse();
      });
  ServeNow<CudaSharedMemoryStatusRequest, CudaSharedMemoryStatusResponse>(
      "CudaSharedMemoryStatus", Rpc::kCall,
      [](const CudaSharedMemoryStatusRequest& request,
         const Access&) -> StatusOr<CudaSharedMemoryStatusResponse> {
        SIGNET_RETURN_IF_ERROR(FindCudaRegions(request.name()));
        return CudaSharedMemoryStatusResponse();
      });
  ServeNow<CudaSharedMemoryRegisterRequest, CudaSharedMemoryRegisterResponse>(
      "CudaSharedMemoryRegister", Rpc::kCall,
      [](const CudaSharedMemoryRegisterRequest& request,
         const Access&) -> StatusOr<CudaSharedMemoryRegisterResponse> {
        return RegisterCudaRegion(request.name());
      });
  ServeNow<CudaSharedMemoryUnregisterRequest, CudaSharedMemoryUnregisterResponse>(
      "CudaSharedMemoryUnregister", Rpc::kCall,
      [](const auto&, const Access&) -> StatusOr<CudaSharedMemoryUnregisterResponse> {
        return CudaSharedMemoryUnregisterResponse();
      });
}

void InferenceService::ServeSettings() {
  using namespace inference;  // NOLINT(google-build-using-namespace): the messages of the service
  ServeNow<TraceSettingRequest, TraceSettingResponse>(
      "TraceSetting", Rpc::kHealth,
      [this](const TraceSettingRequest& request,
             const Access& access) -> StatusOr<TraceSettingResponse> {
        SIGNET_RETURN_IF_ERROR(CheckModelOfSettings(server_, access, request.model_name()));
        TraceSettingsMap wanted;
        for (const auto& [name, setting] : request.settings()) {
          wanted[name].assign(setting.value().begin(), setting.value().end());
        }
        SIGNET_RETURN_IF_ERROR(ChangeTraceSettings(server_, wanted));
        TraceSettingResponse out;
        for (const auto& [name, values] : TraceSettingsInEffect(server_)) {
          auto& made = (*out.mutable_settings())[name];
          for (const std::string& value : values) made.add_value(value);
        }
        return out;
      });
  ServeNow<LogSettingsRequest, LogSettingsResponse>(
      "LogSettings", Rpc::kHealth,
      [this](const LogSettingsRequest& request,
             const Access& access) -> StatusOr<LogSettingsResponse> {
        SIGNET_ASSIGN_OR_RETURN(const LogSettingsMap wanted, WantedSettings(request));
        SIGNET_RETURN_IF_ERROR(ChangeLogSettings(options_, access, wanted));
        LogSettingsResponse out;
        for (const auto& [name, value] : LogSettingsInEffect()) {
          auto& made = (*out.mutable_settings())[name];
          if (const bool* flag = std::get_if<bool>(&value)) made.set_bool_param(*flag);
          if (const auto* number = std::get_if<uint32_t>(&value)) made.set_uint32_param(*number);
          if (const auto* text = std::get_if<std::string>(&value)) made.set_string_param(*text);
        }
        return out;
      });
}

}  // namespace signet
