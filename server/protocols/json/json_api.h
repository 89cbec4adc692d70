// JsonApi: the paths of Signet's JSON API.
//
//   GET  /v1/models                           the models and their versions
//   GET  /v1/statistics                       counters of calls (statistics_json.h)
//   GET  /v1/openapi.json                     the API of the functions (openapi.h)
//   GET  MODEL                                a model: its settings, and its functions
//   GET  MODEL/functions/F                    one function
//   POST MODEL/functions/F                    a call (json_call.h)
//   POST MODEL/functions/F/explain            what a call would do (explain_call.h)
//   POST MODEL/functions/F/profile            a call, with the time of each node (profile_call.h)
//   GET  MODEL/functions/F/concrete_functions the concrete functions, with hits and times
//
// MODEL is /v1/models/M, with /versions/V or /labels/L after it to select a version. Its object
// also has `model_version_status`, which clients of TensorFlow Serving read. Errors are
// application/problem+json (server/protocols/http/problem.h). Thread-safe.

#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "server/protocols/json/json_call.h"

namespace signet {

class JsonApi {
 public:
  // `server` must outlive this object.
  explicit JsonApi(ServerContext& server) : server_(server) {}

  // Serves the request. Returns false if its path does not belong to this API.
  bool Serve(const std::shared_ptr<HttpExchange>& exchange);

  // Returns true if Serve reads the body of this request itself, line by line.
  static bool ReadsLines(const HttpRequest& head);

 private:
  static StatusOr<std::optional<JsonTarget>> TargetOf(std::string_view path);
  void ServeTarget(const std::shared_ptr<HttpExchange>& exchange, JsonTarget target);
  void Describe(const std::shared_ptr<HttpExchange>& exchange, const JsonTarget& target);
  // Responds on a thread for descriptions.
  void RespondLater(const std::shared_ptr<HttpExchange>& exchange,
                    std::function<HttpResponse()> write);
  void ListAll(const std::shared_ptr<HttpExchange>& exchange);
  void Statistics(const std::shared_ptr<HttpExchange>& exchange);
  void OpenApi(const std::shared_ptr<HttpExchange>& exchange);

  ServerContext& server_;
};

}  // namespace signet
