// Function vectors, JSON: reads the forms of tests/vectors/functions/README.md.
//
// What does not read is thrown as std::runtime_error: a fault of the vectors, or of the reader.

#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "core/function/canonicalize.h"

namespace signet::vectors {

using Json = nlohmann::ordered_json;  // the order of components is part of a type

// Integers beyond uint64 become `{"int": "18446744073709551616"}`.
Json ReadJsonFile(const std::string& path);
// `bind-0007 (two defaults)`; `case 3` where a case has no id.
std::string NameOfCase(const Json& one, size_t i);

// Whether an integer is beyond 64 bits, as ReadJsonFile has it.
bool IsBigInt(const Json& json);
absl::int128 ToInt(const Json& json);

TypeSpec ToType(const Json& json);       // null: no type
TypeSpec ToKnownType(const Json& json);  // which null is not
Value ToValue(const Json& json);
PartialShape ToShape(const Json& json);

struct SignatureParts {
  std::vector<Parameter> parameters;
  std::vector<Capture> captures;
  TypeSpec output;
};
SignatureParts ToParts(const Json& json);
StatusOr<FunctionType> MakeType(const Json& json);
FunctionType ToFunctionType(const Json& json);  // which must be legal
CallArguments ToArguments(const Json& args, const Json& kwargs);
Defaults ToDefaults(const Json& json);

// `value`, or throws the refusal.
template <class T>
T Must(StatusOr<T> value) {
  if (!value.ok()) throw std::runtime_error(std::string(MessageOf(value.status())));
  return *std::move(value);
}

}  // namespace signet::vectors
