#include "server/protocols/tensorflow/rest_api.h"

#include <array>
#include <optional>
#include <utility>
#include <vector>

#include <absl/strings/numbers.h>

#include "core/base/nearest_name.h"
#include "core/serving/tensorflow/metadata.h"
#include "server/call/await_model.h"
#include "server/call/describe.h"
#include "server/protocols/http/problem.h"
#include "server/protocols/http/url.h"
#include "server/protocols/tensorflow/rest_call.h"

namespace signet::tf {
namespace {

constexpr std::string_view kVersion = "/v1/";
constexpr std::string_view kModels = "/v1/models/";
constexpr std::string_view kMetadata = "/metadata";
constexpr size_t npos = std::string_view::npos;

Status Malformed(const HttpRequest& request) {
  const bool may_be_a_call = request.method == "POST" && request.path.find(':') == npos;
  return InvalidArgument(
      "Malformed request: ", request.method, " ", Printable(request.path),
      may_be_a_call ? "; a call is POST /v1/models/MODEL/functions/FUNCTION" : "");
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
  const bool is_number = !parts[2].empty() && parts[2].find_first_not_of("0123456789") == npos;
  if (parts[1] != "versions" || !is_number) return Malformed(request);
  int64_t version = 0;  // may have leading zeros, as the names of directories of SavedModels do
  if (!absl::SimpleAtoi(absl::string_view(parts[2].data(), parts[2].size()), &version)) {
    return At(MessageOf(Malformed(request)),
              InvalidArgument("Failed to convert version: ", parts[2], " to numeric"));
  }
  target.version = version;
  return target;
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
  // The JSON API has the functions, and describes models.
  if (path.empty() || path.find("/functions") != npos) return false;
  auto target = ParseTarget(request, path);
  const bool describes =
      request.method != "POST" && path.find(':') == npos && (target.ok() || path.ends_with('/'));
  if (describes) return false;
  exchange->Respond(RestError(target.ok() ? Malformed(request) : target.status()));
  return true;
}

bool RestApi::Reject(const std::shared_ptr<HttpExchange>& exchange) {
  const std::string& path = exchange->request().path;
  if (!path.starts_with(kVersion)) return false;
  if (path.starts_with(kModels)) {
    exchange->Respond(RestError(Malformed(exchange->request())));
    return true;
  }
  constexpr std::string_view kPaths[] = {"/v1/models", "/v1/statistics", "/v1/openapi.json"};
  const std::string_view collection =
      std::string_view(path).substr(0, path.find('/', kVersion.size()));
  exchange->Respond(
      ProblemOf(NotFound("path `", Printable(path), "` not found", NearestHint(collection, kPaths),
                         "; paths: /v1/models, /v1/statistics, /v1/openapi.json"),
                0, /*has_error=*/true));
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
  auto deadline = HttpDeadline(exchange->request());
  if (!deadline.ok()) return start();  // responds with the error
  AwaitModel(server_, target.model, target.version, target.label, *deadline,
             [exchange, start, target](const Status& loaded) {
               if (loaded.ok()) return start();
               exchange->Respond(RestError(TranslateFindError(target, loaded)));
             });
}

void RestApi::Describe(const std::shared_ptr<HttpExchange>& exchange, const Target& target) {
  auto access = AuthenticateHttp(server_, exchange->request());
  Status permitted = access.ok() ? access->Check(Rpc::kGetModel, target.model) : access.status();
  if (!permitted.ok()) return exchange->Respond(RestError(permitted));
  auto write = [this, exchange, target] {
    auto model = server_.repository.Find(target.model, target.version, target.label);
    if (!model.ok()) {
      return exchange->Respond(RestError(TranslateFindError(target, model.status())));
    }
    server_.descriptions.FindOrMake(
        Cat("tensorflow ", (*model)->name(), "/", (*model)->version()), {*model},
        [&] { return Description{.text = MetadataToJson(**model)}; },
        [exchange](const DescriptionCache::Made& metadata) {
          if (metadata == nullptr) {
            return exchange->Respond(
                RestError(ResourceExhausted("out of memory for the description")));
          }
          HttpResponse response = RestResponse("");
          response.body = {BufferOf(metadata)};
          response.compressed = metadata->compressed;
          exchange->Respond(std::move(response));
        });
  };
  auto describe = [this, exchange, write] {
    Status accepted = ScheduleDescription(server_, write);
    if (!accepted.ok()) exchange->Respond(RestError(accepted));
  };
  auto found = server_.repository.Find(target.model, target.version, target.label);
  if (!IsLoadedOnDemand(found.status())) return describe();
  AwaitModel(server_, target.model, target.version, target.label, /*deadline=*/std::nullopt,
             [exchange, describe, target](const Status& loaded) {
               if (loaded.ok()) return describe();
               exchange->Respond(RestError(TranslateFindError(target, loaded)));
             });
}

}  // namespace signet::tf
