// Describes models and functions as JSON, for the JSON API and its OpenAPI document. Stateless;
// thread-safe.

#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/describe/model_message.h"
#include "server/call/serving.h"
#include "server/http/http_message.h"

namespace signet {

using OrderedJson = nlohmann::ordered_json;

std::string TextOf(const OrderedJson& json);
HttpResponse JsonResponse(const OrderedJson& json);

// The name, versions with states and load progress, and labels of a model.
OrderedJson StatusJson(const ModelStatus& status);

// StatusJson, the documentation, and the settings in effect with their origins: a model without its
// functions.
OrderedJson ModelJson(const ServerContext& server, const LoadedModel& model);

// The functions of a model, as a text, because it may be long and never changes.
std::string FunctionsJson(const LoadedModel& model);

// Returns a response with `object`, which has members, and with one more member. `text` is its
// JSON.
HttpResponse ResponseWithMember(const OrderedJson& object, std::string_view name, Buffer text);

// The signature, documentation, parameters with JSON schemas and defaults, and examples of a
// function. `info` is its message.
OrderedJson FunctionJson(const v1::FunctionInfo& info, const PolymorphicFunction& function);

// The concrete functions in memory: types, hits, and the time to make each.
OrderedJson ConcreteFunctionsJson(const PolymorphicFunction& function);

// Returns the body of a call with the arguments of each example, `{"args": [...]}`. Examples that
// refer to files are left out.
std::vector<OrderedJson> ExampleBodies(const FunctionDef& function);

// Returns the default of a parameter as JSON, or null if it has none or if it is long.
OrderedJson DefaultJson(const FunctionDef& function, const Parameter& parameter);

}  // namespace signet
