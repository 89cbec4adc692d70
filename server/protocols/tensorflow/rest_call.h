// RestCall: one call of TensorFlow Serving's REST API. An object serves one call.

#pragma once

#include <optional>
#include <string>

#include "core/serving/tensorflow/column_shapes.h"
#include "core/serving/tensorflow/signatures.h"
#include "server/protocols/http/http_call.h"

namespace signet::tf {

class RestCall final : public HttpCallProtocol {
 public:
  RestCall(const ServerContext& server, Target target, Method method)
      : server_(server), target_(std::move(target)), method_(method) {}

  StatusOr<CallRequest> Read(const HttpRequest& request, const Access& access) const override;
  std::optional<CalledFunction> FunctionOfCall() const override { return called_; }
  StatusOr<HttpResponse> Write(const HttpRequest& request, CallOutput output) const override;
  HttpResponse Fail(const HttpRequest& request, const Status& status) const override;
  const char* name() const override { return "HTTP"; }

 private:
  const ServerContext& server_;
  const Target target_;
  const Method method_;
  // Set by Read.
  mutable std::optional<CalledFunction> called_;
  mutable bool has_rows_ = false;  // of :predict
  mutable ColumnShapes shapes_;
  mutable size_t num_examples_ = 0;
};

// Returns a response in JSON.
HttpResponse RestResponse(std::string json);
// Returns {"error": "..."}.
HttpResponse RestError(const Status& status);

}  // namespace signet::tf
