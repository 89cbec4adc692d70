// JsonCallProtocol: one call of Signet's JSON API: POST /v1/models/M/functions/F.
//
// The body is `{"args": [...], "kwargs": {...}}`, or the argument itself:
//   Content-Type                             the argument
//   application/json, or none of these       JSON
//   application/x-ndjson                     records, one JSON text per line
//   application/vnd.apache.arrow.stream      an Arrow IPC stream or file
//   application/x-protobuf; type=pkg.Type    rows, each after its length as a varint
// Parameters in the query are keyword arguments in JSON: `?top_k=2`. Accept states the format of
// the result with the same types; the default is JSON. docs/reference/http.md describes the API.
// Immutable; thread-safe.

#pragma once

#include <string>

#include "server/protocols/http/http_call.h"
#include "server/protocols/json/json_target.h"

namespace signet {

class JsonCallProtocol : public HttpCallProtocol {
 public:
  JsonCallProtocol(const ServerContext& server, JsonTarget target)
      : server_(server), target_(std::move(target)) {}

  StatusOr<CallRequest> Read(const HttpRequest& request, const Access& access) const override;
  StatusOr<HttpResponse> Write(const HttpRequest& request, CallOutput output) const override;
  HttpResponse Fail(const HttpRequest& request, const Status& status) const override;
  const char* name() const override { return "HTTP"; }

  // Returns true if a request sends records in lines, and accepts lines.
  static bool HasLines(const HttpRequest& head);

 private:
  const ServerContext& server_;
  const JsonTarget target_;
};

// Reads the parameters of a query, `top_k=2&name=%22a%22`, as keyword arguments.
Status ReadQueryArguments(std::string_view query, const Limits& limits, CallRequest& call);

}  // namespace signet
