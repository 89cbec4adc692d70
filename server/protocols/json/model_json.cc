#include "server/protocols/json/model_json.h"

#include <chrono>
#include <map>
#include <utility>
#include <variant>

#include <absl/strings/ascii.h>
#include <google/protobuf/util/json_util.h>

#include "core/describe/json_schema.h"
#include "core/formats/json/json.h"
#include "core/serving/examples/argument_words.h"

namespace signet {
namespace {

using Json = OrderedJson;

constexpr int64_t kMaxDefaultBytes = 64 << 10;  // of one default value or example

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

std::string_view NameOf(PolymorphicFunction::Purpose purpose) {
  switch (purpose) {
    case PolymorphicFunction::Purpose::kCalls:
      return "CALLS";
    case PolymorphicFunction::Purpose::kPartialCalls:
      return "PARTIAL_CALLS";
    case PolymorphicFunction::Purpose::kBatches:
      return "BATCHES";
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

Json ParsedJson(std::string_view text) {
  Json parsed = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  return parsed.is_discarded() ? Json() : parsed;
}

// Returns null for a value whose JSON is long.
Json ValueJson(const Value& value) {
  Limits limits;
  limits.message_bytes = kMaxDefaultBytes;
  auto text = JsonFromValue(value, limits);
  return text.ok() ? ParsedJson(*text) : Json();
}

Json SettingsJson(const EffectiveSettings& settings) {
  google::protobuf::util::JsonPrintOptions options;
  options.preserve_proto_field_names = true;
  std::string text;
  if (!google::protobuf::util::MessageToJsonString(settings.settings, &text, options).ok()) {
    return Json::object();
  }
  return ParsedJson(text);
}

Json OriginsJson(const EffectiveSettings& settings) {
  Json origins = Json::object();
  for (const auto& [setting, origin] : settings.origins) {
    origins[setting] = v1::SettingOrigin_Name(origin);
  }
  return origins;
}

StatusOr<Json> ExampleBody(const std::string& example) {
  const ReadText read = [](const std::string& path) -> StatusOr<std::string> {
    return Unimplemented("`", Printable(path), "` is a file");
  };
  SIGNET_ASSIGN_OR_RETURN(std::vector<std::string> words, SplitWords(example));
  SIGNET_ASSIGN_OR_RETURN(std::vector<ArgumentWord> arguments, ParseArgumentWords(words, read));
  Json body = {{"args", Json::array()}};
  for (const ArgumentWord& argument : arguments) {
    const auto* json = std::get_if<JsonWord>(&argument.value);
    Json value =
        json != nullptr ? ParsedJson(json->text) : ValueJson(std::get<Value>(argument.value));
    if (argument.name) {
      body["kwargs"][*argument.name] = std::move(value);
    } else {
      body["args"].push_back(std::move(value));
    }
  }
  return body;
}

}  // namespace

std::string TextOf(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

HttpResponse JsonResponse(const Json& json) {
  HttpResponse response{.content_type = "application/json"};
  response.body = {Buffer::Copy(TextOf(json) + "\n")};
  response.may_compress = true;
  return response;
}

Json StatusJson(const ModelStatus& status) {
  Json versions = Json::array();
  for (const VersionStatus& version : status.versions) {
    Json entry = {{"version", version.version}, {"state", NameOf(version.state)}};
    if (!version.reason.empty()) entry["reason"] = version.reason;
    if (!version.progress.empty()) entry["progress"] = version.progress;
    if (version.memory_bytes > 0) entry["memory_bytes"] = version.memory_bytes;
    if (version.is_on_demand) entry["on_demand"] = true;
    versions.push_back(std::move(entry));
  }
  Json out = {{"name", status.name}, {"versions", std::move(versions)}};
  if (!status.labels.empty()) out["labels"] = status.labels;
  if (!status.settings_error.empty()) out["settings_error"] = status.settings_error;
  return out;
}

Json DefaultJson(const FunctionDef& function, const Parameter& parameter) {
  auto value = function.defaults.find(parameter.name);
  return value == function.defaults.end() ? Json() : ValueJson(value->second);
}

std::vector<Json> ExampleBodies(const FunctionDef& function) {
  std::vector<Json> bodies;
  for (const std::string& example : function.examples) {
    auto body = ExampleBody(example);
    if (body.ok()) bodies.push_back(*std::move(body));
  }
  return bodies;
}

Json FunctionJson(const v1::FunctionInfo& info, const PolymorphicFunction& function) {
  const FunctionDef& def = function.def();
  Json parameters = Json::array();
  for (const Parameter& parameter : def.type.parameters()) {
    Json entry = {{"name", parameter.name},
                  {"kind", KindOf(parameter.kind)},
                  {"type", parameter.type ? parameter.type.ToString() : "any"},
                  {"optional", parameter.optional},
                  {"schema", JsonSchemaOf(parameter.type)}};
    if (Json value = DefaultJson(def, parameter); !value.is_null()) {
      entry["default"] = std::move(value);
    }
    auto doc = def.parameter_docs.find(parameter.name);
    if (doc != def.parameter_docs.end()) entry["doc"] = doc->second;
    parameters.push_back(std::move(entry));
  }
  Json out = {{"name", info.name()},
              {"signature", info.signature()},
              {"doc", info.doc()},
              {"parameters", std::move(parameters)}};
  if (const TypeSpec& output = function.output()) {
    out["result"] = output.ToString();
    out["result_schema"] = JsonSchemaOf(output);
  }
  if (info.examples_size() > 0) {
    out["examples"] = std::vector<std::string>(info.examples().begin(), info.examples().end());
    out["example_bodies"] = ExampleBodies(def);
  }
  if (info.batch_parameters_size() > 0) {
    out["batch_parameters"] =
        std::vector<std::string>(info.batch_parameters().begin(), info.batch_parameters().end());
  }
  return out;
}

std::string FunctionsJson(const LoadedModel& model) {
  std::string out = "[";
  for (const auto& function : model.functions()) {
    if (IsInternal(function->def().name)) continue;
    const Json json = FunctionJson(FunctionToMessage(model, *function), *function);
    if (out.size() > 1) out += ',';
    out += TextOf(json);
  }
  return out + "]";
}

HttpResponse ResponseWithMember(const Json& object, std::string_view name, Buffer text) {
  std::string head = TextOf(object);
  head.pop_back();
  head += Cat(",\"", name, "\":");
  HttpResponse response{.content_type = "application/json"};
  response.body = {Buffer::Copy(head), std::move(text), Buffer::Copy(std::string_view("}\n"))};
  response.may_compress = true;
  return response;
}

Json ModelJson(const ServerContext& server, const LoadedModel& model) {
  // Clients of KServe's first protocol read `ready`.
  Json out = {{"name", model.name()},
              {"version", model.version()},
              {"ready", true},
              {"doc", model.def().doc}};
  if (auto status = server.repository.StatusOf(model.name())) {
    out.update(StatusJson(*status));
    if (status->settings != nullptr) {
      out["settings"] = SettingsJson(*status->settings);
      out["setting_origins"] = OriginsJson(*status->settings);
    }
  }
  if (!model.def().metadata.empty()) out["metadata"] = model.def().metadata;
  return out;
}

Json ConcreteFunctionsJson(const PolymorphicFunction& function) {
  const FunctionCacheStats stats = function.cache_stats();
  Json entries = Json::array();
  for (const auto& [concrete, purpose] : function.CachedFunctions()) {
    const std::chrono::duration<double> making_time = concrete->making_time;
    Json entry = {{"type", concrete->type.ToString()},
                  {"purpose", NameOf(purpose)},
                  {"hits", concrete->hits.Sum()},
                  {"making_seconds", making_time.count()},
                  {"bytes", concrete->num_bytes()},
                  {"kernels", concrete->plan().steps().size()},
                  {"estimated_seconds", concrete->plan().cost() * 1e-9}};
    if (concrete->output()) entry["result"] = concrete->output().ToString();
    if (concrete->wider != nullptr) entry["shares_plan_of"] = concrete->wider->type.ToString();
    entries.push_back(std::move(entry));
  }
  const std::chrono::duration<double> making_time = stats.making_time;
  return {{"hits", stats.hits},
          {"supertype_hits", stats.supertype_hits},
          {"specializations", stats.specializations},
          {"evictions", stats.evictions},
          {"making_seconds", making_time.count()},
          {"bytes", stats.bytes},
          {"concrete_functions", std::move(entries)}};
}

}  // namespace signet
