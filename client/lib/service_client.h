// ServiceClient: sends the messages of signet.v1 to a server.
//
//   ServiceClient client("localhost:8500");
//   CallSpec call{.model = {.name = "recipes"}, .function = "score"};
//   call.args.push_back(Json{R"({"title": "soup"})"});   // decoded by the server, or a Value
//   auto answer = client.Call(call);                      // answer->result is a Value
//
// Statuses are those of the server, with ReasonOf and FieldOf. If no server answers at the address,
// the status is UNAVAILABLE with the reason kNotConnected. Every call ends within the client's
// timeout. Connects when first used. Thread-safe.

#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "client/lib/call_stream.h"
#include "core/formats/common/limits.h"
#include "signet/client.h"
#include "signet/status.h"
#include "signet/v1/service.pb.h"
#include "signet/value.h"

namespace grpc {
class Channel;
}

namespace signet {

// The last one: any other format, as it is sent.
using ClientArgument = std::variant<Value, Json, MessageRows, v1::Encoded>;

v1::ModelSpec ModelSpecOf(const ModelName& name);

struct CallSpec {
  ModelName model = {};
  std::string function = {};  // empty: the model's only function
  std::vector<ClientArgument> args = {};
  std::vector<std::pair<std::string, ClientArgument>> kwargs = {};
  v1::ResultFormat result_format = {};
  std::optional<std::chrono::milliseconds> timeout = {};  // of Call; empty: that of the client
  // Whether fields of encoded arguments that a parameter's type does not have are rejected.
  bool reject_unknown_fields = false;
};
v1::CallRequest RequestOf(const CallSpec& call);

struct CallAnswer {
  Value result;         // none if the call asks for another format:
  v1::Encoded encoded;  // the result in it
  int64_t model_version = 0;
};

class ServiceClient {
 public:
  // `address`: host:port, or unix:PATH.
  explicit ServiceClient(const std::string& address,
                         std::chrono::milliseconds timeout = std::chrono::seconds(30));
  ~ServiceClient();
  ServiceClient(ServiceClient&&) noexcept;
  ServiceClient& operator=(ServiceClient&&) noexcept;

  StatusOr<CallAnswer> Call(const CallSpec& call);
  StatusOr<v1::ExplainResponse> Explain(const CallSpec& call);
  StatusOr<v1::GetModelResponse> GetModel(const ModelName& model);
  StatusOr<v1::ListModelsResponse> ListModels();
  // Many calls, of which each may take the client's timeout.
  CallStream OpenStream();
  std::chrono::milliseconds timeout() const;
  // grpc.health.v1 of the server (empty) or of one of its models; NOT_FOUND for another name.
  StatusOr<ServingState> Health(const std::string& service = "");

 private:
  struct Connection;
  std::unique_ptr<Connection> connection_;
};

// A channel as ServiceClient makes it: without limits of its own on the size of answers.
std::shared_ptr<grpc::Channel> OpenChannel(const std::string& address, int number = 0);

}  // namespace signet
