#include "server/protocols/tensorflow/rest_api.h"

#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "core/model/model_name.h"
#include "core/serving/tensorflow/metadata.h"
#include "server/call/await_model.h"
#include "server/protocols/http/url.h"
#include "server/protocols/tensorflow/rest_call.h"

namespace signet::tf {
namespace {

constexpr std::string_view kModels = "/v1/models/";
constexpr std::string_view kMetadata = "/metadata";

Status Malformed(const HttpRequest& request) {
  return InvalidArgument("Malformed request: ", request.method, " ", Printable(request.path));
}

// Reads `M[/versions/V | /labels/L]`.
StatusOr<Target> ParseTarget(const HttpRequest& request, std::string_view path) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t slash = std::min(path.find('/'), path.size());
    parts.push_back(path.substr(0, slash));
    if (slash == path.size()) break;
    path.remove_prefix(slash + 1);
  }
  if (parts[0].empty() || (parts.size() != 1 && parts.size() != 3)) return Malformed(request);
  Target target;
  SIGNET_ASSIGN_OR_RETURN(target.model, DecodePercent(parts[0]));
  if (parts.size() == 1) return target;
  if (parts[1] == "labels" && !parts[2].empty()) {
    SIGNET_ASSIGN_OR_RETURN(target.label, DecodePercent(parts[2]));
    return target;
  }
  if (parts[1] != "versions") return Malformed(request);
  target.version = ParseVersion(parts[2]);
  if (target.version) return target;
  return At(MessageOf(Malformed(request)),
            InvalidArgument("Failed to convert version: ", Printable(parts[2]), " to numeric"));
}

}  // namespace

bool RestApi::Serve(const std::shared_ptr<HttpExchange>& exchange) {
  const HttpRequest& request = exchange->request();
  std::string_view path = request.path;
  if (!path.starts_with(kModels)) return false;
  path.remove_prefix(kModels.size());
  if (request.method == "GET" && path.ends_with(kMetadata)) {
    path.remove_suffix(kMetadata.size());
    auto target = ParseTarget(request, path);
    if (!target.ok()) return false;  // another API may have the path
    Describe(exchange, *target);
    return true;
  }
  for (Method method : {Method::kPredict, Method::kClassify, Method::kRegress}) {
    const std::string suffix = Cat(":", NameOf(method));
    if (!path.ends_with(suffix)) continue;
    path.remove_suffix(suffix.size());
    auto target = ParseTarget(request, path);
    if (target.ok() && request.method != "POST") target = Malformed(request);
    if (target.ok()) {
      Call(exchange, *target, method);
    } else {
      exchange->Respond(RestError(target.status()));
    }
    return true;
  }
  // Such as `:generate`: clients of TensorFlow Serving expect its error. The path of a function of
  // the JSON API has more parts, so that the name of a function may contain a colon.
  const size_t colon = path.rfind(':');
  if (request.method != "POST" || colon == path.npos || !ParseTarget(request, path).ok()) {
    return false;
  }
  exchange->Respond(RestError(Malformed(request)));
  return true;
}

void RestApi::Call(const std::shared_ptr<HttpExchange>& exchange, const Target& target,
                   Method method) {
  auto start = [this, exchange, target, method] {
    StartHttpCall(server_, exchange, std::make_shared<RestCall>(server_, target, method));
  };
  // The signature of the function is needed to read the request, so its model must be loaded. A
  // caller who may not call it learns nothing of it.
  auto access = AuthenticateHttp(server_, exchange->request());
  if (!access.ok() || !access->Permits(Rpc::kCall, target.model)) return start();
  auto found = server_.repository.Find(target.model, target.version, target.label);
  if (!IsLoadedOnDemand(found.status())) return start();
  AwaitModel(server_, target.model, target.version, target.label,
             [exchange, start](const Status& loaded) {
               if (loaded.ok()) return start();
               exchange->Respond(RestError(loaded));
             });
}

void RestApi::Describe(const std::shared_ptr<HttpExchange>& exchange, const Target& target) {
  auto access = AuthenticateHttp(server_, exchange->request());
  Status permitted = access.ok() ? access->Check(Rpc::kGetModel, target.model) : access.status();
  if (!permitted.ok()) return exchange->Respond(RestError(permitted));
  auto describe = [this, exchange, target] {
    auto model = server_.repository.Find(target.model, target.version, target.label);
    if (!model.ok()) {
      return exchange->Respond(RestError(TranslateFindError(target, model.status())));
    }
    exchange->Respond(RestResponse(MetadataToJson(**model)));
  };
  auto found = server_.repository.Find(target.model, target.version, target.label);
  if (!IsLoadedOnDemand(found.status())) return describe();
  AwaitModel(server_, target.model, target.version, target.label,
             [exchange, describe](const Status& loaded) {
               if (loaded.ok()) return describe();
               exchange->Respond(RestError(loaded));
             });
}

}  // namespace signet::tf
