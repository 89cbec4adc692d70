// Client: calls the functions of a server.
//
//   signet::Client client(address);  // such as localhost:8500
//   auto limit = signet::Tensor::Scalar<int64_t>(3);
//   auto scores = client.Call({.model = {.name = "math"},
//                              .function = "score",
//                              .args = {signet::Json{R"({"ids": [1, 2], "title": "soup"})"}},
//                              .kwargs = {{"limit", limit}},
//                              .timeout = std::chrono::seconds(60)});
//
// An argument is a Value, or JSON or serialized messages, which the server decodes under the type
// of the parameter. Errors have the code and the message of the server, with ReasonOf and FieldOf.
// UNAVAILABLE with the reason kNotConnected means that no server answers at the address; with the
// reason kTlsFailed, the message states what is wrong with TLS. If a file of the options is wrong,
// or the options contradict one another, every call returns INVALID_ARGUMENT. The client connects
// when it is first used, and reconnects by itself. Thread-safe.

#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "signet/status.h"
#include "signet/value.h"

namespace signet {

inline constexpr char kNotConnected[] = "NOT_CONNECTED";
inline constexpr char kTlsFailed[] = "TLS_FAILED";

// A model of a server: `recipes` (the newest version), `recipes/3`, or `recipes:stable` (a label).
struct ModelName {
  std::string name = {};
  std::optional<int64_t> version = {};
  std::string label = {};
};
StatusOr<ModelName> ParseModelName(std::string_view text);

// JSON text.
struct Json {
  std::string text;
};
// Serialized protobuf messages of one type, one per row.
struct MessageRows {
  std::string message_type;  // such as `shop.Dish`
  std::vector<std::string> rows;
};
using RemoteArgument = std::variant<Value, Json, MessageRows>;

struct RemoteCall {
  ModelName model = {};
  std::string function = {};  // empty: the only function of the model
  std::vector<RemoteArgument> args = {};
  std::vector<std::pair<std::string, RemoteArgument>> kwargs = {};
  std::optional<std::chrono::milliseconds> timeout = {};  // empty: the timeout of the client
  // Whether the server rejects fields of JSON and messages that the parameter's type does not have.
  bool reject_unknown_fields = false;
};

struct RemoteFunction {
  std::string name;
  std::string signature;  // with default values
  std::string doc;
};

struct RemoteModel {
  std::string name;
  std::string doc;
  std::vector<int64_t> versions;  // that can be called, ascending
  std::map<std::string, int64_t> labels;
  std::vector<RemoteFunction> functions = {};  // only from GetModel: those of the version asked for
};

enum class ServingState : uint8_t { kUnknown, kServing, kNotServing };

struct ClientOptions {
  std::chrono::milliseconds timeout = std::chrono::seconds(30);  // of one call, until its result

  // The connection uses TLS if `tls` is true or if one of the following files or the name is set.
  bool tls = false;
  std::string ca_file = {};  // PEM; the certificates that sign the server's; empty: the system's
  std::string certificate_file = {};  // PEM; identifies this client; with key_file
  std::string key_file = {};          // PEM
  std::string server_name = {};  // that the server's certificate must have; empty: from the address

  // A bearer token for each call, or a file that contains it, which is read again every 10 seconds.
  std::string token = {};
  std::string token_file = {};
  // Without TLS, a token is only sent to this machine, unless this is true.
  bool plaintext_token = false;
};

class ServiceClient;

class Client {
 public:
  // `address` is host:port, or unix:PATH.
  explicit Client(const std::string& address, const ClientOptions& options = {});
  ~Client();
  Client(Client&&) noexcept;
  Client& operator=(Client&&) noexcept;

  // Calls a function and waits for its result.
  StatusOr<Value> Call(const RemoteCall& call) const;
  // Does the same; the server returns the result as JSON text.
  StatusOr<std::string> CallForJson(const RemoteCall& call) const;

  // Returns the models of the server, sorted by name, without their functions.
  StatusOr<std::vector<RemoteModel>> ListModels() const;
  // Returns a model with its functions. NOT_FOUND lists what exists.
  StatusOr<RemoteModel> GetModel(const ModelName& model) const;
  // Returns whether the server, or one of its models, serves calls. NOT_FOUND for another name.
  StatusOr<ServingState> Health(const std::string& model = "") const;

 private:
  std::unique_ptr<ServiceClient> service_;
};

}  // namespace signet
