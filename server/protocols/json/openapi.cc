#include "server/protocols/json/openapi.h"

#include <map>
#include <set>
#include <utility>

#include <absl/strings/ascii.h>

#include "core/describe/json_schema.h"
#include "server/protocols/http/url.h"

namespace signet {
namespace {

using Json = OrderedJson;

Json ContentOf(Json schema) { return {{"application/json", Json{{"schema", std::move(schema)}}}}; }

Json ResponsesOf(Json schema, const char* description) {
  Json responses = Json::object();
  responses["200"] = {{"description", description}, {"content", ContentOf(std::move(schema))}};
  responses["default"] = {{"$ref", "#/components/responses/Problem"}};
  return responses;
}

// Returns an identifier for generated code that no other operation has.
std::string OperationId(std::string_view model, std::string_view function,
                        std::set<std::string>& taken) {
  std::string id = Cat(model, "_", function);
  for (char& c : id) {
    if (!absl::ascii_isalnum(static_cast<unsigned char>(c))) c = '_';
  }
  std::string unique = id;
  for (int i = 2; !taken.insert(unique).second; ++i) unique = Cat(id, "_", i);
  return unique;
}

Json ParameterSchema(const FunctionDef& function, const Parameter& parameter) {
  Json schema = JsonSchemaOf(parameter.type);
  auto doc = function.parameter_docs.find(parameter.name);
  if (doc != function.parameter_docs.end()) schema["description"] = doc->second;
  if (Json value = DefaultJson(function, parameter); !value.is_null()) {
    schema["default"] = std::move(value);
  }
  return schema;
}

// The schema of `{"args": [...], "kwargs": {...}}`.
Json ArgumentsSchema(const FunctionDef& function) {
  Json positional = Json::array();
  Json rest = false;
  size_t num_required = 0;
  Json named = Json::object();
  Json required = Json::array();
  Json others = false;
  for (const Parameter& parameter : function.type.parameters()) {
    Json schema = ParameterSchema(function, parameter);
    switch (parameter.kind) {
      case ParameterKind::kPositionalOnly:
        if (!parameter.optional) ++num_required;
        positional.push_back(std::move(schema));
        break;
      case ParameterKind::kPositionalOrKeyword:
        positional.push_back(schema);
        named[parameter.name] = std::move(schema);
        break;
      case ParameterKind::kVarPositional:
        rest = std::move(schema);
        break;
      case ParameterKind::kKeywordOnly:
        if (!parameter.optional) required.push_back(parameter.name);
        named[parameter.name] = std::move(schema);
        break;
      case ParameterKind::kVarKeyword:
        others = std::move(schema);
        break;
    }
  }
  Json properties = Json::object();
  Json wanted = Json::array();
  if (!positional.empty() || !rest.is_boolean()) {
    Json args = {{"type", "array"}};
    if (rest.is_boolean()) args["maxItems"] = positional.size();
    if (num_required > 0) args["minItems"] = num_required;
    if (!positional.empty()) args["prefixItems"] = std::move(positional);
    args["items"] = rest.is_boolean() ? Json::object() : std::move(rest);
    properties["args"] = std::move(args);
    if (num_required > 0) wanted.push_back("args");
  }
  if (!named.empty() || !others.is_boolean()) {
    Json kwargs = {{"type", "object"}, {"properties", std::move(named)}};
    if (!required.empty()) {
      kwargs["required"] = std::move(required);
      wanted.push_back("kwargs");
    }
    kwargs["additionalProperties"] = std::move(others);
    properties["kwargs"] = std::move(kwargs);
  }
  Json schema = {{"type", "object"}, {"properties", std::move(properties)}};
  if (!wanted.empty()) schema["required"] = std::move(wanted);
  schema["additionalProperties"] = false;
  return schema;
}

// Returns the schema of the body: the arguments, or the only argument that the function needs.
Json BodySchema(const FunctionDef& function) {
  Json arguments = ArgumentsSchema(function);
  const auto& parameters = function.type.parameters();
  if (parameters.empty()) return arguments;
  const Parameter& first = parameters[0];
  const bool is_positional = first.kind == ParameterKind::kPositionalOnly ||
                             first.kind == ParameterKind::kPositionalOrKeyword;
  for (size_t i = 1; i < parameters.size(); ++i) {
    const ParameterKind kind = parameters[i].kind;
    const bool is_variadic =
        kind == ParameterKind::kVarPositional || kind == ParameterKind::kVarKeyword;
    if (!parameters[i].optional && !is_variadic) return arguments;
  }
  if (!is_positional) return arguments;
  return {{"anyOf", Json::array({ParameterSchema(function, first), std::move(arguments)})}};
}

Json ExamplesOf(const FunctionDef& function) {
  Json examples = Json::object();
  for (Json& body : ExampleBodies(function)) {
    examples[Cat("example_", examples.size() + 1)] = {{"value", std::move(body)}};
  }
  return examples;
}

Json OperationOf(const LoadedModel& model, const PolymorphicFunction& function, std::string id) {
  const FunctionDef& def = function.def();
  Json operation = {{"operationId", std::move(id)}, {"tags", Json::array({model.name()})}};
  std::string_view doc = def.doc;
  if (!doc.empty()) operation["summary"] = doc.substr(0, doc.find('\n'));
  operation["description"] = Cat(doc, doc.empty() ? "" : "\n\n", "`", function.signature(), "`");
  operation["parameters"] = Json::array({{{"$ref", "#/components/parameters/Timeout"}}});
  Json content = ContentOf(BodySchema(def));
  if (Json examples = ExamplesOf(def); !examples.empty()) {
    content["application/json"]["examples"] = std::move(examples);
  }
  operation["requestBody"] = {{"required", true}, {"content", std::move(content)}};
  operation["responses"] = ResponsesOf(JsonSchemaOf(function.output()), "The result");
  return operation;
}

// Returns a schema of an object with these keys and any others.
Json ObjectWith(Json properties) {
  return {{"type", "object"}, {"properties", std::move(properties)}};
}

Json ModelSchema() {
  Json version = ObjectWith({{"version", {{"type", "integer"}}},
                             {"state", {{"type", "string"}}},
                             {"reason", {{"type", "string"}}},
                             {"progress", {{"type", "string"}}}});
  return ObjectWith({{"name", {{"type", "string"}}},
                     {"doc", {{"type", "string"}}},
                     {"versions", {{"type", "array"}, {"items", std::move(version)}}}});
}

Json ProblemSchema() {
  Json schema = ObjectWith({{"type", {{"type", "string"}}},
                            {"title", {{"type", "string"}}},
                            {"status", {{"type", "integer"}}},
                            {"detail", {{"type", "string"}}},
                            {"code", {{"type", "string"}}},
                            {"reason", {{"type", "string"}}},
                            {"field", {{"type", "string"}}}});
  schema["required"] = {"type", "title", "status", "detail", "code"};
  return schema;
}

Json ComponentsOfDocument(bool has_tokens) {
  Json components = Json::object();
  components["schemas"] = {{"Model", ModelSchema()}, {"Problem", ProblemSchema()}};
  Json problem = Json::object();
  problem["application/problem+json"] =
      Json{{"schema", Json{{"$ref", "#/components/schemas/Problem"}}}};
  components["responses"]["Problem"] = {{"description", "Why the request failed"},
                                        {"content", std::move(problem)}};
  components["parameters"]["Timeout"] = {
      {"name", "Signet-Timeout"},
      {"in", "header"},
      {"description", "The time for the call, in seconds"},
      {"schema", Json{{"type", "number"}, {"exclusiveMinimum", 0}}}};
  if (has_tokens) {
    components["securitySchemes"]["token"] = Json{{"type", "http"}, {"scheme", "bearer"}};
  }
  return components;
}

Json GetOperation(const char* id, const char* summary, Json schema) {
  return {{"operationId", id},
          {"summary", summary},
          {"responses", ResponsesOf(std::move(schema), summary)}};
}

Json PathsOfServer() {
  const Json model = {{"$ref", "#/components/schemas/Model"}};
  Json list = ObjectWith(Json{{"models", Json{{"type", "array"}, {"items", model}}}});
  Json paths = Json::object();
  paths["/v1/models"]["get"] =
      GetOperation("list_models", "The models and their versions", std::move(list));
  Json get_model = GetOperation("get_model", "A model and its functions", model);
  get_model["parameters"] = Json::array({Json{{"name", "model"},
                                              {"in", "path"},
                                              {"required", true},
                                              {"schema", Json{{"type", "string"}}}}});
  paths["/v1/models/{model}"]["get"] = std::move(get_model);
  paths["/v1/statistics"]["get"] =
      GetOperation("get_statistics", "Counters of calls", ObjectWith(Json::object()));
  return paths;
}

}  // namespace

Json OpenApiJson(const ServerContext& server, const Access& access) {
  std::map<std::string, std::shared_ptr<const LoadedModel>> newest;
  for (auto& model : server.repository.AvailableModels()) {
    if (!access.Permits(Rpc::kGetModel, model->name())) continue;
    auto& slot = newest[model->name()];
    if (slot == nullptr || slot->version() < model->version()) slot = std::move(model);
  }
  Json paths = PathsOfServer();
  Json tags = Json::array();
  std::set<std::string> ids = {"list_models", "get_model", "get_statistics"};
  for (const auto& [name, model] : newest) {
    Json tag = {{"name", name}};
    if (!model->def().doc.empty()) tag["description"] = model->def().doc;
    tags.push_back(std::move(tag));
    for (const auto& function : model->functions()) {
      const std::string& called = function->def().name;
      if (IsInternal(called)) continue;
      const std::string path =
          Cat("/v1/models/", EncodePercent(name), "/functions/", EncodePercent(called));
      paths[path]["post"] = OperationOf(*model, *function, OperationId(name, called, ids));
    }
  }
  Json document = {{"openapi", "3.1.0"},
                   {"info",
                    {{"title", "Signet"},
                     {"version", "v1"},
                     {"description", "The functions of the models of a Signet server"}}},
                   {"servers", Json::array({Json{{"url", "/"}}})},
                   {"tags", std::move(tags)},
                   {"paths", std::move(paths)},
                   {"components", ComponentsOfDocument(server.access.is_enabled())}};
  if (server.access.is_enabled()) {
    document["security"] = Json::array({Json{{"token", Json::array()}}});
  }
  return document;
}

}  // namespace signet
