// Function vectors, JSON: reads the forms of tests/vectors/functions/README.md.
//
// Throws std::runtime_error for text that it cannot read, which is an error of the vectors or the
// reader.

#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "core/function/canonicalize.h"

namespace signet::vectors {

using Json = nlohmann::ordered_json;  // the order of components is part of a type

// Integers beyond uint64 become `{"int": "18446744073709551616"}`.
Json ReadJsonFile(const std::string& path);
// Returns `bind-0007 (two defaults)`, or `case 3` for a case without an id.
std::string NameOfCase(const Json& one, size_t i);

// Returns true if an integer from ReadJsonFile has more than 64 bits.
bool IsBigInt(const Json& json);
absl::int128 ToInt(const Json& json);

TypeSpec ToType(const Json& json);       // returns no type for null
TypeSpec ToKnownType(const Json& json);  // throws for null
Value ToValue(const Json& json);
PartialShape ToShape(const Json& json);

struct SignatureParts {
  std::vector<Parameter> parameters;
  std::vector<Capture> captures;
  TypeSpec output;
};
SignatureParts ToParts(const Json& json);
StatusOr<FunctionType> MakeType(const Json& json);
FunctionType ToFunctionType(const Json& json);  // throws if it is not valid
CallArguments ToArguments(const Json& args, const Json& kwargs);
Defaults ToDefaults(const Json& json);

// Returns `value`, or throws its error.
template <class T>
T Must(StatusOr<T> value) {
  if (!value.ok()) throw std::runtime_error(std::string(MessageOf(value.status())));
  return *std::move(value);
}

}  // namespace signet::vectors
