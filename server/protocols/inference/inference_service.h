// InferenceService: implements inference.GRPCInferenceService with gRPC's callback API.
//
// ModelInfer and ModelStreamInfer run on the path of all calls (server/call). Requests arrive as
// bytes, and tensors stay in the slices in which gRPC received them. Thread-safe.

#pragma once

#include <functional>

#include "inference/inference.grpc.pb.h"
#include "server/call/serving.h"
#include "server/protocols/inference/infer_stream.h"
#include "server/protocols/inference/inference_options.h"

namespace signet {

class InferenceService final : public inference::GRPCInferenceService::Service {
 public:
  // `server` must outlive this object.
  InferenceService(ServerContext& server, InferenceOptions options);

  // Ends the open streams.
  void Drain() { streams_.Drain(); }

 private:
  template <class Response>
  using Done = std::function<void(StatusOr<Response>)>;
  template <class Request, class Response>
  using Answer = std::function<void(const Request&, const Access&, Done<Response>)>;

  void ServeCalls();
  void ServeFacts();
  void ServeRepository();
  void ServeSharedMemory();
  void ServeSettings();

  // Lets `answer` answer the requests of a method to callers that may use `permission`.
  template <class Request, class Response>
  void Serve(const char* method, Rpc permission, Answer<Request, Response> answer);
  // Does the same for an answer that is known at once.
  template <class Request, class Response>
  void ServeNow(const char* method, Rpc permission,
                std::function<StatusOr<Response>(const Request&, const Access&)> answer);

  ServerContext& server_;
  const InferenceOptions options_;
  OpenStreams<InferStream> streams_;
};

}  // namespace signet
