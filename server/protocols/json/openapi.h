// OpenApiJson: describes the HTTP API of the functions as an OpenAPI 3.1 document:
// GET /v1/openapi.json.
//
// The document has one path per function of the newest available version of each model, and one per
// function of each available version and label, which may have other signatures. It has JSON
// schemas of the arguments and the result (core/describe/json_schema.h), defaults, documentation,
// and examples. Generators of clients read it. Thread-safe.

#pragma once

#include <map>
#include <memory>
#include <string>

#include "server/protocols/json/model_json.h"

namespace signet {

// What a document depends on.
struct OpenApiModels {
  using Versions = std::map<int64_t, std::shared_ptr<const LoadedModel>>;

  std::map<std::string, Versions> versions;                      // by model
  std::map<std::string, std::map<std::string, int64_t>> labels;  // by model
  bool has_tokens = false;                                       // calls need a token

  // Returns all models, and a text that states the rest.
  DescriptionCache::Models List() const;
  std::string Key() const;
};

// Returns the available models that `access` may describe.
OpenApiModels OpenApiModelsOf(const ServerContext& server, const Access& access);

OrderedJson OpenApiJson(const OpenApiModels& models);

}  // namespace signet
