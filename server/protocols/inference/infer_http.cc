#include "server/protocols/inference/infer_http.h"

#include <charconv>

#include "core/formats/inference/infer_json.h"
#include "server/protocols/inference/infer_call.h"
#include "server/protocols/inference/inference_api.h"

namespace signet {
namespace {

constexpr char kLengthHeader[] = "Inference-Header-Content-Length";

}  // namespace

size_t OffsetOfRawTensors(const HttpRequest& head) {
  const std::string_view text = head.Header(kLengthHeader);
  size_t offset = 0;
  std::from_chars(text.data(), text.data() + text.size(), offset);  // checked when it is read
  return offset;
}

StatusOr<CallRequest> InferHttpProtocol::Read(const HttpRequest& request,
                                              const Access& /*access*/) const {
  SIGNET_ASSIGN_OR_RETURN(
      request_, ParseInferJson(request.body, request.Header(kLengthHeader), server_.limits,
                               ReaderOf(regions_.get()), model_));
  request_.model = model_;
  request_.version = version_;
  return CallOfRequest(request_);
}

StatusOr<HttpResponse> InferHttpProtocol::Write(const HttpRequest& /*request*/,
                                                CallOutput output) const {
  SIGNET_ASSIGN_OR_RETURN(InferResponse message,
                          ResponseOfCall(request_, output, regions_.get(), server_.limits));
  SIGNET_ASSIGN_OR_RETURN(InferJson written, WriteInferJson(message, server_.limits));
  HttpResponse response;
  response.content_type = written.header_length ? "application/octet-stream" : "application/json";
  response.body = std::move(written.body);
  response.may_compress = true;
  if (written.header_length) {
    response.headers.emplace_back(kLengthHeader, Cat(*written.header_length));
  }
  return response;
}

HttpResponse InferHttpProtocol::Fail(const HttpRequest& /*request*/, const Status& status) const {
  return InferenceErrorResponse(InferCallErrorOf(status, request_.parameters, model_, version_));
}

}  // namespace signet
