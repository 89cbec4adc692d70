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
// of the parameter. signet/record.h converts structs to values, and signet/typed_function.h calls a
// function with C++ types.
//
// Errors have the code and the message of the server, with ReasonOf and FieldOf. Reasons of the
// client itself are:
//
//   kNotConnected   UNAVAILABLE: no server answers at the address
//   kTlsFailed      UNAVAILABLE: the message states what is wrong with TLS
//   kBadResponse    INTERNAL: the response of the server cannot be read
//
// If a file of the options is wrong, or the options contradict one another, every call returns
// INVALID_ARGUMENT. The client connects when it is first used, and reconnects by itself. Calls
// change nothing on a server, so the client repeats them if a server cannot be reached, is
// stopping, or requests that the client tries again (ClientOptions::max_attempts). Thread-safe.

#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "signet/record.h"
#include "signet/status.h"
#include "signet/value.h"

namespace signet {

inline constexpr char kNotConnected[] = "NOT_CONNECTED";
inline constexpr char kTlsFailed[] = "TLS_FAILED";
inline constexpr char kBadResponse[] = "BAD_RESPONSE";

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
  std::string priority = {};  // high, normal, or low; empty: the priority of the model
  // Ends the call with CANCELLED. Streams ignore it.
  std::stop_token stop = {};
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
  // Of one call, until its result, with all attempts.
  std::chrono::milliseconds timeout = std::chrono::seconds(30);
  // How often a call is sent at most, 1 to 5. A call is sent again after UNAVAILABLE, and after
  // RESOURCE_EXHAUSTED if the server requests it, with growing pauses.
  int max_attempts = 4;
  // Spreads calls over all addresses of the host name. Calls are always spread over a list.
  bool round_robin = false;

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

class ResumingStream;
class ServiceClient;

// RemoteStream: makes many calls over one connection and returns their results in the order of the
// calls. If the connection is lost, calls without a result are sent again over a new one. The
// destructor cancels the calls in flight. Not thread-safe; the client must outlive it.
class RemoteStream {
 public:
  ~RemoteStream();
  RemoteStream(RemoteStream&&) noexcept;
  RemoteStream& operator=(RemoteStream&&) noexcept;

  // Sends a call. Its timeout and its priority are those of the client and the stream.
  Status Send(const RemoteCall& call);
  // Waits for the result of the first call without one. There must be one. The error of a call does
  // not end the stream, except for DEADLINE_EXCEEDED and UNAVAILABLE.
  StatusOr<Value> Next();
  // Returns the number of calls whose results Next has not returned. Limit it, so that neither side
  // has to keep many calls.
  size_t pending() const;

 private:
  friend class Client;
  explicit RemoteStream(std::unique_ptr<ResumingStream> stream);
  std::unique_ptr<ResumingStream> stream_;
};

class Client {
 public:
  // `address` is host:port, unix:PATH, or a list such as `10.0.0.1:8500,10.0.0.2:8500`. Calls to a
  // list are spread over the servers whose health is SERVING.
  explicit Client(const std::string& address, const ClientOptions& options = {});
  // Cancels the calls of CallAsync, and waits until their callbacks have returned.
  ~Client();
  Client(Client&&) noexcept;
  Client& operator=(Client&&) noexcept;

  // Calls a function and waits for its result.
  StatusOr<Value> Call(const RemoteCall& call) const;
  // Does the same, and converts the result (ValueAs): CallAs<std::vector<Score>>(call).
  template <class Result>
  StatusOr<Result> CallAs(const RemoteCall& call) const;
  // Does the same as Call; the server returns the result as JSON text.
  StatusOr<std::string> CallForJson(const RemoteCall& call) const;

  // Starts a call. RemoteCall::stop cancels it.
  std::future<StatusOr<Value>> CallAsync(const RemoteCall& call) const;
  // Does the same; `done` is called once with the result, on a thread of the client. It must not
  // wait for other calls of the client, and must not destroy the client.
  void CallAsync(const RemoteCall& call, std::function<void(StatusOr<Value>)> done) const;
  // Opens a stream of calls of one priority: high, normal, or low; empty for that of the model.
  RemoteStream OpenStream(const std::string& priority = "") const;

  // Returns the models of the server, sorted by name, without their functions.
  StatusOr<std::vector<RemoteModel>> ListModels() const;
  // Returns a model with its functions. NOT_FOUND lists what exists.
  StatusOr<RemoteModel> GetModel(const ModelName& model) const;
  // Returns whether the server, or one of its models, serves calls. NOT_FOUND for another name.
  StatusOr<ServingState> Health(const std::string& model = "") const;

 private:
  std::unique_ptr<ServiceClient> service_;
};

template <class Result>
StatusOr<Result> Client::CallAs(const RemoteCall& call) const {
  SIGNET_ASSIGN_OR_RETURN(Value result, Call(call));
  return ValueAs<Result>(result);
}

}  // namespace signet
