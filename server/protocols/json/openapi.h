// OpenApiJson: describes the HTTP API of the functions as an OpenAPI 3.1 document:
// GET /v1/openapi.json.
//
// The document has one path per function of the newest available version of each model, and one per
// function of each available version and label, which may have other signatures. It has JSON
// schemas of the arguments and the result (core/describe/json_schema.h), defaults, documentation,
// and examples. Generators of clients read it. Thread-safe.

#pragma once

#include "server/protocols/json/model_json.h"

namespace signet {

// Returns the functions of the models that `access` may describe.
OrderedJson OpenApiJson(const ServerContext& server, const Access& access);

}  // namespace signet
