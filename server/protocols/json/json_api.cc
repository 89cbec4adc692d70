#include "server/protocols/json/json_api.h"

#include <optional>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/describe/model_message.h"
#include "core/model/model_name.h"
#include "core/serving/tensorflow/model_status.h"
#include "server/call/await_model.h"
#include "server/protocols/http/problem.h"
#include "server/protocols/http/url.h"
#include "server/protocols/json/lines_call.h"

namespace signet {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kModels = "/v1/models";

HttpResponse JsonResponse(const Json& json) {
  HttpResponse response{.content_type = "application/json"};
  response.body = {
      Buffer::Copy(json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n")};
  return response;
}

std::string_view NameOf(VersionStatus::State state) {
  switch (state) {
    case VersionStatus::State::kLoading:
      return "LOADING";
    case VersionStatus::State::kAvailable:
      return "AVAILABLE";
    case VersionStatus::State::kUnloading:
      return "UNLOADING";
    case VersionStatus::State::kFailed:
      return "FAILED";
    case VersionStatus::State::kNotLoaded:
      return "NOT_LOADED";
  }
  return "UNKNOWN";
}

std::string_view KindOf(ParameterKind kind) {
  switch (kind) {
    case ParameterKind::kPositionalOnly:
      return "POSITIONAL_ONLY";
    case ParameterKind::kPositionalOrKeyword:
      return "POSITIONAL_OR_KEYWORD";
    case ParameterKind::kVarPositional:
      return "VAR_POSITIONAL";
    case ParameterKind::kKeywordOnly:
      return "KEYWORD_ONLY";
    case ParameterKind::kVarKeyword:
      return "VAR_KEYWORD";
  }
  return "UNKNOWN";
}

Json JsonOfModel(const ModelStatus& status) {
  Json versions = Json::array();
  for (const VersionStatus& version : status.versions) {
    Json entry = {{"version", version.version}, {"state", NameOf(version.state)}};
    if (!version.reason.empty()) entry["reason"] = version.reason;
    if (!version.progress.empty()) entry["progress"] = version.progress;
    versions.push_back(std::move(entry));
  }
  Json out = {{"name", status.name}, {"versions", std::move(versions)}};
  if (!status.labels.empty()) out["labels"] = status.labels;
  return out;
}

Json JsonOfFunction(const v1::FunctionInfo& info, const FunctionType& type) {
  Json parameters = Json::array();
  for (const Parameter& parameter : type.parameters()) {
    Json entry = {{"name", parameter.name},
                  {"kind", KindOf(parameter.kind)},
                  {"type", parameter.type ? parameter.type.ToString() : "any"},
                  {"optional", parameter.optional}};
    auto doc = info.parameter_docs().find(parameter.name);
    if (doc != info.parameter_docs().end()) entry["doc"] = doc->second;
    parameters.push_back(std::move(entry));
  }
  Json out = {{"name", info.name()},
              {"signature", info.signature()},
              {"doc", info.doc()},
              {"parameters", std::move(parameters)}};
  if (type.output()) out["result"] = type.output().ToString();
  if (info.examples_size() > 0) {
    out["examples"] = std::vector<std::string>(info.examples().begin(), info.examples().end());
  }
  return out;
}

// Returns the states of the versions of a model whose functions cannot be called now.
HttpResponse DescribeState(const ServerContext& server, const JsonTarget& target,
                           const Status& status) {
  auto states = tf::GetModelStatus(
      server.repository, {.model = target.model, .version = target.version, .label = target.label});
  auto model = server.repository.StatusOf(target.model);
  const bool is_known = states.ok() && model && target.function.empty();
  if (!is_known) return ProblemOf(status, 0, /*has_error=*/true);
  Json out = JsonOfModel(*model);
  out["model_version_status"] = tf::StatusToJson(*states);
  return JsonResponse(out);
}

// Returns the description of a model, or of the function that the target names.
HttpResponse Describe(const ServerContext& server, const JsonTarget& target) {
  auto model = server.repository.Find(target.model, target.version, target.label);
  if (!model.ok()) return DescribeState(server, target, model.status());
  if (!target.function.empty()) {
    auto found = (*model)->FindFunction(target.function);
    if (!found.ok()) return ProblemOf(found.status());
  }
  const v1::GetModelResponse message = ModelToMessage(**model);
  Json functions = Json::array();
  for (const v1::FunctionInfo& info : message.functions()) {
    auto function = (*model)->FindFunction(info.name());
    if (!function.ok()) continue;
    Json entry = JsonOfFunction(info, (*function)->def().type);
    if (info.name() == target.function) return JsonResponse(entry);
    functions.push_back(std::move(entry));
  }
  Json out = {{"name", (*model)->name()}, {"version", (*model)->version()}, {"doc", message.doc()}};
  if (auto status = server.repository.StatusOf((*model)->name())) {
    out.update(JsonOfModel(*status));
  }
  auto states = tf::GetModelStatus(
      server.repository, {.model = target.model, .version = target.version, .label = target.label});
  if (states.ok()) out["model_version_status"] = tf::StatusToJson(*states);
  if (message.metadata_size() > 0) {
    out["metadata"] =
        std::map<std::string, std::string>(message.metadata().begin(), message.metadata().end());
  }
  out["functions"] = std::move(functions);
  return JsonResponse(out);
}

// Returns the parts of the path after /v1/models, decoded.
StatusOr<std::vector<std::string>> PartsOf(std::string_view path) {
  std::vector<std::string> parts;
  while (!path.empty()) {
    path.remove_prefix(1);
    const size_t slash = std::min(path.find('/'), path.size());
    SIGNET_ASSIGN_OR_RETURN(std::string part, DecodePercent(path.substr(0, slash)));
    parts.push_back(std::move(part));
    path.remove_prefix(slash);
  }
  if (!parts.empty() && parts.back().empty()) parts.pop_back();
  return parts;
}

// Returns nothing if the path is none of this API.
StatusOr<std::optional<JsonTarget>> ParseTarget(std::string_view path) {
  SIGNET_ASSIGN_OR_RETURN(std::vector<std::string> parts, PartsOf(path));
  if (parts.empty()) return JsonTarget();
  JsonTarget target{.model = parts[0]};
  size_t next = 1;
  if (next + 1 < parts.size() && parts[next] == "versions") {
    target.version = ParseVersion(parts[next + 1]);
    if (!target.version) {
      return InvalidArgument("path: expected a version of at least 1, found `",
                             Printable(parts[next + 1]), "`");
    }
    next += 2;
  } else if (next + 1 < parts.size() && parts[next] == "labels") {
    target.label = parts[next + 1];
    next += 2;
  }
  if (next + 1 < parts.size() && parts[next] == "functions") {
    target.function = parts[next + 1];
    next += 2;
  }
  if (next != parts.size()) return std::nullopt;
  return target;
}

HttpResponse MethodNotAllowed(std::string_view allowed) {
  HttpResponse response = ProblemOf(Unimplemented("expected one of the methods ", allowed), 405);
  response.headers.emplace_back("Allow", allowed);
  return response;
}

}  // namespace

bool JsonApi::Serve(const std::shared_ptr<HttpExchange>& exchange) {
  const HttpRequest& request = exchange->request();
  const std::string_view path = request.path;
  if (!path.starts_with(kModels)) return false;
  const std::string_view rest = path.substr(kModels.size());
  if (!rest.empty() && rest[0] != '/') return false;
  auto target = ParseTarget(rest);
  if (!target.ok()) {
    exchange->Respond(ProblemOf(target.status()));
    return true;
  }
  if (!*target) return false;
  const bool is_get = request.method == "GET" || request.method == "HEAD";
  if ((*target)->function.empty() || is_get) {
    if (!is_get) {
      exchange->Respond(MethodNotAllowed("GET, HEAD"));
    } else if ((*target)->model.empty()) {
      exchange->Respond(ListAll(request));
    } else {
      Describe(exchange, **target);
    }
  } else if (request.method == "POST") {
    if (StreamsLines(request)) {
      StartLinesCall(server_, exchange, *std::move(*target));
    } else {
      StartHttpCall(server_, exchange,
                    std::make_shared<JsonCallProtocol>(server_, *std::move(*target)));
    }
  } else {
    exchange->Respond(MethodNotAllowed("GET, HEAD, POST"));
  }
  return true;
}

HttpResponse JsonApi::ListAll(const HttpRequest& request) const {
  auto access = AuthenticateHttp(server_, request);
  Status permitted = access.ok() ? access->Check(Rpc::kListModels) : access.status();
  if (!permitted.ok()) return ProblemOf(permitted);
  Json models = Json::array();
  for (const ModelStatus& status : server_.repository.List()) {
    if (access->Permits(Rpc::kListModels, status.name)) models.push_back(JsonOfModel(status));
  }
  return JsonResponse({{"models", std::move(models)}});
}

void JsonApi::Describe(const std::shared_ptr<HttpExchange>& exchange, const JsonTarget& target) {
  auto access = AuthenticateHttp(server_, exchange->request());
  Status permitted = access.ok() ? access->Check(Rpc::kGetModel, target.model) : access.status();
  if (!permitted.ok()) return exchange->Respond(ProblemOf(permitted, 0, /*has_error=*/true));
  auto found = server_.repository.Find(target.model, target.version, target.label);
  if (!IsLoadedOnDemand(found.status())) {
    return exchange->Respond(signet::Describe(server_, target));
  }
  AwaitModel(
      server_, target.model, target.version, target.label,
      [this, exchange, target](const Status& loaded) {
        exchange->Respond(loaded.ok() ? signet::Describe(server_, target) : ProblemOf(loaded));
      });
}

}  // namespace signet
