#include "server/protocols/inference/inference_api.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include <nlohmann/json.hpp>

#include "server/protocols/http/describe_http.h"
#include "server/protocols/http/problem.h"
#include "server/protocols/http/url.h"
#include "server/protocols/inference/facts_json.h"
#include "server/protocols/inference/generate_http.h"
#include "server/protocols/inference/infer_call.h"
#include "server/protocols/inference/infer_http.h"
#include "server/protocols/inference/model_changes.h"
#include "server/protocols/inference/model_facts.h"
#include "server/protocols/inference/settings.h"

namespace signet {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kRoot = "/v2";

HttpResponse JsonBody(const Json& json, int code = 200) {
  HttpResponse response;
  response.code = code;
  response.content_type = "application/json";
  response.body = {
      Buffer::Copy(json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace))};
  return response;
}

HttpResponse NoBody() {
  HttpResponse response;
  response.content_type = "application/json";
  return response;
}

bool IsGet(const HttpRequest& request) {
  return request.method == "GET" || request.method == "HEAD";
}

HttpResponse WrongMethod(std::string_view allowed) {
  HttpResponse response = InferenceErrorResponse(405, Cat("expected one of the methods ", allowed));
  response.headers.emplace_back("Allow", allowed);
  return response;
}

// Returns the parts of a path, decoded. A slash at the end has no meaning.
StatusOr<std::vector<std::string>> PathParts(std::string_view path) {
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

template <class Response>
HttpResponse ResponseOf(const StatusOr<Response>& made) {
  return made.ok() ? JsonBody(JsonOf(*made)) : InferenceErrorResponse(made.status());
}

HttpResponse FailedDescription(const Status& status) { return InferenceErrorResponse(status); }

StatusOr<Access> AccessOf(const ServerContext& server, const HttpRequest& request, Rpc permission) {
  SIGNET_ASSIGN_OR_RETURN(Access access,
                          server.access.AuthenticateRequest(request.Header("authorization"),
                                                            request.certificate_names));
  SIGNET_RETURN_IF_ERROR(access.Check(permission));
  return access;
}

// Parses the body of a request without tensors. An empty body is an empty object.
StatusOr<Json> ParseObject(std::string_view text, int max_depth) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) return Json::object();
  if (text.size() > kSmallRequestBytes) {
    return ResourceExhausted("a body of ", text.size(), " bytes exceeds the limit of ",
                             kSmallRequestBytes);
  }
  bool is_too_deep = false;
  Json out = Json::parse(
      text,
      [&](int depth, Json::parse_event_t, Json&) {
        is_too_deep |= depth > max_depth;
        return !is_too_deep;
      },
      /*allow_exceptions=*/false);
  if (!is_too_deep && out.is_object()) return out;
  return InvalidArgument("failed to parse the request JSON buffer: expected an object");
}

// Reads the body of a request that registers shared memory.
StatusOr<SharedMemoryRegions::Region> ParseRegion(std::string name, const Json& body) {
  SharedMemoryRegions::Region out;
  out.name = std::move(name);
  auto key = body.find("key");
  if (key == body.end() || !key->is_string()) {
    return InvalidArgument("`key`: expected the name of a memory object such as `/in`");
  }
  out.key = key->get<std::string>();
  for (const auto& [member, number] :
       {std::pair("offset", &out.offset), {"byte_size", &out.size}}) {
    auto found = body.find(member);
    if (found == body.end() && number == &out.offset) continue;
    if (found == body.end() || !found->is_number_unsigned()) {
      return InvalidArgument("`", member, "`: expected a whole number of bytes");
    }
    *number = found->get<uint64_t>();
  }
  return out;
}

// What a path after /v2/models names.
struct ModelPath {
  std::string model;  // or MODEL/FUNCTION
  std::string version = {};
  std::string verb = {};  // `infer`, `generate`, `ready`, `config`, `stats`, ..., or empty
};

std::optional<ModelPath> ParseModelPath(std::span<const std::string> parts) {
  ModelPath out{.model = parts[0]};
  size_t next = 1;
  auto is_verb = [](const std::string& part) {
    return part == "infer" || part == "generate" || part == "generate_stream" || part == "ready" ||
           part == "config" || part == "stats";
  };
  auto is_last_verb = [&](size_t at) { return at + 1 == parts.size() && is_verb(parts[at]); };
  // A function may be called `versions`, because no version is called like a verb.
  auto is_version = [&](size_t at) {
    return parts[at] == "versions" && at + 1 < parts.size() && parts[at + 1] != "versions" &&
           !is_last_verb(at + 1);
  };
  // A part that is neither a version nor the last verb is a function.
  if (next < parts.size() && !is_version(next) && !is_last_verb(next)) {
    out.model += "/" + parts[next++];
  }
  if (next + 1 < parts.size() && parts[next] == "versions") {
    out.version = parts[next + 1];
    next += 2;
  }
  if (next < parts.size() && is_verb(parts[next])) out.verb = parts[next++];
  return next == parts.size() ? std::optional(out) : std::nullopt;
}

}  // namespace

HttpResponse InferenceErrorResponse(int code, std::string_view text) {
  return JsonBody({{"error", text}}, code);
}

HttpResponse InferenceErrorResponse(const Status& status) {
  const int code = HttpCodeOf(status);
  HttpResponse response = InferenceErrorResponse(code, MessageOf(status));
  if (code == 401) response.headers.emplace_back("WWW-Authenticate", "Bearer");
  return response;
}

InferenceApi::InferenceApi(ServerContext& server, InferenceOptions options)
    : server_(server), options_(std::move(options)) {}

bool InferenceApi::Owns(std::string_view path) {
  return path.starts_with(kRoot) && (path.size() == kRoot.size() || path[kRoot.size()] == '/');
}

bool InferenceApi::Serve(const std::shared_ptr<HttpExchange>& exchange) {
  const HttpRequest& request = exchange->request();
  if (!Owns(request.path)) return false;
  auto parts = PathParts(std::string_view(request.path).substr(kRoot.size()));
  if (!parts.ok()) {
    exchange->Respond(InferenceErrorResponse(parts.status()));
    return true;
  }
  if (parts->empty()) {
    if (!IsGet(request)) {
      exchange->Respond(WrongMethod("GET, HEAD"));
      return true;
    }
    auto access = AccessOf(server_, request, Rpc::kHealth);
    if (!access.ok()) {
      exchange->Respond(InferenceErrorResponse(access.status()));
      return true;
    }
    const inference::ServerMetadataResponse facts = ServerFacts(options_);
    exchange->Respond(
        JsonBody({{"name", facts.name()},
                  {"version", facts.version()},
                  {"extensions", std::vector<std::string>(facts.extensions().begin(),
                                                          facts.extensions().end())}}));
    return true;
  }
  const bool is_served = ServeHealth(*exchange, *parts) || ServeSettings(*exchange, *parts) ||
                         ServeModel(exchange, *parts) || ServeRepository(exchange, *parts) ||
                         ServeSharedMemory(*exchange, *parts);
  if (!is_served) {
    exchange->Respond(
        InferenceErrorResponse(404, Cat("path `", Printable(request.path), "` not found")));
  }
  return true;
}

bool InferenceApi::ServeHealth(HttpExchange& exchange, const Parts& parts) {
  if (parts[0] != "health" || parts.size() != 2) return false;
  if (!IsGet(exchange.request())) {
    exchange.Respond(WrongMethod("GET, HEAD"));
  } else if (parts[1] == "live") {
    exchange.Respond(JsonBody({{"live", true}}));
  } else if (parts[1] == "ready") {
    const bool is_ready = options_.check_ready().ok();
    exchange.Respond(JsonBody({{"ready", is_ready}}, is_ready ? 200 : 503));
  } else {
    return false;
  }
  return true;
}

bool InferenceApi::ServeModel(const std::shared_ptr<HttpExchange>& exchange, const Parts& parts) {
  if (parts[0] != "models") return false;
  const HttpRequest& request = exchange->request();
  const bool is_list = parts.size() == 1;
  const bool is_statistics = parts.size() == 2 && parts[1] == "stats";
  auto respond = [exchange](HttpResponse response) {
    exchange->Respond(std::move(response));
    return true;
  };
  auto respond_later = [this, exchange](std::function<HttpResponse()> write) {
    RespondWithDescription(server_, exchange, std::move(write), FailedDescription);
    return true;
  };
  if (is_list || is_statistics) {
    if (!IsGet(request)) return respond(WrongMethod("GET, HEAD"));
    auto access = AccessOf(server_, request, is_list ? Rpc::kListModels : Rpc::kGetModel);
    if (!access.ok()) return respond(InferenceErrorResponse(access.status()));
    if (is_statistics) {
      return respond_later(
          [this, access = *access] { return ResponseOf(StatisticsOf(server_, access, "", "")); });
    }
    return respond_later([this, access = *access] {
      Json names = Json::array();
      for (const ModelStatus& status : server_.repository.List()) {
        if (access.Permits(Rpc::kListModels, status.name)) names.push_back(status.name);
      }
      return JsonBody({{"models", std::move(names)}});
    });
  }
  auto path = ParseModelPath(std::span(parts).subspan(1));
  if (!path) return false;
  if (path->verb == "infer") {
    if (request.method != "POST") return respond(WrongMethod("POST"));
    StartHttpCall(server_, exchange,
                  std::make_shared<InferHttpProtocol>(server_, options_.shared_memory, path->model,
                                                      path->version));
    return true;
  }
  if (path->verb == "generate" || path->verb == "generate_stream") {
    if (request.method != "POST") return respond(WrongMethod("POST"));
    StartGenerateCall(server_, exchange, path->model, path->version,
                      path->verb == "generate_stream");
    return true;
  }
  if (!IsGet(request)) return respond(WrongMethod("GET, HEAD"));
  auto access = AccessOf(server_, request, path->verb == "ready" ? Rpc::kHealth : Rpc::kGetModel);
  if (!access.ok()) return respond(InferenceErrorResponse(access.status()));
  if (path->verb == "ready") {
    Status ready = CheckModelReady(server_, *access, path->model, path->version);
    if (ready.ok()) ready = options_.check_stopping();
    if (!ready.ok()) {
      return respond(InferenceErrorResponse(InferErrorOf(ready, path->model, path->version)));
    }
    return respond(JsonBody({{"name", path->model}, {"ready", true}}));
  }
  if (path->verb == "stats") {
    return respond_later([this, access = *access, path = *path] {
      return ResponseOf(StatisticsOf(server_, access, path.model, path.version));
    });
  }
  if (path->verb == "config") {
    AnswerAboutModel<inference::ModelConfigResponse>(
        server_, *access, path->model, path->version, ConfigOf,
        [respond](const auto& made) { respond(ResponseOf(made)); });
    return true;
  }
  AnswerAboutModel<inference::ModelMetadataResponse>(
      server_, *access, path->model, path->version, MetadataOf,
      [respond](const auto& made) { respond(ResponseOf(made)); });
  return true;
}

bool InferenceApi::ServeRepository(const std::shared_ptr<HttpExchange>& exchange,
                                   const Parts& path) {
  if (path[0] != "repository" || path.size() < 2) return false;
  const HttpRequest& request = exchange->request();
  // /v2/repository[/NAME]/index, /v2/repository[/NAME]/models/M/load
  Parts parts = path;
  std::string repository;
  const bool has_name = (path.size() == 3 && path[2] == "index") || path.size() == 5;
  if (has_name) {
    repository = path[1];
    parts.erase(parts.begin() + 1);
  }
  const bool is_index = parts.size() == 2 && parts[1] == "index";
  const bool is_change =
      parts.size() == 4 && parts[1] == "models" && (parts[3] == "load" || parts[3] == "unload");
  if (!is_index && !is_change) return false;
  auto respond = [exchange](HttpResponse response) {
    exchange->Respond(std::move(response));
    return true;
  };
  if (request.method != "POST") return respond(WrongMethod("POST"));
  auto access = AccessOf(server_, request, is_index ? Rpc::kListModels : Rpc::kAdmin);
  if (!access.ok()) return respond(InferenceErrorResponse(access.status()));
  if (Status named = CheckRepositoryName(repository); !named.ok()) {
    return respond(InferenceErrorResponse(named));
  }
  auto body = ParseObject(request.body.text(), server_.limits.nesting_depth);
  if (!body.ok()) return respond(InferenceErrorResponse(body.status()));
  if (is_index) {
    auto ready = body->find("ready");
    if (ready != body->end() && !ready->is_boolean() && !ready->is_null()) {
      return respond(InferenceErrorResponse(InvalidArgument("`ready`: expected true or false")));
    }
    const bool only_ready = ready != body->end() && ready->is_boolean() && ready->get<bool>();
    RespondWithDescription(
        server_, exchange,
        [this, access = *access, only_ready] {
          return JsonBody(JsonOf(IndexOf(server_, access, only_ready)));
        },
        FailedDescription);
    return true;
  }
  // Clients of KServe read what was done.
  Json changed = {{"name", parts[2]}, {parts[3], true}};
  if (parts[3] == "unload") {
    const Status unloaded = UnloadForClient(server_, options_, parts[2]);
    return respond(unloaded.ok() ? JsonBody(changed) : InferenceErrorResponse(unloaded));
  }
  auto parameters = body->find("parameters");
  const bool has_parameters = parameters != body->end() && !parameters->empty();
  LoadForClient(server_, options_, parts[2], has_parameters,
                [respond, changed = std::move(changed)](const Status& loaded) {
                  respond(loaded.ok() ? JsonBody(changed) : InferenceErrorResponse(loaded));
                });
  return true;
}

bool InferenceApi::ServeSettings(HttpExchange& exchange, const Parts& parts) {
  const bool is_log = parts.size() == 1 && parts[0] == "logging";
  // Models have no trace settings of their own, so a path of a model shows the settings of the
  // server.
  const bool is_of_model = parts.size() == 4 && parts[0] == "models" && parts[2] == "trace";
  const bool is_trace = is_of_model || (parts.size() == 2 && parts[0] == "trace");
  if (!is_log && !(is_trace && parts.back() == "setting")) return false;
  const HttpRequest& request = exchange.request();
  const bool is_change = request.method == "POST";
  if (!is_change && !IsGet(request)) {
    exchange.Respond(WrongMethod("GET, HEAD, POST"));
    return true;
  }
  auto respond = [&]() -> StatusOr<HttpResponse> {
    SIGNET_ASSIGN_OR_RETURN(Access access, AccessOf(server_, request, Rpc::kHealth));
    if (is_of_model) SIGNET_RETURN_IF_ERROR(CheckModelOfSettings(server_, access, parts[1]));
    Json body = Json::object();
    if (is_change) {
      SIGNET_ASSIGN_OR_RETURN(body, ParseObject(request.body.text(), server_.limits.nesting_depth));
    }
    if (is_log) {
      SIGNET_ASSIGN_OR_RETURN(const LogSettingsMap wanted, WantedLogSettings(body));
      SIGNET_RETURN_IF_ERROR(ChangeLogSettings(options_, access, wanted));
      return JsonBody(JsonOf(LogSettingsInEffect()));
    }
    SIGNET_ASSIGN_OR_RETURN(const TraceSettingsMap wanted, WantedTraceSettings(body));
    SIGNET_RETURN_IF_ERROR(ChangeTraceSettings(server_, wanted));
    return JsonBody(JsonOf(TraceSettingsInEffect(server_)));
  };
  auto response = respond();
  exchange.Respond(response.ok() ? *std::move(response)
                                 : InferenceErrorResponse(response.status()));
  return true;
}

bool InferenceApi::ServeSharedMemory(HttpExchange& exchange, const Parts& parts) {
  const bool is_cuda = parts[0] == "cudasharedmemory";
  if (!is_cuda && parts[0] != "systemsharedmemory") return false;
  // /v2/systemsharedmemory[/region/NAME]/VERB
  const bool has_name = parts.size() == 4 && parts[1] == "region";
  const std::string& verb = parts.back();
  const bool is_known = verb == "status" || verb == "unregister" || verb == "register";
  if (!is_known || (parts.size() != 2 && !has_name)) return false;
  const std::string name = has_name ? parts[2] : std::string();
  const HttpRequest& request = exchange.request();
  const bool is_status = verb == "status";
  if (is_status ? !IsGet(request) : request.method != "POST") {
    exchange.Respond(WrongMethod(is_status ? "GET, HEAD" : "POST"));
    return true;
  }
  auto respond = [&]() -> StatusOr<HttpResponse> {
    SIGNET_RETURN_IF_ERROR(AccessOf(server_, request, Rpc::kCall).status());
    if (verb == "register" && name.empty()) {
      return InvalidArgument("'region name' is necessary to register ", is_cuda ? "cuda" : "system",
                             " shared memory region");
    }
    if (is_cuda) {
      if (verb == "register") return RegisterCudaRegion(name);
      if (!is_status) return NoBody();
      SIGNET_RETURN_IF_ERROR(FindCudaRegions(name));
      return JsonBody(Json::array());
    }
    if (is_status) {
      SIGNET_ASSIGN_OR_RETURN(auto regions, SharedMemoryRegionsOf(options_, name));
      Json out = Json::array();
      for (const SharedMemoryRegions::Region& region : regions) {
        out.push_back({{"name", region.name},
                       {"key", region.key},
                       {"offset", region.offset},
                       {"byte_size", region.size}});
      }
      return JsonBody(out);
    }
    if (verb == "register") {
      SIGNET_ASSIGN_OR_RETURN(Json body,
                              ParseObject(request.body.text(), server_.limits.nesting_depth));
      SIGNET_ASSIGN_OR_RETURN(SharedMemoryRegions::Region region, ParseRegion(name, body));
      SIGNET_RETURN_IF_ERROR(RegisterSharedMemory(options_, std::move(region)));
    } else if (options_.shared_memory != nullptr) {
      options_.shared_memory->Unregister(name);
    }
    return NoBody();
  };
  auto response = respond();
  exchange.Respond(response.ok() ? *std::move(response)
                                 : InferenceErrorResponse(response.status()));
  return true;
}

}  // namespace signet
