// RestApi: the paths of TensorFlow Serving's REST API.
//
//   POST /v1/models/M[/versions/V | /labels/L]:predict      a call (predict_json.h)
//   POST /v1/models/M[/versions/V | /labels/L]:classify     a call with examples (examples_input.h)
//   POST /v1/models/M[/versions/V | /labels/L]:regress      the same
//   GET  /v1/models/M[/versions/V | /labels/L]/metadata     the signatures of a model
//
// GET /v1/models/M is answered by the JSON API, whose object has the fields of TensorFlow Serving,
// too. An error is {"error": "..."}. Thread-safe.

#pragma once

#include <memory>

#include "core/serving/tensorflow/signatures.h"
#include "server/protocols/http/http_call.h"

namespace signet::tf {

class RestApi {
 public:
  // `server` must outlive this object.
  explicit RestApi(ServerContext& server) : server_(server) {}

  // Serves the request. Returns false if its path does not belong to this API.
  bool Serve(const std::shared_ptr<HttpExchange>& exchange);
  // Responds with the error of a malformed request. Returns false if the path does not begin as
  // the paths of this API do. For requests that no API serves.
  static bool Reject(const std::shared_ptr<HttpExchange>& exchange);

 private:
  void Call(const std::shared_ptr<HttpExchange>& exchange, const Target& target, Method method);
  void Describe(const std::shared_ptr<HttpExchange>& exchange, const Target& target);

  ServerContext& server_;
};

}  // namespace signet::tf
