// InferHttpProtocol: one call of the Open Inference Protocol over HTTP, in JSON or with raw tensors
// (core/formats/inference/infer_json.h).
//
// An object serves one call.

#pragma once

#include <string>
#include <utility>

#include "core/formats/inference/infer_message.h"
#include "server/protocols/http/http_call.h"

namespace signet {

class InferHttpProtocol final : public HttpCallProtocol {
 public:
  // `model` may contain a function (infer_call.h).
  InferHttpProtocol(const ServerContext& server, std::string model, std::string version)
      : server_(server), model_(std::move(model)), version_(std::move(version)) {}

  StatusOr<CallRequest> Read(const HttpRequest& request, const Access& access) const override;
  StatusOr<HttpResponse> Write(const HttpRequest& request, CallOutput output) const override;
  HttpResponse Fail(const HttpRequest& request, const Status& status) const override;
  const char* name() const override { return "HTTP infer"; }

 private:
  const ServerContext& server_;
  const std::string model_;
  const std::string version_;
  mutable InferRequest request_;  // written by Read, without its inputs
};

}  // namespace signet
