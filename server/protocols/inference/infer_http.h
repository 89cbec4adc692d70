// InferHttpProtocol: one call of the Open Inference Protocol over HTTP, in JSON or with raw tensors
// (core/formats/inference/infer_json.h).
//
// An object serves one call.

#pragma once

#include <memory>
#include <string>
#include <utility>

#include "core/formats/inference/infer_message.h"
#include "server/protocols/http/http_call.h"
#include "server/protocols/inference/shared_memory.h"

namespace signet {

// Returns the offset of the raw tensors in the body of a request, as its headers state it, or 0.
size_t OffsetOfRawTensors(const HttpRequest& head);

class InferHttpProtocol final : public HttpCallProtocol {
 public:
  // `model` may contain a function (infer_call.h).
  InferHttpProtocol(const ServerContext& server, std::shared_ptr<SharedMemoryRegions> regions,
                    std::string model, std::string version)
      : server_(server),
        regions_(std::move(regions)),
        model_(std::move(model)),
        version_(std::move(version)) {}

  StatusOr<CallRequest> Read(const HttpRequest& request, const Access& access) const override;
  StatusOr<HttpResponse> Write(const HttpRequest& request, CallOutput output) const override;
  HttpResponse Fail(const HttpRequest& request, const Status& status) const override;
  const char* name() const override { return "HTTP infer"; }

 private:
  const ServerContext& server_;
  const std::shared_ptr<SharedMemoryRegions> regions_;  // null: not permitted
  const std::string model_;
  const std::string version_;
  mutable InferRequest request_;  // written by Read, without its inputs
};

}  // namespace signet
