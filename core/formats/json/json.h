// JSON: text to and from values.
//
// Reading is directed by a type and fills its columns (core/values/builders/value_builder.h);
// without a type scalars become literals, lists and objects nests of them. 64-bit integers are
// exact; NaN and infinities are the strings "NaN", "Infinity", "-Infinity" where the type is a
// float's, and the bare words are refused; bytes that are not UTF-8 are {"b64": ".."}. Missing,
// extra and repeated keys, null, trailing text and nesting beyond the limit are refused with the
// path and the byte offset. A structure of rank 1 may be an object of columns as well as a list of
// objects. Rules: docs/reference/json.md. Stateless; thread-safe.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/formats/common/limits.h"
#include "core/values/builders/type_inference.h"
#include "signet/value.h"

namespace signet {

// One JSON text. `spec` null: untyped. `needs` says of each component of `spec` (in the order of
// ComponentsOf) whether somebody reads it: what nobody does is passed over, looked at no further
// than that takes; its rows are empty and its numbers 0. Empty: all are read.
StatusOr<Value> ValueFromJson(std::string_view text, const TypeSpec& spec, const Limits& limits,
                              const std::vector<bool>& needs = {});
// One JSON text, as the value whose type it shows: structures, ragged values, tensors
// (core/values/builders/inferring_builder.h). For debugging, tests and the command line: what is
// empty shows no schema, so requests are read by the types of their signature.
StatusOr<Value> InferFromJson(std::string_view text, const Limits& limits,
                              const InferOptions& options = {});
// One record a line; `spec` is a type of rank at least 1, whose outermost dimension the lines make.
StatusOr<Value> ValueFromJsonLines(std::string_view text, const TypeSpec& spec,
                                   const Limits& limits, const std::vector<bool>& needs = {});

struct JsonOptions {
  int indent = 0;        // spaces a level; 0: one line
  bool columns = false;  // a structure of rank 1 as an object of columns: {"a": [1, 2]}
};
// Of a value known to be small: there may be any number of empty lists without any memory.
std::string ValueToJson(const Value& value, JsonOptions options = {});
// RESOURCE_EXHAUSTED beyond limits.message_bytes.
StatusOr<std::string> JsonFromValue(const Value& value, const Limits& limits,
                                    JsonOptions options = {});
// A line for each row (core/values/builders/value_writer.h); refuses what has none.
StatusOr<std::string> JsonLinesFromValue(const Value& value, const Limits& limits);

}  // namespace signet
