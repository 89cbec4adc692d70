#include "server/protocols/tensorflow/prediction_service.h"

#include <memory>
#include <utility>

#include "core/serving/tensorflow/metadata.h"
#include "server/call/await_model.h"
#include "server/call/describe.h"
#include "server/observability/call_log.h"
#include "server/protocols/signet/errors.h"
#include "server/protocols/tensorflow/examples_call.h"
#include "server/protocols/tensorflow/predict_call.h"
#include "server/protocols/tensorflow/serving_reactor.h"
#include "server/transport/deadline.h"

namespace signet::tf {
namespace {

// Without this use, the linker would leave out the description of the file with the service, which
// reflection sends.
const google::protobuf::internal::AddDescriptorsRunner kDescribePredictionService(
    &descriptor_table_tensorflow_5fserving_2fprediction_5fservice_2eproto);

using ::tensorflow::serving::GetModelMetadataRequest;
using ::tensorflow::serving::GetModelMetadataResponse;

constexpr char kSignatureDef[] = "signature_def";

grpc::ServerUnaryReactor* Start(ServerContext& server, grpc::CallbackServerContext& context,
                                const grpc::ByteBuffer& request, grpc::ByteBuffer& response,
                                std::unique_ptr<ServingCall> call, const char* rpc) {
  auto* reactor = new ServingReactor(server, context, request, response, std::move(call), rpc);
  reactor->Start();
  return reactor;
}

Status CheckFields(const GetModelMetadataRequest& request) {
  if (request.metadata_field().empty()) {
    return InvalidArgument("GetModelMetadataRequest must specify at least one metadata_field");
  }
  for (const std::string& field : request.metadata_field()) {
    if (field != kSignatureDef) {
      return InvalidArgument("Metadata field ", Printable(field), " is not supported; expected `",
                             kSignatureDef, "`");
    }
  }
  return absl::OkStatus();
}

}  // namespace

grpc::ServerUnaryReactor* PredictionService::Classify(grpc::CallbackServerContext* context,
                                                      const grpc::ByteBuffer* request,
                                                      grpc::ByteBuffer* response) {
  return Start(server_, *context, *request, *response,
               std::make_unique<ExamplesCall>(Method::kClassify),
               "tensorflow.serving.PredictionService/Classify");
}

grpc::ServerUnaryReactor* PredictionService::Regress(grpc::CallbackServerContext* context,
                                                     const grpc::ByteBuffer* request,
                                                     grpc::ByteBuffer* response) {
  return Start(server_, *context, *request, *response,
               std::make_unique<ExamplesCall>(Method::kRegress),
               "tensorflow.serving.PredictionService/Regress");
}

grpc::ServerUnaryReactor* PredictionService::Predict(grpc::CallbackServerContext* context,
                                                     const grpc::ByteBuffer* request,
                                                     grpc::ByteBuffer* response) {
  return Start(server_, *context, *request, *response, std::make_unique<PredictCall>(),
               "tensorflow.serving.PredictionService/Predict");
}

grpc::ServerUnaryReactor* PredictionService::MultiInference(grpc::CallbackServerContext* context,
                                                            const grpc::ByteBuffer* request,
                                                            grpc::ByteBuffer* response) {
  return Start(server_, *context, *request, *response, std::make_unique<MultiInferenceCall>(),
               "tensorflow.serving.PredictionService/MultiInference");
}

grpc::ServerUnaryReactor* PredictionService::GetModelMetadata(
    grpc::CallbackServerContext* context, const GetModelMetadataRequest* request,
    GetModelMetadataResponse* response) {
  server_.listener.NoteCall(*context);
  auto* reactor = context->DefaultReactor();
  auto finish = [context, reactor](const Status& status) {
    LogCall("GetModelMetadata", *context, status);
    reactor->Finish(GrpcStatusOf(status));
  };
  const Target target = TargetOf(request->model_spec());
  auto begin = [&]() -> StatusOr<CallSlot> {
    SIGNET_ASSIGN_OR_RETURN(Access access, server_.access.Authenticate(*context));
    SIGNET_RETURN_IF_ERROR(access.Check(Rpc::kGetModel));
    SIGNET_ASSIGN_OR_RETURN(CallSlot slot, access.Begin(request->ByteSizeLong()));
    SIGNET_RETURN_IF_ERROR(CheckModelSpec(target));
    SIGNET_RETURN_IF_ERROR(CheckFields(*request));
    SIGNET_RETURN_IF_ERROR(access.Check(Rpc::kGetModel, target.model));
    return slot;
  };
  auto slot = begin();
  if (!slot.ok()) {
    finish(slot.status());
    return reactor;
  }
  auto describe = [this, response, target, finish, slot = *slot] {
    finish(Guarded([&]() -> Status {
      auto model = server_.repository.Find(target.model, target.version, target.label);
      if (!model.ok()) return TranslateFindError(target, model.status());
      *response = MetadataOf(**model);
      return absl::OkStatus();
    }));
  };
  auto schedule = [this, describe, finish] {
    Status accepted = ScheduleDescription(server_, describe);
    if (!accepted.ok()) finish(accepted);
  };
  auto found = server_.repository.Find(target.model, target.version, target.label);
  if (!IsLoadedOnDemand(found.status())) {
    schedule();
    return reactor;
  }
  AwaitModel(server_, target.model, target.version, target.label, DeadlineOf(*context),
             [schedule, finish, target](const Status& loaded) {
               loaded.ok() ? schedule() : finish(TranslateFindError(target, loaded));
             });
  return reactor;
}

}  // namespace signet::tf
