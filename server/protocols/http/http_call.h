// StartHttpCall: serves one call of a protocol over HTTP: authenticates it, parses it, executes it,
// and responds.
//
//   StartHttpCall(server, std::move(exchange), protocol);
//
// The call has the permissions, limits, queues, metrics, traces, and logs of a Call over gRPC.
// Headers of a request:
//   Authorization        `Bearer TOKEN`
//   Signet-Timeout       the time for the call, in seconds: `2.5`
//   Signet-Priority      `high`, `normal`, or `low`
//   Signet-Stage-Times   with `1`, the response has the times of the stages of the call
//   traceparent          the trace of the client; the response has a traceparent, too
// A response to a call that was rejected because of a full queue or a limit has Retry-After.
// Thread-safe.

#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "server/call/execute_call.h"
#include "server/http/http_server.h"

namespace signet {

// How a protocol reads a call and writes the response. An object may serve one call, or several if
// it is immutable. Read precedes the other functions.
class HttpCallProtocol {
 public:
  virtual ~HttpCallProtocol() = default;

  // Runs on the thread that executes the call.
  virtual StatusOr<CallRequest> Read(const HttpRequest& request, const Access& access) const = 0;
  // Returns the function of the call, if Read has found it.
  virtual std::optional<CalledFunction> FunctionOfCall() const { return std::nullopt; }
  virtual StatusOr<HttpResponse> Write(const HttpRequest& request, CallOutput output) const = 0;
  virtual HttpResponse Fail(const HttpRequest& request, const Status& status) const = 0;
  // The name of the call in logs and traces.
  virtual const char* name() const = 0;
  // Returns what receives the times of the nodes of the call, or null. A protocol with a profile
  // serves one call.
  virtual RunProfile* profile() const { return nullptr; }
};

void StartHttpCall(ServerContext& server, std::shared_ptr<HttpExchange> exchange,
                   std::shared_ptr<const HttpCallProtocol> protocol);

// Returns who makes a request.
StatusOr<Access> AuthenticateHttp(const ServerContext& server, const HttpRequest& request);

// Returns the deadline that Signet-Timeout states, if any.
StatusOr<std::optional<std::chrono::steady_clock::time_point>> HttpDeadline(
    const HttpRequest& request);

// What logs read of a gRPC context.
struct HttpPeer {
  const HttpRequest& request;
  const std::string& peer() const { return request.peer; }
};

}  // namespace signet
