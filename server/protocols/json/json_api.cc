#include "server/protocols/json/json_api.h"

#include <utility>

#include "core/describe/model_message.h"
#include "core/serving/tensorflow/model_status.h"
#include "server/call/await_model.h"
#include "server/protocols/http/problem.h"
#include "server/protocols/json/explain_call.h"
#include "server/protocols/json/lines_call.h"
#include "server/protocols/json/model_json.h"
#include "server/protocols/json/openapi.h"
#include "server/protocols/json/profile_call.h"
#include "server/protocols/json/statistics_json.h"

namespace signet {
namespace {

constexpr std::string_view kModels = "/v1/models";
constexpr std::string_view kStatistics = "/v1/statistics";
constexpr std::string_view kOpenApi = "/v1/openapi.json";

// Returns the states of the versions of a model, as in TensorFlow Serving. Strict parsers reject
// other members.
HttpResponse DescribeStates(const ServerContext& server, const JsonTarget& target) {
  auto states = tf::GetModelStatus(
      server.repository, {.model = target.model, .version = target.version, .label = target.label});
  if (states.ok()) return JsonResponse({{"model_version_status", tf::StatusToJson(*states)}});
  const Status found = server.repository.Find(target.model, target.version, target.label).status();
  return ProblemOf(
      MakeStatus(states.status().code(),
                 Cat(MessageOf(states.status()), found.ok() ? "" : "; ", MessageOf(found))),
      0, /*has_error=*/true);
}

// Returns the description of a model, or what the target names in it.
HttpResponse DescribeTarget(const ServerContext& server, const JsonTarget& target) {
  auto model = server.repository.Find(target.model, target.version, target.label);
  if (!model.ok()) {
    // A model whose functions cannot be called now has states.
    auto status = server.repository.StatusOf(target.model);
    const bool has_states = target.lists_functions && status;
    return has_states ? JsonResponse(StatusJson(*status))
                      : ProblemOf(model.status(), 0, /*has_error=*/true);
  }
  if (target.lists_functions) return JsonResponse(ModelJson(server, **model));
  auto function = (*model)->FindFunction(target.function);
  if (!function.ok()) return ProblemOf(function.status());
  if (!target.action.empty()) return JsonResponse(ConcreteFunctionsJson(**function));
  const v1::GetModelResponse message = ModelToMessage(**model);
  for (const v1::FunctionInfo& info : message.functions()) {
    if (info.name() == (*function)->def().name) return JsonResponse(FunctionJson(info, **function));
  }
  return ProblemOf(NotFound("function `", Printable(target.function), "` is internal"));
}

bool IsGet(const HttpRequest& request) {
  return request.method == "GET" || request.method == "HEAD";
}

HttpResponse MethodNotAllowed(std::string_view allowed) {
  HttpResponse response =
      ProblemOf(Unimplemented("expected one of the methods ", allowed), 405, /*has_error=*/true);
  response.headers.emplace_back("Allow", allowed);
  return response;
}

}  // namespace

bool JsonApi::Serve(const std::shared_ptr<HttpExchange>& exchange) {
  const HttpRequest& request = exchange->request();
  const std::string_view path = request.path;
  if (path == kStatistics || path == kOpenApi) {
    if (!IsGet(request)) {
      exchange->Respond(MethodNotAllowed("GET, HEAD"));
    } else if (path == kStatistics) {
      exchange->Respond(Statistics(request));
    } else {
      OpenApi(exchange);
    }
    return true;
  }
  auto target = TargetOf(path);
  if (!target.ok()) {
    exchange->Respond(ProblemOf(target.status(), 0, /*has_error=*/true));
    return true;
  }
  if (!*target) return false;
  ServeTarget(exchange, *std::move(*target));
  return true;
}

StatusOr<std::optional<JsonTarget>> JsonApi::TargetOf(std::string_view path) {
  if (!path.starts_with(kModels)) return std::nullopt;
  const std::string_view rest = path.substr(kModels.size());
  if (!rest.empty() && rest[0] != '/') return std::nullopt;
  return ParseJsonTarget(rest);
}

bool JsonApi::ReadsLines(const HttpRequest& head) {
  if (!StreamsLines(head)) return false;
  auto target = TargetOf(head.path);
  return target.ok() && *target && (*target)->action.empty();
}

void JsonApi::ServeTarget(const std::shared_ptr<HttpExchange>& exchange, JsonTarget target) {
  const HttpRequest& request = exchange->request();
  const bool may_get = target.action.empty() || target.action == "concrete_functions";
  const bool may_post = !target.function.empty() && target.action != "concrete_functions";
  if (may_get && IsGet(request)) {
    if (target.model.empty()) return exchange->Respond(ListAll(request));
    return Describe(exchange, target);
  }
  if (request.method == "POST" && target.function.empty()) {
    HttpResponse response =
        ProblemOf(Unimplemented("expected one of the methods GET, HEAD; a call is POST ",
                                "/v1/models/MODEL/functions/FUNCTION"),
                  405, /*has_error=*/true);
    response.headers.emplace_back("Allow", "GET, HEAD");
    return exchange->Respond(std::move(response));
  }
  if (!may_post || request.method != "POST") {
    return exchange->Respond(MethodNotAllowed(!may_post  ? "GET, HEAD"
                                              : !may_get ? "POST"
                                                         : "GET, HEAD, POST"));
  }
  if (target.action == "explain") {
    StartExplainCall(server_, exchange, std::move(target));
  } else if (target.action == "profile") {
    StartHttpCall(server_, exchange,
                  std::make_shared<ProfileCallProtocol>(server_, std::move(target)));
  } else if (ReadsLines(request)) {
    StartLinesCall(server_, exchange, std::move(target));
  } else {
    StartHttpCall(server_, exchange,
                  std::make_shared<JsonCallProtocol>(server_, std::move(target)));
  }
}

HttpResponse JsonApi::ListAll(const HttpRequest& request) const {
  auto access = AuthenticateHttp(server_, request);
  Status permitted = access.ok() ? access->Check(Rpc::kListModels) : access.status();
  if (!permitted.ok()) return ProblemOf(permitted);
  OrderedJson models = OrderedJson::array();
  for (const ModelStatus& status : server_.repository.List()) {
    if (!access->Permits(Rpc::kListModels, status.name)) continue;
    OrderedJson entry = StatusJson(status);
    if (auto model = server_.repository.Find(status.name); model.ok()) {
      entry["doc"] = (*model)->def().doc;
    }
    models.push_back(std::move(entry));
  }
  return JsonResponse({{"models", std::move(models)}});
}

HttpResponse JsonApi::Statistics(const HttpRequest& request) const {
  auto access = AuthenticateHttp(server_, request);
  Status permitted = access.ok() ? access->Check(Rpc::kListModels) : access.status();
  if (!permitted.ok()) return ProblemOf(permitted);
  return JsonResponse(StatisticsJson(server_, *access));
}

// The document may be large, so a maker thread writes it.
void JsonApi::OpenApi(const std::shared_ptr<HttpExchange>& exchange) {
  auto access = AuthenticateHttp(server_, exchange->request());
  Status permitted = access.ok() ? access->Check(Rpc::kGetModel) : access.status();
  if (!permitted.ok()) return exchange->Respond(ProblemOf(permitted));
  server_.makers.Schedule([&server = server_, exchange, access = *std::move(access)] {
    exchange->Respond(JsonResponse(OpenApiJson(server, access)));
  });
}

void JsonApi::Describe(const std::shared_ptr<HttpExchange>& exchange, const JsonTarget& target) {
  auto access = AuthenticateHttp(server_, exchange->request());
  Status permitted = access.ok() ? access->Check(Rpc::kGetModel, target.model) : access.status();
  if (!permitted.ok()) return exchange->Respond(ProblemOf(permitted, 0, /*has_error=*/true));
  if (target.function.empty() && !target.lists_functions) {
    return exchange->Respond(DescribeStates(server_, target));
  }
  auto found = server_.repository.Find(target.model, target.version, target.label);
  if (!IsLoadedOnDemand(found.status())) {
    return exchange->Respond(DescribeTarget(server_, target));
  }
  AwaitModel(server_, target.model, target.version, target.label,
             [this, exchange, target](const Status& loaded) {
               exchange->Respond(loaded.ok() ? DescribeTarget(server_, target) : ProblemOf(loaded));
             });
}

}  // namespace signet
