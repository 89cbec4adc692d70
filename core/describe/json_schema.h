// JsonSchemaOf: describes the JSON of the values of a type, as a JSON Schema (draft 2020-12).
//
//   float32[?, 3]  =>  {"type": "array",
//                       "items": {"type": "array", "items": {"anyOf": [{"type": "number"}, ...]},
//                                 "minItems": 3, "maxItems": 3},
//                       "x-signet-type": "float32[?, 3]"}
//
// The schema accepts the form that docs/reference/json.md recommends: a list of records, not an
// object of columns. Each type, each field, and each element has the key `x-signet-type` with its
// notation, so that a program can show the type next to the schema. Stateless; thread-safe.

#pragma once

#include <nlohmann/json.hpp>

#include "signet/type_spec.h"

namespace signet {

// A null type accepts any JSON.
nlohmann::ordered_json JsonSchemaOf(const TypeSpec& type);

}  // namespace signet
