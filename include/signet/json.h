// JSON: values from and to JSON text.
//
//   auto type = signet::ParseTypeSpec("[{title: string[], rating: float32[]}]");
//   auto recipes = signet::ParseJson(R"([{"title": "soup", "rating": 4.5}])", *type);
//   auto text = signet::FormatJson(*recipes);  // [{"title":"soup","rating":4.5}]
//
// The type directs the reader: JSON objects fill the columns of a structure directly. Numbers keep
// all 64 bits. docs/reference/json.md has the rules. Stateless; thread-safe.

#pragma once

#include <string>
#include <string_view>

#include "signet/status.h"
#include "signet/type_spec.h"
#include "signet/value.h"

namespace signet {

// Parses one JSON text as a value of `type`; sizes that `type` leaves open come from the text. If
// `type` is null, scalars become literals, and arrays and objects become lists and dicts.
// INVALID_ARGUMENT states the byte and the path. RESOURCE_EXHAUSTED if the value exceeds the
// default limits of a server, such as 1 GiB for all of its tensors.
StatusOr<Value> ParseJson(std::string_view text, const TypeSpec& type);

// Returns `value` as JSON on one line. RESOURCE_EXHAUSTED if the text exceeds 256 MiB.
StatusOr<std::string> FormatJson(const Value& value);

}  // namespace signet
