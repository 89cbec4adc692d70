// Notation: types and values as text.
//
//   auto type = signet::ParseTypeSpec("[{title: string[], ids: int64[(?)]}]");
//   auto value = signet::ParseValue("float32[2] [1.0, 2.0]");
//   std::string text = signet::ToString(*value);  // float32[2] [1.0, 2.0]
//
// docs/reference/notation.md defines the notation. TypeSpec::ToString() and ToString(value) write
// what these functions read, except for the payload of a NaN. Stateless; thread-safe.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "signet/status.h"
#include "signet/type_spec.h"
#include "signet/value.h"

namespace signet {

// Parses a type. INVALID_ARGUMENT states the column, counted from 1. Types may be nested 64 deep
// and have 64 dimensions.
StatusOr<TypeSpec> ParseTypeSpec(std::string_view text);

// Parses a type that is followed by data of this type. A plain value needs no type: `3`, `"text"`.
StatusOr<Value> ParseValue(std::string_view text);

// Returns the type and the data of `value`.
std::string ToString(const Value& value);
// Does the same for messages: after `max_elements` scalars, writes `...` instead of the rest.
std::string ToString(const Value& value, int64_t max_elements);

}  // namespace signet
