#include "client/lib/service_client.h"

#include <charconv>
#include <condition_variable>
#include <mutex>
#include <set>
#include <utility>

#include <grpc/grpc.h>
#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/impl/codegen/client_unary_call.h>

#include "client/lib/errors.h"
#include "client/lib/tls_diagnosis.h"
#include "core/formats/signet_wire/wire.h"
#include "signet/v1/service.grpc.pb.h"

namespace signet {
namespace {

constexpr char kStageTimes[] = "signet-stage-times";
constexpr std::chrono::seconds kDiagnosisAge(5);
constexpr char kHealthCheck[] = "/grpc.health.v1.Health/Check";

v1::Value ArgumentToProto(const ClientArgument& argument, bool reject_unknown_fields) {
  if (const auto* value = std::get_if<Value>(&argument)) return wire::ValueToProto(*value);
  v1::Value out;
  v1::Encoded& encoded = *out.mutable_encoded();
  if (const auto* as_sent = std::get_if<v1::Encoded>(&argument)) {
    encoded = *as_sent;
  } else if (const auto* json = std::get_if<Json>(&argument)) {
    encoded.set_format(v1::Encoded::JSON);
    encoded.set_data(json->text);
  } else {
    const auto& messages = std::get<MessageRows>(argument);
    encoded.set_format(v1::Encoded::PROTOBUF);
    encoded.set_message_type(messages.message_type);
    for (const std::string& row : messages.rows) encoded.add_rows(row);
  }
  if (reject_unknown_fields) encoded.set_reject_unknown_fields(true);
  return out;
}

// Returns a serialized HealthCheckRequest {service = 1}.
grpc::ByteBuffer HealthRequest(const std::string& service) {
  std::string bytes;
  if (!service.empty()) {
    bytes = "\x0a";
    for (size_t size = service.size();; size >>= 7) {
      bytes += static_cast<char>(size < 128 ? size : (size & 127) | 128);
      if (size < 128) break;
    }
    bytes += service;
  }
  grpc::Slice slice(bytes);
  return grpc::ByteBuffer(&slice, 1);
}

// Parses a HealthCheckResponse {status = 1}: UNKNOWN, SERVING, NOT_SERVING.
ServingState StateOf(const grpc::ByteBuffer& response) {
  std::vector<grpc::Slice> slices;
  std::string bytes;
  if (!response.Dump(&slices).ok()) return ServingState::kUnknown;
  for (const grpc::Slice& slice : slices) {
    bytes.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  }
  if (bytes == "\x08\x01") return ServingState::kServing;
  return bytes == "\x08\x02" ? ServingState::kNotServing : ServingState::kUnknown;
}

// A response that the client cannot use.
Status BadResponse(const Status& cause) {
  return WithReason(kBadResponse, Internal("the response of the server: ", MessageOf(cause)));
}

bool IsEncoded(const CallSpec& call) {
  return call.result_format.format() != v1::Encoded::FORMAT_UNSPECIFIED;
}

}  // namespace

StatusOr<ModelName> ParseModelName(std::string_view text) {
  ModelName out;
  std::string_view rest = text;
  if (size_t colon = rest.find(':'); colon != std::string_view::npos) {
    out.label = rest.substr(colon + 1);
    rest = rest.substr(0, colon);
    if (out.label.empty())
      return InvalidArgument("`", Printable(text), "`: expected a label after `:`");
  }
  if (size_t slash = rest.find('/'); slash != std::string_view::npos) {
    std::string_view digits = rest.substr(slash + 1);
    int64_t version = 0;
    auto read = std::from_chars(digits.data(), digits.data() + digits.size(), version);
    if (read.ec != std::errc() || read.ptr != digits.data() + digits.size() || version < 1) {
      return InvalidArgument("`", Printable(text), "`: expected a version of at least 1, found `",
                             Printable(digits), "`; the name of a function is a word of its own");
    }
    if (!out.label.empty()) {
      return InvalidArgument("`", Printable(text), "`: expected a version or a label, found both");
    }
    out.version = version;
    rest = rest.substr(0, slash);
  }
  if (rest.empty()) return InvalidArgument("`", Printable(text), "`: expected the name of a model");
  out.name = rest;
  return out;
}

v1::ModelSpec ModelSpecOf(const ModelName& name) {
  v1::ModelSpec out;
  out.set_name(name.name);
  if (name.version) out.set_version(*name.version);
  if (!name.label.empty()) out.set_label(name.label);
  return out;
}

v1::CallRequest RequestOf(const CallSpec& call) {
  v1::CallRequest out;
  *out.mutable_model() = ModelSpecOf(call.model);
  out.set_function(call.function);
  for (const auto& argument : call.args) {
    *out.add_args() = ArgumentToProto(argument, call.reject_unknown_fields);
  }
  for (const auto& [name, argument] : call.kwargs) {
    auto* named = out.add_kwargs();
    named->set_name(name);
    *named->mutable_value() = ArgumentToProto(argument, call.reject_unknown_fields);
  }
  if (call.result_format.format() != v1::Encoded::FORMAT_UNSPECIFIED) {
    *out.mutable_result_format() = call.result_format;
  }
  return out;
}

StatusOr<Value> ResultOf(const v1::CallResponse& response) {
  auto result = wire::ValueFromProto(response.result(), Limits());
  return result.ok() ? std::move(result) : BadResponse(result.status());
}

struct ServiceClient::Connection {
  // A call of CallAsync, until its callback has returned.
  struct AsyncCall {
    grpc::ClientContext context;
    v1::CallRequest request;
    v1::CallResponse response;
    bool is_encoded = false;
    std::function<void(StatusOr<CallAnswer>)> done;
    std::optional<std::stop_callback<std::function<void()>>> cancel;
  };

  ClientOptions options;
  std::string address;
  std::shared_ptr<grpc::Channel> channel;
  std::unique_ptr<v1::TensorService::Stub> stub;

  std::mutex mu;  // guards the following members
  std::condition_variable ended;
  std::set<AsyncCall*> calls;  // of CallAsync, until their callbacks have returned

  std::mutex tls_mu;  // guards the following members
  std::optional<std::chrono::steady_clock::time_point> checked_tls;
  Status tls_status;

  ~Connection() {
    std::unique_lock lock(mu);
    for (AsyncCall* call : calls) call->context.TryCancel();
    ended.wait(lock, [this] { return calls.empty(); });
  }

  void Prepare(grpc::ClientContext& context,
               std::optional<std::chrono::milliseconds> timeout_of_call = {}) const {
    context.set_deadline(std::chrono::system_clock::now() +
                         timeout_of_call.value_or(options.timeout));
  }
  void PrepareCall(grpc::ClientContext& context, const CallSpec& call) const {
    Prepare(context, call.timeout);
    if (!call.priority.empty()) context.AddMetadata("signet-priority", call.priority);
    if (call.wants_stage_times) context.AddMetadata(kStageTimes, "1");
  }
  // Returns the status of a call that has ended.
  Status Outcome(const grpc::Status& status) {
    bool is_connected = status.error_code() != grpc::StatusCode::UNAVAILABLE ||
                        channel->GetState(/*try_to_connect=*/false) == GRPC_CHANNEL_READY ||
                        !status.error_details().empty();
    if (is_connected) return StatusOf(status);
    // gRPC lists what it tried: `failed to connect to all addresses; .. : Connection refused`.
    std::string cause = status.error_message();
    if (size_t colon = cause.rfind(": "); colon != cause.npos) cause.erase(0, colon + 2);
    if (Status tls = CheckTls(); !tls.ok()) return tls;
    return WithReason(kNotConnected, Unavailable("cannot connect to a server at `",
                                                 Printable(address), "`: ", cause));
  }
  // Returns what is wrong with TLS. Calls that fail together share one diagnosis, so that the
  // diagnoses of many calls do not delay one another.
  Status CheckTls() {
    std::lock_guard lock(tls_mu);
    const auto now = std::chrono::steady_clock::now();
    if (checked_tls && now - *checked_tls < kDiagnosisAge) return tls_status;
    tls_status = absl::OkStatus();
    for (const std::string& server : AddressesIn(address)) {
      std::string found = DiagnoseTls(server, options);
      if (found.empty()) continue;
      tls_status = WithReason(kTlsFailed, Unavailable("cannot connect to the server at `",
                                                      Printable(server), "`: ", found));
      break;
    }
    checked_tls = std::chrono::steady_clock::now();
    return tls_status;
  }
  // Returns the answer of a call that has ended with `status`.
  StatusOr<CallAnswer> Answer(const grpc::Status& status, bool is_encoded,
                              const grpc::ClientContext& context, v1::CallResponse& response) {
    SIGNET_RETURN_IF_ERROR(Outcome(status));
    CallAnswer answer;
    answer.model_version = response.model_version();
    const auto& trailing = context.GetServerTrailingMetadata();
    if (auto times = trailing.find(kStageTimes); times != trailing.end()) {
      answer.stage_times.assign(times->second.data(), times->second.size());
    }
    if (is_encoded) {
      if (!response.result().has_encoded()) {
        return BadResponse(InvalidArgument("expected the format of the call, found a value"));
      }
      answer.encoded = std::move(*response.mutable_result()->mutable_encoded());
      return answer;
    }
    SIGNET_ASSIGN_OR_RETURN(answer.result, ResultOf(response));
    return answer;
  }
};

ServiceClient::ServiceClient(const std::string& address, const ClientOptions& options)
    : connection_(std::make_unique<Connection>()) {
  connection_->options = options;
  connection_->address = address;
  auto channel = OpenChannel(address, options);
  if (channel.ok()) {
    connection_->channel = *std::move(channel);
  } else {
    // Every RPC of this channel fails with the error.
    grpc_init();
    grpc_channel* failing = grpc_lame_client_channel_create(
        address.c_str(), static_cast<grpc_status_code>(channel.status().code()),
        std::string(MessageOf(channel.status())).c_str());
    connection_->channel = grpc::CreateChannelInternal("", failing, {});
    grpc_shutdown();  // the channel keeps gRPC initialized
  }
  connection_->stub = v1::TensorService::NewStub(connection_->channel);
}

ServiceClient::ServiceClient(const std::string& address, std::chrono::milliseconds timeout)
    : ServiceClient(address, ClientOptions{.timeout = timeout, .max_attempts = 1}) {}

ServiceClient::~ServiceClient() = default;
ServiceClient::ServiceClient(ServiceClient&&) noexcept = default;
ServiceClient& ServiceClient::operator=(ServiceClient&&) noexcept = default;

StatusOr<CallAnswer> ServiceClient::Call(const CallSpec& call) {
  grpc::ClientContext context;
  connection_->PrepareCall(context, call);
  const std::stop_callback cancel(call.stop, [&context] { context.TryCancel(); });
  v1::CallResponse response;
  grpc::Status status = connection_->stub->Call(&context, RequestOf(call), &response);
  return connection_->Answer(status, IsEncoded(call), context, response);
}

void ServiceClient::CallAsync(const CallSpec& call,
                              std::function<void(StatusOr<CallAnswer>)> done) {
  using AsyncCall = Connection::AsyncCall;
  auto owner = std::make_unique<AsyncCall>();
  AsyncCall* started = owner.get();
  connection_->PrepareCall(started->context, call);
  started->request = RequestOf(call);
  started->is_encoded = IsEncoded(call);
  started->done = std::move(done);
  {
    std::lock_guard lock(connection_->mu);
    connection_->calls.insert(owner.release());
  }
  started->cancel.emplace(call.stop, [started] { started->context.TryCancel(); });
  connection_->stub->async()->Call(
      &started->context, &started->request, &started->response,
      [connection = connection_.get(), started](const grpc::Status& status) {
        const std::unique_ptr<AsyncCall> ended(started);
        started->cancel.reset();
        started->done(
            connection->Answer(status, started->is_encoded, started->context, started->response));
        std::lock_guard lock(connection->mu);
        connection->calls.erase(started);
        connection->ended.notify_all();  // with the lock, because the connection may end then
      });
}

StatusOr<v1::ExplainResponse> ServiceClient::Explain(const CallSpec& call) {
  grpc::ClientContext context;
  connection_->Prepare(context);
  v1::ExplainResponse response;
  SIGNET_RETURN_IF_ERROR(
      connection_->Outcome(connection_->stub->Explain(&context, RequestOf(call), &response)));
  return response;
}

StatusOr<v1::GetModelResponse> ServiceClient::GetModel(const ModelName& model) {
  grpc::ClientContext context;
  connection_->Prepare(context);
  v1::GetModelRequest request;
  *request.mutable_model() = ModelSpecOf(model);
  v1::GetModelResponse response;
  SIGNET_RETURN_IF_ERROR(
      connection_->Outcome(connection_->stub->GetModel(&context, request, &response)));
  return response;
}

StatusOr<v1::ListModelsResponse> ServiceClient::ListModels() {
  grpc::ClientContext context;
  connection_->Prepare(context);
  v1::ListModelsResponse response;
  SIGNET_RETURN_IF_ERROR(
      connection_->Outcome(connection_->stub->ListModels(&context, {}, &response)));
  return response;
}

Status ServiceClient::Invoke(
    const std::function<grpc::Status(const std::shared_ptr<grpc::Channel>& channel,
                                     grpc::ClientContext& context)>& call) {
  grpc::ClientContext context;
  connection_->Prepare(context);
  return connection_->Outcome(call(connection_->channel, context));
}

CallStream ServiceClient::OpenStream(const std::string& priority) {
  return {connection_->channel, connection_->options.timeout, priority};
}

std::chrono::milliseconds ServiceClient::timeout() const { return connection_->options.timeout; }

StatusOr<ServingState> ServiceClient::Health(const std::string& service) {
  grpc::ClientContext context;
  connection_->Prepare(context);
  grpc::ByteBuffer response;
  grpc::internal::RpcMethod check(kHealthCheck, grpc::internal::RpcMethod::NORMAL_RPC);
  SIGNET_RETURN_IF_ERROR(connection_->Outcome(grpc::internal::BlockingUnaryCall(
      connection_->channel.get(), check, &context, HealthRequest(service), &response)));
  return StateOf(response);
}

}  // namespace signet
