// Attributes: the static data of an op's call, by name.
//
//   signet::Attributes attributes({{"axis", signet::AttributeOf(1)}});
//   auto axis = attributes.Int("axis");  // 1
//
// An attribute is a literal or a list of literals, stored as a type (`3`, `list(0, 1)`), or it is a
// type. A literal argument of a function can therefore be used as an attribute without conversion.
// Immutable value.

#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "signet/dtype.h"
#include "signet/record_spec.h"

namespace signet {

class Attributes {
 public:
  Attributes() = default;
  Attributes(NamedTypes entries);  // NOLINT: sorted by name here

  const NamedTypes& entries() const { return entries_; }
  TypeSpec Lookup(std::string_view name) const;  // null when absent
  bool Has(std::string_view name) const { return static_cast<bool>(Lookup(name)); }
  Attributes With(std::string_view name, TypeSpec value) const;
  uint64_t fingerprint() const;
  bool operator==(const Attributes&) const = default;
  std::string ToString() const;  // `axis=1 keepdims=True`

  // Return the attribute as a C++ value, or INVALID_ARGUMENT if it is absent or another kind of
  // value. The functions whose names begin with `Optional` treat None as absent.
  StatusOr<int64_t> Int(std::string_view name) const;
  StatusOr<double> Float(std::string_view name) const;  // accepts integers
  StatusOr<bool> Bool(std::string_view name) const;
  StatusOr<std::string> String(std::string_view name) const;
  StatusOr<DType> DTypeNamed(std::string_view name) const;
  StatusOr<std::vector<int64_t>> Ints(std::string_view name) const;  // list, tuple, or integer
  StatusOr<std::vector<std::string>> Strings(std::string_view name) const;
  // Empty if absent or None.
  StatusOr<std::optional<int64_t>> OptionalInt(std::string_view name) const;

 private:
  NamedTypes entries_;  // sorted by name
};

// Converts a C++ value to the value of an attribute.
TypeSpec AttributeOf(bool value);
TypeSpec AttributeOf(int64_t value);
inline TypeSpec AttributeOf(int value) { return AttributeOf(static_cast<int64_t>(value)); }
TypeSpec AttributeOf(double value);
TypeSpec AttributeOf(std::string_view value);
inline TypeSpec AttributeOf(const char* value) { return AttributeOf(std::string_view(value)); }
TypeSpec AttributeOf(DType value);  // its name
TypeSpec AttributeOf(std::span<const int64_t> values);

}  // namespace signet
