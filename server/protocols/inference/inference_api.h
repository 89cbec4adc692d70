// InferenceApi: the paths of the Open Inference Protocol over HTTP, with the extensions of Triton.
//
//   GET  /v2                                                  the server
//   GET  /v2/health/live, /v2/health/ready
//   GET  /v2/models, /v2/models/stats
//   GET  /v2/models/M[/F][/versions/V][/ready|/config|/stats] a model, or its function F
//   POST /v2/models/M[/F][/versions/V]/infer                  a call (infer_http.h)
//   POST /v2/models/M[/F][/versions/V]/generate[_stream]      a call (generate_http.h)
//   POST /v2/repository/index, /v2/repository/models/M/load|unload
//   GET, POST  /v2/logging, /v2/trace/setting, /v2/models/M/trace/setting
//   GET  /v2/systemsharedmemory[/region/R]/status
//   POST /v2/systemsharedmemory/region/R/register, /v2/systemsharedmemory[/region/R]/unregister
//   and the same for /v2/cudasharedmemory, which has no regions
//
// An error is `{"error": "..."}`. Thread-safe.

#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "server/call/serving.h"
#include "server/http/http_server.h"
#include "server/protocols/inference/inference_options.h"

namespace signet {

// Returns the response for an error. Triton has 400 for an unknown model.
HttpResponse InferenceErrorResponse(const Status& status);
HttpResponse InferenceErrorResponse(int code, std::string_view text);

class InferenceApi {
 public:
  // `server` must outlive this object.
  InferenceApi(ServerContext& server, InferenceOptions options);

  // Returns true if a path belongs to this protocol.
  static bool Owns(std::string_view path);
  // Serves the request. Returns false if its path does not belong to this protocol.
  bool Serve(const std::shared_ptr<HttpExchange>& exchange);

 private:
  using Parts = std::vector<std::string>;

  // Each serves a request whose path begins with its name, and returns false for other paths.
  bool ServeHealth(HttpExchange& exchange, const Parts& parts);
  bool ServeModel(const std::shared_ptr<HttpExchange>& exchange, const Parts& parts);
  bool ServeRepository(const std::shared_ptr<HttpExchange>& exchange, const Parts& path);
  bool ServeSettings(HttpExchange& exchange, const Parts& parts);
  bool ServeSharedMemory(HttpExchange& exchange, const Parts& parts);

  ServerContext& server_;
  const InferenceOptions options_;
};

}  // namespace signet
