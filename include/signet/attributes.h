// Attributes: the static data of an op's call, by name.
//
//   signet::Attributes attributes({{"axis", signet::AttributeOf(1)}});
//   auto axis = attributes.Int("axis");  // 1
//
// Each is a literal or a list of literals, held as a type (`3`, `list(0, 1)`), or a type as such.
// An attribute may thus come from a literal argument of the function as it is. Immutable value.

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

  // The attribute as a C++ value. INVALID_ARGUMENT `attribute `axis` is `1.5`; takes an integer`
  // when it is absent or something else. None counts as absent for the `Or` forms.
  StatusOr<int64_t> Int(std::string_view name) const;
  StatusOr<double> Float(std::string_view name) const;  // integers count
  StatusOr<bool> Bool(std::string_view name) const;
  StatusOr<std::string> String(std::string_view name) const;
  StatusOr<DType> DTypeNamed(std::string_view name) const;
  StatusOr<std::vector<int64_t>> Ints(std::string_view name) const;  // a list, tuple or one integer
  StatusOr<std::vector<std::string>> Strings(std::string_view name) const;
  StatusOr<std::optional<int64_t>> OptionalInt(
      std::string_view name) const;  // absent or None: empty

 private:
  NamedTypes entries_;  // sorted by name
};

// An attribute's value from a C++ value.
TypeSpec AttributeOf(bool value);
TypeSpec AttributeOf(int64_t value);
inline TypeSpec AttributeOf(int value) { return AttributeOf(static_cast<int64_t>(value)); }
TypeSpec AttributeOf(double value);
TypeSpec AttributeOf(std::string_view value);
inline TypeSpec AttributeOf(const char* value) { return AttributeOf(std::string_view(value)); }
TypeSpec AttributeOf(DType value);  // its name
TypeSpec AttributeOf(std::span<const int64_t> values);

}  // namespace signet
