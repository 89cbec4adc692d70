// ServiceClient: sends the messages of signet.v1 to a server.
//
//   ServiceClient client("localhost:8500");
//   CallSpec call{.model = {.name = "recipes"}, .function = "score"};
//   call.args.push_back(Json{R"({"title": "soup"})"});   // decoded by the server, or a Value
//   auto answer = client.Call(call);                      // answer->result is a Value
//
// Errors of the server keep their reason and field (ReasonOf, FieldOf). If the client cannot
// connect, the status is UNAVAILABLE with the reason kNotConnected. Every call ends within the
// client's timeout. The client connects when it is first used. Thread-safe.

#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <grpcpp/support/status.h>

#include "client/lib/call_stream.h"
#include "core/formats/common/limits.h"
#include "signet/client.h"
#include "signet/status.h"
#include "signet/v1/service.pb.h"
#include "signet/value.h"

namespace grpc {
class Channel;
class ClientContext;
}  // namespace grpc

namespace signet {

// An argument of a call. v1::Encoded is an argument in any other format, as it is sent.
using ClientArgument = std::variant<Value, Json, MessageRows, v1::Encoded>;

v1::ModelSpec ModelSpecOf(const ModelName& name);

struct CallSpec {
  ModelName model = {};
  std::string function = {};  // empty: the model's only function
  std::vector<ClientArgument> args = {};
  std::vector<std::pair<std::string, ClientArgument>> kwargs = {};
  v1::ResultFormat result_format = {};
  // The timeout of Call; empty for the timeout of the client.
  std::optional<std::chrono::milliseconds> timeout = {};
  // The priority of the call: high, normal, or low; empty for that of the model.
  std::string priority = {};
  // If true, the server rejects fields that the type of a parameter does not have.
  bool reject_unknown_fields = false;
  bool wants_stage_times = false;  // in CallAnswer::stage_times
};
v1::CallRequest RequestOf(const CallSpec& call);

struct CallAnswer {
  Value result;         // absent if CallSpec::result_format is set
  v1::Encoded encoded;  // the result in that format
  int64_t model_version = 0;
  // The times of the stages on the server, in seconds:
  // `decode=0.000012;run=0.000100;total=0.000130`. Empty unless CallSpec::wants_stage_times is set.
  std::string stage_times;
};

class ServiceClient {
 public:
  // `address`: host:port, or unix:PATH.
  ServiceClient(const std::string& address, const ClientOptions& options);
  explicit ServiceClient(const std::string& address,
                         std::chrono::milliseconds timeout = std::chrono::seconds(30));
  ~ServiceClient();
  ServiceClient(ServiceClient&&) noexcept;
  ServiceClient& operator=(ServiceClient&&) noexcept;

  StatusOr<CallAnswer> Call(const CallSpec& call);
  StatusOr<v1::ExplainResponse> Explain(const CallSpec& call);
  StatusOr<v1::GetModelResponse> GetModel(const ModelName& model);
  StatusOr<v1::ListModelsResponse> ListModels();
  // Makes a call of another service on the connection of this client, with its timeout. Returns the
  // status of the call.
  Status Invoke(const std::function<grpc::Status(const std::shared_ptr<grpc::Channel>& channel,
                                                 grpc::ClientContext& context)>& call);
  // Opens a stream for many calls of one priority (CallSpec::priority). The timeout of the client
  // applies to each of them.
  CallStream OpenStream(const std::string& priority = "");
  std::chrono::milliseconds timeout() const;
  // Returns the health of the server (if `service` is empty) or of a model. Returns NOT_FOUND for
  // any other name.
  StatusOr<ServingState> Health(const std::string& service = "");

 private:
  struct Connection;
  std::unique_ptr<Connection> connection_;
};

// Opens a channel without limits on the sizes of messages. Channels with different numbers do not
// share a connection.
std::shared_ptr<grpc::Channel> OpenChannel(const std::string& address, int number = 0);
// Does the same with TLS and tokens. Returns INVALID_ARGUMENT if the options are wrong, or if one
// of their files cannot be read.
StatusOr<std::shared_ptr<grpc::Channel>> OpenChannel(const std::string& address,
                                                     const ClientOptions& options, int number = 0);

}  // namespace signet
