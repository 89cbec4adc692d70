#include "server/protocols/inference/inference_api.h"

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include <nlohmann/json.hpp>

#include "server/protocols/http/problem.h"
#include "server/protocols/http/url.h"
#include "server/protocols/inference/infer_call.h"
#include "server/protocols/inference/infer_http.h"
#include "server/protocols/inference/model_changes.h"
#include "server/protocols/inference/model_facts.h"

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
  HttpResponse response = JsonBody({{"error", Cat("expected one of the methods ", allowed)}}, 405);
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

template <class Tensors>
Json JsonOfTensors(const Tensors& tensors) {
  Json out = Json::array();
  for (const auto& tensor : tensors) {
    out.push_back({{"name", tensor.name()},
                   {"datatype", tensor.datatype()},
                   {"shape", std::vector<int64_t>(tensor.shape().begin(), tensor.shape().end())}});
  }
  return out;
}

Json JsonOf(const inference::ModelMetadataResponse& metadata) {
  Json properties = Json::object();
  for (const auto& [key, value] : std::map<std::string, std::string>(metadata.properties().begin(),
                                                                     metadata.properties().end())) {
    properties[key] = value;
  }
  return {{"name", metadata.name()},
          {"versions",
           std::vector<std::string>(metadata.versions().begin(), metadata.versions().end())},
          {"platform", metadata.platform()},
          {"inputs", JsonOfTensors(metadata.inputs())},
          {"outputs", JsonOfTensors(metadata.outputs())},
          {"properties", std::move(properties)}};
}

Json JsonOf(const inference::ModelConfigResponse& response) {
  const inference::ModelConfig& config = response.config();
  auto entry = [](const auto& tensor) -> Json {
    return {{"name", tensor.name()},
            {"data_type", inference::DataType_Name(tensor.data_type())},
            {"dims", std::vector<int64_t>(tensor.dims().begin(), tensor.dims().end())}};
  };
  Json inputs = Json::array();
  for (const auto& input : config.input()) {
    Json made = entry(input);
    made["format"] = inference::ModelInput::Format_Name(input.format());
    made["optional"] = input.optional();
    inputs.push_back(std::move(made));
  }
  Json outputs = Json::array();
  for (const auto& output : config.output()) outputs.push_back(entry(output));
  Json parameters = Json::object();
  for (const auto& [key, value] : config.parameters()) {
    parameters[key] = {{"string_value", value.string_value()}};
  }
  return {{"name", config.name()},
          {"platform", config.platform()},
          {"backend", config.backend()},
          {"max_batch_size", config.max_batch_size()},
          {"input", std::move(inputs)},
          {"output", std::move(outputs)},
          {"parameters", std::move(parameters)},
          {"model_transaction_policy", {{"decoupled", false}}}};
}

Json JsonOf(const inference::StatisticDuration& duration) {
  return {{"count", duration.count()}, {"ns", duration.ns()}};
}

Json JsonOf(const inference::ModelStatisticsResponse& statistics) {
  Json models = Json::array();
  for (const inference::ModelStatistics& model : statistics.model_stats()) {
    const inference::InferStatistics& stats = model.inference_stats();
    models.push_back({{"name", model.name()},
                      {"version", model.version()},
                      {"last_inference", model.last_inference()},
                      {"inference_count", model.inference_count()},
                      {"execution_count", model.execution_count()},
                      {"inference_stats",
                       {{"success", JsonOf(stats.success())},
                        {"fail", JsonOf(stats.fail())},
                        {"queue", JsonOf(stats.queue())},
                        {"compute_input", JsonOf(stats.compute_input())},
                        {"compute_infer", JsonOf(stats.compute_infer())},
                        {"compute_output", JsonOf(stats.compute_output())},
                        {"cache_hit", JsonOf(stats.cache_hit())},
                        {"cache_miss", JsonOf(stats.cache_miss())}}},
                      {"batch_stats", Json::array()}});
  }
  return {{"model_stats", std::move(models)}};
}

Json JsonOf(const inference::RepositoryIndexResponse& index) {
  Json out = Json::array();
  for (const auto& model : index.models()) {
    Json entry = {{"name", model.name()}, {"version", model.version()}, {"state", model.state()}};
    if (!model.reason().empty()) entry["reason"] = model.reason();
    out.push_back(std::move(entry));
  }
  return out;
}

template <class Response>
HttpResponse ResponseOf(const StatusOr<Response>& made) {
  return made.ok() ? JsonBody(JsonOf(*made)) : InferenceErrorResponse(made.status());
}

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
  std::string verb = {};  // `infer`, `ready`, `config`, `stats`, or empty
};

std::optional<ModelPath> ParseModelPath(std::span<const std::string> parts) {
  ModelPath out{.model = parts[0]};
  size_t next = 1;
  auto is_verb = [](const std::string& part) {
    return part == "infer" || part == "ready" || part == "config" || part == "stats";
  };
  // A part that is neither a version nor the last verb is a function.
  if (next < parts.size() && parts[next] != "versions" &&
      !(next + 1 == parts.size() && is_verb(parts[next]))) {
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

HttpResponse InferenceErrorResponse(const Status& status) {
  const int code = absl::IsNotFound(status) ? 400 : HttpCodeOf(status.code());
  HttpResponse response = JsonBody({{"error", MessageOf(status)}}, code);
  if (code == 401) response.headers.emplace_back("WWW-Authenticate", "Bearer");
  return response;
}

InferenceApi::InferenceApi(ServerContext& server, InferenceOptions options)
    : server_(server), options_(std::move(options)) {}

bool InferenceApi::Serve(const std::shared_ptr<HttpExchange>& exchange) {
  const HttpRequest& request = exchange->request();
  const std::string_view path = request.path;
  if (!path.starts_with(kRoot)) return false;
  const std::string_view rest = path.substr(kRoot.size());
  if (!rest.empty() && rest[0] != '/') return false;
  auto parts = PathParts(rest);
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
  const bool is_served = ServeHealth(*exchange, *parts) || ServeModel(exchange, *parts) ||
                         ServeRepository(exchange, *parts) || ServeSettings(*exchange, *parts) ||
                         ServeSharedMemory(*exchange, *parts);
  if (!is_served) {
    exchange->Respond(JsonBody({{"error", Cat("path `", Printable(path), "` not found")}}, 404));
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
    const bool is_ready = !server_.draining && options_.check_ready().ok();
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
  // Settings are the same for all models.
  if (parts.size() == 4 && parts[2] == "trace" && parts[3] == "setting") {
    return ServeSettings(*exchange, {"trace", "setting"});
  }
  if (is_list || is_statistics) {
    if (!IsGet(request)) return respond(WrongMethod("GET, HEAD"));
    auto access = AccessOf(server_, request, is_list ? Rpc::kListModels : Rpc::kGetModel);
    if (!access.ok()) return respond(InferenceErrorResponse(access.status()));
    if (is_statistics) return respond(ResponseOf(StatisticsOf(server_, *access, "", "")));
    Json names = Json::array();
    for (const ModelStatus& status : server_.repository.List()) {
      if (access->Permits(Rpc::kListModels, status.name)) names.push_back(status.name);
    }
    return respond(JsonBody({{"models", std::move(names)}}));
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
  if (!IsGet(request)) return respond(WrongMethod("GET, HEAD"));
  auto access = AccessOf(server_, request, path->verb == "ready" ? Rpc::kHealth : Rpc::kGetModel);
  if (!access.ok()) return respond(InferenceErrorResponse(access.status()));
  if (path->verb == "ready") {
    const Status ready = CheckModelReady(server_, *access, path->model, path->version);
    if (!ready.ok()) {
      return respond(InferenceErrorResponse(InferErrorOf(ready, path->model, path->version)));
    }
    return respond(JsonBody({{"name", path->model}, {"ready", true}}));
  }
  if (path->verb == "stats") {
    return respond(ResponseOf(StatisticsOf(server_, *access, path->model, path->version)));
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
                                   const Parts& parts) {
  if (parts[0] != "repository" || parts.size() < 2) return false;
  const HttpRequest& request = exchange->request();
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
  auto body = ParseObject(request.body.text(), server_.limits.nesting_depth);
  if (!body.ok()) return respond(InferenceErrorResponse(body.status()));
  if (is_index) {
    auto ready = body->find("ready");
    const bool only_ready = ready != body->end() && ready->is_boolean() && ready->get<bool>();
    return respond(JsonBody(JsonOf(IndexOf(server_, *access, only_ready))));
  }
  if (parts[3] == "unload") {
    const Status unloaded = UnloadForClient(server_, options_, parts[2]);
    return respond(unloaded.ok() ? NoBody() : InferenceErrorResponse(unloaded));
  }
  auto parameters = body->find("parameters");
  const bool has_parameters = parameters != body->end() && !parameters->empty();
  LoadForClient(server_, options_, parts[2], has_parameters, [respond](const Status& loaded) {
    respond(loaded.ok() ? NoBody() : InferenceErrorResponse(loaded));
  });
  return true;
}

bool InferenceApi::ServeSettings(HttpExchange& exchange, const Parts& parts) {
  const bool is_log = parts.size() == 1 && parts[0] == "logging";
  const bool is_trace = parts.size() == 2 && parts[0] == "trace" && parts[1] == "setting";
  if (!is_log && !is_trace) return false;
  auto access = AccessOf(server_, exchange.request(), Rpc::kHealth);
  if (!access.ok()) {
    exchange.Respond(InferenceErrorResponse(access.status()));
  } else if (!IsGet(exchange.request())) {
    exchange.Respond(InferenceErrorResponse(CheckNoSettings(1)));
  } else if (is_log) {
    exchange.Respond(JsonBody(LoggedLevels()));
  } else {
    exchange.Respond(JsonBody(TraceSettings(server_)));
  }
  return true;
}

bool InferenceApi::ServeSharedMemory(HttpExchange& exchange, const Parts& parts) {
  const bool is_cuda = parts[0] == "cudasharedmemory";
  if (!is_cuda && parts[0] != "systemsharedmemory") return false;
  // /v2/systemsharedmemory[/region/NAME]/VERB
  const bool has_name = parts.size() == 4 && parts[1] == "region";
  const std::string& verb = parts.back();
  const bool is_known =
      verb == "status" || verb == "unregister" || (verb == "register" && has_name);
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
    if (is_cuda) return Unimplemented("CUDA shared memory is not supported");
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
