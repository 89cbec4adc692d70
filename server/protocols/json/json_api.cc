#include "server/protocols/json/json_api.h"

#include <utility>

#include "core/describe/model_message.h"
#include "core/serving/tensorflow/model_status.h"
#include "server/call/await_model.h"
#include "server/call/describe.h"
#include "server/protocols/http/describe_http.h"
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

HttpResponse OutOfMemory() {
  return ProblemOf(ResourceExhausted("out of memory for the description"));
}

HttpResponse DescribeFunction(const LoadedModel& model, const JsonTarget& target) {
  auto function = model.FindFunction(target.function);
  if (!function.ok()) return ProblemOf(function.status());
  if (!target.action.empty()) return JsonResponse(ConcreteFunctionsJson(**function));
  if (IsInternal((*function)->def().name)) {
    return ProblemOf(NotFound("function `", Printable(target.function), "` is internal"));
  }
  return JsonResponse(FunctionJson(FunctionToMessage(model, **function), **function));
}

// Responds with the description of a model, or what the target names in it.
void DescribeTarget(ServerContext& server, const JsonTarget& target,
                    const std::shared_ptr<HttpExchange>& exchange) {
  auto model = server.repository.Find(target.model, target.version, target.label);
  if (!model.ok()) {
    // A model whose functions cannot be called now has states.
    auto status = server.repository.StatusOf(target.model);
    return exchange->Respond(target.lists_functions && status
                                 ? JsonResponse(StatusJson(*status))
                                 : ProblemOf(model.status(), 0, /*has_error=*/true));
  }
  if (!target.lists_functions) return exchange->Respond(DescribeFunction(**model, target));
  OrderedJson out = ModelJson(server, **model);
  auto respond = [exchange, out = std::move(out)](const DescriptionCache::Made& functions) {
    if (functions == nullptr) return exchange->Respond(OutOfMemory());
    exchange->Respond(ResponseWithMember(out, "functions", BufferOf(functions)));
  };
  server.descriptions.FindOrMake(
      Cat("json ", (*model)->name(), "/", (*model)->version()), {*model},
      [&] { return Description{.text = FunctionsJson(**model)}; }, std::move(respond));
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
      Statistics(exchange);
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
    if (target.model.empty()) return ListAll(exchange);
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

void JsonApi::RespondLater(const std::shared_ptr<HttpExchange>& exchange,
                           std::function<HttpResponse()> write) {
  RespondWithDescription(server_, exchange, std::move(write),
                         [](const Status& status) { return ProblemOf(status); });
}

void JsonApi::ListAll(const std::shared_ptr<HttpExchange>& exchange) {
  auto access = AuthenticateHttp(server_, exchange->request());
  Status permitted = access.ok() ? access->Check(Rpc::kListModels) : access.status();
  if (!permitted.ok()) return exchange->Respond(ProblemOf(permitted));
  RespondLater(exchange, [&server = server_, access = *std::move(access)] {
    OrderedJson models = OrderedJson::array();
    for (const ModelStatus& status : server.repository.List()) {
      if (!access.Permits(Rpc::kListModels, status.name)) continue;
      OrderedJson entry = StatusJson(status);
      if (auto model = server.repository.Find(status.name); model.ok()) {
        entry["doc"] = (*model)->def().doc;
      }
      models.push_back(std::move(entry));
    }
    return JsonResponse({{"models", std::move(models)}});
  });
}

void JsonApi::Statistics(const std::shared_ptr<HttpExchange>& exchange) {
  auto access = AuthenticateHttp(server_, exchange->request());
  Status permitted = access.ok() ? access->Check(Rpc::kListModels) : access.status();
  if (!permitted.ok()) return exchange->Respond(ProblemOf(permitted));
  RespondLater(exchange, [&server = server_, access = *std::move(access)] {
    return JsonResponse(StatisticsJson(server, access));
  });
}

void JsonApi::OpenApi(const std::shared_ptr<HttpExchange>& exchange) {
  auto access = AuthenticateHttp(server_, exchange->request());
  Status permitted = access.ok() ? access->Check(Rpc::kGetModel) : access.status();
  if (!permitted.ok()) return exchange->Respond(ProblemOf(permitted));
  Status accepted =
      ScheduleDescription(server_, [&server = server_, exchange, access = *std::move(access)] {
        const OpenApiModels models = OpenApiModelsOf(server, access);
        server.descriptions.FindOrMake(
            models.Key(), models.List(),
            [&] { return Description{.text = Cat(TextOf(OpenApiJson(models)), "\n")}; },
            [exchange](const DescriptionCache::Made& document) {
              if (document == nullptr) return exchange->Respond(OutOfMemory());
              HttpResponse response{.content_type = "application/json",
                                    .body = {BufferOf(document)},
                                    .may_compress = true,
                                    .compressed = document->compressed};
              exchange->Respond(std::move(response));
            });
      });
  if (!accepted.ok()) exchange->Respond(ProblemOf(accepted));
}

void JsonApi::Describe(const std::shared_ptr<HttpExchange>& exchange, const JsonTarget& target) {
  auto access = AuthenticateHttp(server_, exchange->request());
  Status permitted = access.ok() ? access->Check(Rpc::kGetModel, target.model) : access.status();
  if (!permitted.ok()) return exchange->Respond(ProblemOf(permitted, 0, /*has_error=*/true));
  if (target.function.empty() && !target.lists_functions) {
    return exchange->Respond(DescribeStates(server_, target));
  }
  auto describe = [this, exchange, target] {
    Status accepted = ScheduleDescription(
        server_, [this, exchange, target] { DescribeTarget(server_, target, exchange); });
    if (!accepted.ok()) exchange->Respond(ProblemOf(accepted));
  };
  auto found = server_.repository.Find(target.model, target.version, target.label);
  if (!IsLoadedOnDemand(found.status())) return describe();
  AwaitModel(server_, target.model, target.version, target.label, /*deadline=*/std::nullopt,
             [exchange, describe](const Status& loaded) {
               loaded.ok() ? describe() : exchange->Respond(ProblemOf(loaded));
             });
}

}  // namespace signet
