// JsonApi: the paths of Signet's JSON API.
//
//   GET  /v1/models                                             the models and their versions
//   GET  /v1/models/M[/versions/V | /labels/L]                  the functions of a model
//   GET  /v1/models/M[/versions/V | /labels/L]/functions/F      one function
//   POST /v1/models/M[/versions/V | /labels/L]/functions/F      a call (json_call.h)
//
// The object of a model also has `model_version_status`, which clients of TensorFlow Serving read.
// Errors are application/problem+json (server/protocols/http/problem.h). Thread-safe.

#pragma once

#include <memory>

#include "server/protocols/json/json_call.h"

namespace signet {

class JsonApi {
 public:
  // `server` must outlive this object.
  explicit JsonApi(ServerContext& server) : server_(server) {}

  // Serves the request. Returns false if its path does not belong to this API.
  bool Serve(const std::shared_ptr<HttpExchange>& exchange);

 private:
  void Describe(const std::shared_ptr<HttpExchange>& exchange, const JsonTarget& target);
  HttpResponse ListAll(const HttpRequest& request) const;

  ServerContext& server_;
};

}  // namespace signet
