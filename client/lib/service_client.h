// ServiceClient: sends the messages of signet.v1 to a server.
//
//   ServiceClient client("localhost:8500");
//   CallSpec call{.model = {.name = "recipes"}, .function = "score"};
//   call.args.push_back(Json{R"({"title": "soup"})"});   // decoded by the server, or a Value
//   auto answer = client.Call(call);                      // answer->result is a Value
//
// Errors of the server keep their reason and field (ReasonOf, FieldOf). If the client cannot
// connect, the status is UNAVAILABLE with the reason kNotConnected. Every call ends within the
// client's timeout. The client connects when it is first used. Addresses, and which calls are
// repeated, are described in client/lib/channel.h. Thread-safe.

#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <grpcpp/support/status.h>

#include "client/lib/call_stream.h"
#include "client/lib/channel.h"
#include "core/formats/common/limits.h"
#include "signet/client.h"
#include "signet/status.h"
#include "signet/v1/service.pb.h"
#include "signet/value.h"

namespace grpc {
class ClientContext;
}

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
  std::stop_token stop = {};       // ends the call with CANCELLED
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

// Returns the value of a response. INTERNAL with the reason kBadResponse if it cannot be read.
StatusOr<Value> ResultOf(const v1::CallResponse& response);

class ServiceClient {
 public:
  ServiceClient(const std::string& address, const ClientOptions& options);
  // A client that makes each call once.
  explicit ServiceClient(const std::string& address,
                         std::chrono::milliseconds timeout = std::chrono::seconds(30));
  // Cancels the calls of CallAsync, and waits until their callbacks have returned.
  ~ServiceClient();
  ServiceClient(ServiceClient&&) noexcept;
  ServiceClient& operator=(ServiceClient&&) noexcept;

  StatusOr<CallAnswer> Call(const CallSpec& call);
  // Starts a call. `done` is called once, on a thread of gRPC, and must not destroy the client.
  void CallAsync(const CallSpec& call, std::function<void(StatusOr<CallAnswer>)> done);
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

}  // namespace signet
