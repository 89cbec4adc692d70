#include "signet/client.h"

#include <utility>

#include "client/lib/resuming_stream.h"
#include "client/lib/service_client.h"

namespace signet {
namespace {

ClientArgument ArgumentOf(const RemoteArgument& argument) {
  return std::visit([](const auto& given) { return ClientArgument(given); }, argument);
}

CallSpec CallSpecOf(const RemoteCall& call) {
  CallSpec out;
  out.model = call.model;
  out.function = call.function;
  for (const RemoteArgument& argument : call.args) out.args.push_back(ArgumentOf(argument));
  for (const auto& [name, argument] : call.kwargs) {
    out.kwargs.emplace_back(name, ArgumentOf(argument));
  }
  out.timeout = call.timeout;
  out.reject_unknown_fields = call.reject_unknown_fields;
  out.priority = call.priority;
  out.stop = call.stop;
  return out;
}

}  // namespace

RemoteStream::RemoteStream(std::unique_ptr<ResumingStream> stream) : stream_(std::move(stream)) {}
RemoteStream::~RemoteStream() = default;
RemoteStream::RemoteStream(RemoteStream&&) noexcept = default;
RemoteStream& RemoteStream::operator=(RemoteStream&&) noexcept = default;

Status RemoteStream::Send(const RemoteCall& call) {
  return stream_->Send(RequestOf(CallSpecOf(call)));
}

StatusOr<Value> RemoteStream::Next() {
  SIGNET_ASSIGN_OR_RETURN(v1::CallResponse response, stream_->Next());
  return ResultOf(response);
}

size_t RemoteStream::pending() const { return stream_->pending(); }

Client::Client(const std::string& address, const ClientOptions& options)
    : service_(std::make_unique<ServiceClient>(address, options)) {}

Client::~Client() = default;
Client::Client(Client&&) noexcept = default;
Client& Client::operator=(Client&&) noexcept = default;

StatusOr<Value> Client::Call(const RemoteCall& call) const {
  SIGNET_ASSIGN_OR_RETURN(CallAnswer answer, service_->Call(CallSpecOf(call)));
  return std::move(answer.result);
}

StatusOr<std::string> Client::CallForJson(const RemoteCall& call) const {
  CallSpec spec = CallSpecOf(call);
  spec.result_format.set_format(v1::Encoded::JSON);
  SIGNET_ASSIGN_OR_RETURN(CallAnswer answer, service_->Call(spec));
  return std::move(*answer.encoded.mutable_data());
}

std::future<StatusOr<Value>> Client::CallAsync(const RemoteCall& call) const {
  auto promise = std::make_shared<std::promise<StatusOr<Value>>>();
  std::future<StatusOr<Value>> out = promise->get_future();
  CallAsync(call, [promise](StatusOr<Value> result) { promise->set_value(std::move(result)); });
  return out;
}

void Client::CallAsync(const RemoteCall& call, std::function<void(StatusOr<Value>)> done) const {
  service_->CallAsync(CallSpecOf(call), [done = std::move(done)](StatusOr<CallAnswer> answer) {
    if (!answer.ok()) return done(answer.status());
    done(std::move(answer->result));
  });
}

RemoteStream Client::OpenStream(const std::string& priority) const {
  return RemoteStream(std::make_unique<ResumingStream>(*service_, priority));
}

StatusOr<std::vector<RemoteModel>> Client::ListModels() const {
  SIGNET_ASSIGN_OR_RETURN(v1::ListModelsResponse response, service_->ListModels());
  std::vector<RemoteModel> out;
  for (const v1::ModelInfo& info : response.models()) {
    RemoteModel& model = out.emplace_back();
    model.name = info.name();
    model.doc = info.doc();
    for (const v1::VersionInfo& version : info.versions()) {
      if (version.state() == v1::VersionInfo::AVAILABLE) {
        model.versions.push_back(version.version());
      }
    }
    model.labels = {info.labels().begin(), info.labels().end()};
  }
  return out;
}

StatusOr<RemoteModel> Client::GetModel(const ModelName& model) const {
  SIGNET_ASSIGN_OR_RETURN(v1::GetModelResponse response, service_->GetModel(model));
  RemoteModel out;
  out.name = response.name();
  out.doc = response.doc();
  out.versions = {response.versions().begin(), response.versions().end()};
  out.labels = {response.labels().begin(), response.labels().end()};
  for (const v1::FunctionInfo& info : response.functions()) {
    out.functions.push_back({info.name(), info.signature(), info.doc()});
  }
  return out;
}

StatusOr<ServingState> Client::Health(const std::string& model) const {
  return service_->Health(model);
}

}  // namespace signet
