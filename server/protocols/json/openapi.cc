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

// Returns an identifier for generated code that no other operation has. `selector` is the version
// or label that the path names, or empty.
std::string OperationId(std::string_view model, std::string_view selector,
                        std::string_view function, std::set<std::string>& taken) {
  std::string id = Cat(model, selector.empty() ? "" : "_", selector, "_", function);
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

bool IsPositional(const Parameter& parameter) {
  return parameter.kind == ParameterKind::kPositionalOnly ||
         parameter.kind == ParameterKind::kPositionalOrKeyword;
}

// Returns the schema of `args`, or null if the function has no positional parameters. It lists the
// parameters without defaults only: in the types that generators make from a list of items, no item
// can be left out. Optional arguments may follow, or be passed by name.
Json PositionalSchema(const FunctionDef& function) {
  Json items = Json::array();
  Json rest;
  size_t num_positional = 0;
  size_t num_positional_only = 0;
  for (const Parameter& parameter : function.type.parameters()) {
    if (parameter.kind == ParameterKind::kVarPositional) {
      rest = ParameterSchema(function, parameter);
    } else if (IsPositional(parameter)) {
      ++num_positional;
      if (parameter.optional) continue;
      items.push_back(ParameterSchema(function, parameter));
      if (parameter.kind == ParameterKind::kPositionalOnly) ++num_positional_only;
    }
  }
  if (num_positional == 0 && rest.is_null()) return Json();
  Json schema = {{"type", "array"}};
  if (num_positional_only > 0) schema["minItems"] = num_positional_only;
  if (rest.is_null()) schema["maxItems"] = num_positional;
  const bool has_optional = items.size() < num_positional;
  if (!items.empty()) schema["prefixItems"] = std::move(items);
  schema["items"] = rest.is_null() || has_optional ? Json::object() : std::move(rest);
  return schema;
}

// Returns the schema of `kwargs`, or null if no argument can be passed by name.
Json KeywordSchema(const FunctionDef& function) {
  Json properties = Json::object();
  Json required = Json::array();
  Json others = false;
  for (const Parameter& parameter : function.type.parameters()) {
    if (parameter.kind == ParameterKind::kVarKeyword) {
      others = ParameterSchema(function, parameter);
    } else if (parameter.kind == ParameterKind::kPositionalOrKeyword ||
               parameter.kind == ParameterKind::kKeywordOnly) {
      properties[parameter.name] = ParameterSchema(function, parameter);
      const bool must_be_named = parameter.kind == ParameterKind::kKeywordOnly;
      if (must_be_named && !parameter.optional) required.push_back(parameter.name);
    }
  }
  if (properties.empty() && others.is_boolean()) return Json();
  Json schema = {{"type", "object"}, {"properties", std::move(properties)}};
  if (!required.empty()) schema["required"] = std::move(required);
  schema["additionalProperties"] = std::move(others);
  return schema;
}

// Returns the schema of `{"args": [...], "kwargs": {...}}`.
Json ArgumentsSchema(const FunctionDef& function) {
  Json properties = Json::object();
  Json required = Json::array();
  if (Json args = PositionalSchema(function); !args.is_null()) {
    if (args.contains("minItems")) required.push_back("args");
    properties["args"] = std::move(args);
  }
  if (Json kwargs = KeywordSchema(function); !kwargs.is_null()) {
    if (kwargs.contains("required")) required.push_back("kwargs");
    properties["kwargs"] = std::move(kwargs);
  }
  Json schema = {{"type", "object"}, {"properties", std::move(properties)}};
  if (!required.empty()) schema["required"] = std::move(required);
  schema["additionalProperties"] = false;
  return schema;
}

// Returns the schema of the body: the arguments, or the only argument that the function needs.
Json BodySchema(const FunctionDef& function) {
  Json arguments = ArgumentsSchema(function);
  const auto& parameters = function.type.parameters();
  if (parameters.empty()) return arguments;
  const Parameter& first = parameters[0];
  for (size_t i = 1; i < parameters.size(); ++i) {
    const ParameterKind kind = parameters[i].kind;
    const bool is_variadic =
        kind == ParameterKind::kVarPositional || kind == ParameterKind::kVarKeyword;
    if (!parameters[i].optional && !is_variadic) return arguments;
  }
  if (!IsPositional(first)) return arguments;
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
  const std::string_view doc = def.doc;
  const std::string_view title = doc.substr(0, doc.find('\n'));
  operation["summary"] = title.empty() ? Cat("Calls ", def.name, " of ", model.name()) : title;
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
                     {"ready", {{"type", "boolean"}}},
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
  paths["/v1/models/{model}/functions"]["get"] = std::move(get_model);
  paths["/v1/statistics"]["get"] =
      GetOperation("get_statistics", "Counters of calls", ObjectWith(Json::object()));
  return paths;
}

// The paths of calls of one document.
class CallPaths {
 public:
  explicit CallPaths(Json& paths) : paths_(paths) {}

  // Adds the functions of a model. `place` is empty for the newest version, or else
  // `/versions/3` or `/labels/stable`; `selector` is its part of the identifiers.
  void Add(const LoadedModel& model, const std::string& place, std::string_view selector) {
    for (const auto& function : model.functions()) {
      const std::string& called = function->def().name;
      if (IsInternal(called)) continue;
      const std::string path = Cat("/v1/models/", EncodePercent(model.name()), place, "/functions/",
                                   EncodePercent(called));
      paths_[path]["post"] =
          OperationOf(model, *function, OperationId(model.name(), selector, called, ids_));
    }
  }

 private:
  Json& paths_;
  std::set<std::string> ids_ = {"list_models", "get_model", "get_statistics"};
};

}  // namespace

DescriptionCache::Models OpenApiModels::List() const {
  DescriptionCache::Models out;
  for (const auto& [name, of_model] : versions) {
    for (const auto& [version, model] : of_model) out.push_back(model);
  }
  return out;
}

std::string OpenApiModels::Key() const {
  std::string key = has_tokens ? "openapi tokens" : "openapi";
  for (const auto& [name, of_model] : versions) {
    for (const auto& [version, model] : of_model) key += Cat("\n", name, "/", version);
  }
  for (const auto& [name, of_model] : labels) {
    for (const auto& [label, version] : of_model) key += Cat("\n", name, "/", label, "=", version);
  }
  return key;
}

OpenApiModels OpenApiModelsOf(const ServerContext& server, const Access& access) {
  OpenApiModels out;
  out.has_tokens = server.access.is_enabled();
  for (auto& model : server.repository.AvailableModels()) {
    if (!access.Permits(Rpc::kGetModel, model->name())) continue;
    auto& place = out.versions[model->name()][model->version()];
    place = std::move(model);
  }
  for (const auto& [name, of_model] : out.versions) {
    const auto status = server.repository.StatusOf(name);
    if (!status) continue;
    for (const auto& [label, version] : status->labels) {
      if (of_model.contains(version)) out.labels[name][label] = version;
    }
  }
  return out;
}

Json OpenApiJson(const OpenApiModels& models) {
  Json paths = PathsOfServer();
  Json tags = Json::array();
  CallPaths calls(paths);
  for (const auto& [name, versions] : models.versions) {
    const LoadedModel& newest = *versions.rbegin()->second;
    Json tag = {{"name", name}};
    if (!newest.def().doc.empty()) tag["description"] = newest.def().doc;
    tags.push_back(std::move(tag));
    calls.Add(newest, "", "");
  }
  // The paths of versions and labels follow, so that the identifiers of the others do not depend on
  // them. Versions may have different functions and signatures.
  for (const auto& [name, versions] : models.versions) {
    for (const auto& [version, model] : versions) {
      calls.Add(*model, Cat("/versions/", version), Cat("v", version));
    }
    const auto labels = models.labels.find(name);
    if (labels == models.labels.end()) continue;
    for (const auto& [label, version] : labels->second) {
      calls.Add(*versions.at(version), Cat("/labels/", EncodePercent(label)), label);
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
                   {"components", ComponentsOfDocument(models.has_tokens)}};
  if (models.has_tokens) document["security"] = Json::array({Json{{"token", Json::array()}}});
  return document;
}

}  // namespace signet
