// Json: converts between JSON text and values.
//
// A type directs the reading and fills its columns (core/values/builders/value_builder.h). Without
// a type, scalars are converted to literals, and lists and objects to nests. 64-bit integers are
// exact. For float types, NaN and infinities are the strings "NaN", "Infinity", "-Infinity"; the
// bare words are errors. Bytes that are not UTF-8 are {"b64": ".."}. Errors state the path and the
// byte offset; missing, extra, and repeated keys, null, trailing text, and nesting above the limit
// are errors. A structure of rank 1 may be an object of columns or a list of objects. Rules:
// docs/reference/json.md. Stateless; thread-safe.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/formats/common/limits.h"
#include "core/values/builders/type_inference.h"
#include "signet/value.h"

namespace signet {

// Parses one JSON text. If `spec` is null, the value has no declared type. `needs` states for each
// component of `spec` (in the order of ComponentsOf) whether it is needed. The other components are
// skipped with few checks; their rows are empty and their numbers 0. If `needs` is empty, all
// components are needed.
StatusOr<Value> ValueFromJson(std::string_view text, const TypeSpec& spec, const Limits& limits,
                              const std::vector<bool>& needs = {});
// Parses one JSON text and infers the type: structures, ragged values, tensors
// (core/values/builders/inferring_builder.h). For debugging, tests, and the command line. Empty
// data does not show its schema, so requests are read by the types of their signature.
StatusOr<Value> InferFromJson(std::string_view text, const Limits& limits,
                              const InferOptions& options = {});
// Parses one record per line. The lines are the outermost dimension of `spec`, whose rank is at
// least 1.
StatusOr<Value> ValueFromJsonLines(std::string_view text, const TypeSpec& spec,
                                   const Limits& limits, const std::vector<bool>& needs = {});

struct JsonOptions {
  int indent = 0;        // spaces per level; 0: everything on one line
  bool columns = false;  // a structure of rank 1 as an object of columns: {"a": [1, 2]}
  bool rows = false;     // a list of the rows, as JsonLinesFromValue defines them
  // NaN and infinities are the bare words NaN, Infinity, and -Infinity, which are not JSON.
  bool bare_words = false;
  // Strings below a key that ends with this text are {"b64": ".."}. Empty: only other bytes than
  // UTF-8 are.
  std::string_view base64_suffix = {};
  std::string_view name = {};  // of the whole value, for base64_suffix
};
// For a value that is known to be small: empty lists need no memory, so a value may have any number
// of them.
std::string ValueToJson(const Value& value, JsonOptions options = {});
// Returns RESOURCE_EXHAUSTED if the text exceeds limits.message_bytes. With `rows`, returns an
// error if the value has none.
StatusOr<std::string> JsonFromValue(const Value& value, const Limits& limits,
                                    JsonOptions options = {});
// Writes one line per row (core/values/builders/value_writer.h). Returns an error if the value has
// no rows.
StatusOr<std::string> JsonLinesFromValue(const Value& value, const Limits& limits);

}  // namespace signet
