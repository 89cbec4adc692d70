// Structured vectors, reader: the types, values and cases of tests/vectors/structured/NOTATION.md.
//
// Throws std::runtime_error for text that it cannot read, which is an error of the vectors or the
// reader.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "signet/attributes.h"
#include "tests/conformance/function_vectors_json.h"

namespace signet::structured_vectors {

using vectors::Json;
using vectors::Must;

// A MaskedTensor is `masked.MaskedTensor(values: .., mask: bool..)`; a size below 0 is unknown.
TypeSpec ToType(const Json& json);
// `{"type": T, "value": V}`.
StatusOr<Value> MakeTypedValue(const Json& json);
// The nested form of a value of `type`.
StatusOr<Value> MakeValueOf(const TypeSpec& type, const Json& json);
// Reads `{"b64": ...}`.
bool IsBytes(const Json& json);
std::string ToBytes(const Json& json);

// Reads null as None, and a list as a list of attributes.
TypeSpec ToAttribute(const Json& json);

// One case.
class Case {
 public:
  explicit Case(const Json& json) : json_(json) {}

  std::string id() const { return json_.at("id"); }
  std::string op() const { return json_.at("op"); }
  const Json& inputs() const { return json_.at("inputs"); }
  const Json& args() const { return json_.at("args"); }

  // Inputs that are typed values.
  Value value(const std::string& name) const { return Must(MakeTypedValue(inputs().at(name))); }
  std::vector<Value> values(const std::string& name) const;
  bool has_input(const std::string& name) const { return inputs().contains(name); }

  // Returns an argument, or null if there is none with this name.
  Json arg(const std::string& name) const {
    return args().contains(name) ? args().at(name) : Json(nullptr);
  }
  TypeSpec attribute(const std::string& name) const { return ToAttribute(arg(name)); }

 private:
  const Json& json_;
};

}  // namespace signet::structured_vectors
