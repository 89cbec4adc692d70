#include "signet/attributes.h"

#include <algorithm>

#include "core/base/hash.h"
#include "core/types/dtype_hint.h"
#include "signet/literal_spec.h"
#include "signet/sequence_spec.h"

namespace signet {
namespace {

// The error of an accessor whose attribute is missing or has another kind.
Status UnexpectedAttribute(std::string_view name, const TypeSpec& found,
                           std::string_view expected) {
  if (!found) return InvalidArgument("missing attribute `", name, "`; expected ", expected);
  return InvalidArgument("attribute `", name, "`: expected ", expected, ", found `", found, "`");
}

std::optional<int64_t> IntIn(const TypeSpec& spec) {
  const Literal* literal = LookupLiteral(spec);
  if (literal == nullptr || !literal->is(Literal::Kind::kInt)) return std::nullopt;
  return literal->AsInt64();
}

}  // namespace

Attributes::Attributes(NamedTypes entries) : entries_(std::move(entries)) {
  std::sort(entries_.begin(), entries_.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
}

TypeSpec Attributes::Lookup(std::string_view name) const {
  for (const auto& [key, value] : entries_) {
    if (key == name) return value;
  }
  return {};
}

Attributes Attributes::With(std::string_view name, TypeSpec value) const {
  NamedTypes entries;
  for (const auto& entry : entries_) {
    if (entry.first != name) entries.push_back(entry);
  }
  entries.emplace_back(std::string(name), std::move(value));
  return Attributes(std::move(entries));
}

uint64_t Attributes::fingerprint() const {
  uint64_t hash = entries_.size();
  for (const auto& [name, value] : entries_) {
    hash = MixHash(hash, MixHash(HashBytes(name), value ? value.fingerprint() : 0));
  }
  return hash;
}

std::string Attributes::ToString() const {
  std::string out;
  for (const auto& [name, value] : entries_) {
    if (!out.empty()) out.push_back(' ');
    AppendPart(out, name);
    out.push_back('=');
    if (value) AppendPart(out, value);
  }
  return out;
}

StatusOr<int64_t> Attributes::Int(std::string_view name) const {
  TypeSpec found = Lookup(name);
  if (auto value = IntIn(found)) return *value;
  return UnexpectedAttribute(name, found, "an integer");
}

StatusOr<double> Attributes::Float(std::string_view name) const {
  TypeSpec found = Lookup(name);
  const Literal* literal = LookupLiteral(found);
  if (literal != nullptr && literal->is(Literal::Kind::kFloat)) return literal->float_value();
  if (literal != nullptr && literal->is(Literal::Kind::kInt)) {
    return static_cast<double>(literal->int_value());
  }
  return UnexpectedAttribute(name, found, "a number");
}

StatusOr<bool> Attributes::Bool(std::string_view name) const {
  TypeSpec found = Lookup(name);
  const Literal* literal = LookupLiteral(found);
  if (literal != nullptr && literal->is(Literal::Kind::kBool)) return literal->bool_value();
  return UnexpectedAttribute(name, found, "True or False");
}

StatusOr<std::string> Attributes::String(std::string_view name) const {
  TypeSpec found = Lookup(name);
  const Literal* literal = LookupLiteral(found);
  if (literal != nullptr && literal->is(Literal::Kind::kString)) return literal->string_value();
  return UnexpectedAttribute(name, found, "a string");
}

StatusOr<DType> Attributes::DTypeNamed(std::string_view name) const {
  TypeSpec found = Lookup(name);
  const Literal* literal = LookupLiteral(found);
  if (literal != nullptr && literal->is(Literal::Kind::kString)) {
    const std::string& stated = literal->string_value();
    if (auto dtype = LookupDType(stated)) return *dtype;
    if (const std::string hint = HintForDType(stated); !hint.empty()) {
      return InvalidArgument("attribute `", name, "`: expected the name of a dtype, found `", found,
                             "`", hint);
    }
  }
  return UnexpectedAttribute(name, found, "the name of a dtype, such as \"float32\"");
}

StatusOr<std::vector<int64_t>> Attributes::Ints(std::string_view name) const {
  TypeSpec found = Lookup(name);
  if (auto value = IntIn(found)) return std::vector<int64_t>{*value};
  std::vector<int64_t> out;
  if (!found || !IsSequence(found))
    return UnexpectedAttribute(name, found, "an integer or a list of integers");
  for (const TypeSpec& child : found.children()) {
    auto value = IntIn(child);
    if (!value) return UnexpectedAttribute(name, found, "an integer or a list of integers");
    out.push_back(*value);
  }
  return out;
}

StatusOr<std::vector<std::string>> Attributes::Strings(std::string_view name) const {
  TypeSpec found = Lookup(name);
  if (!found || !IsSequence(found)) return UnexpectedAttribute(name, found, "a list of strings");
  std::vector<std::string> out;
  for (const TypeSpec& child : found.children()) {
    const Literal* literal = LookupLiteral(child);
    if (literal == nullptr || !literal->is(Literal::Kind::kString)) {
      return UnexpectedAttribute(name, found, "a list of strings");
    }
    out.push_back(literal->string_value());
  }
  return out;
}

StatusOr<std::optional<int64_t>> Attributes::OptionalInt(std::string_view name) const {
  TypeSpec found = Lookup(name);
  if (!found) return std::optional<int64_t>();
  const Literal* literal = LookupLiteral(found);
  if (literal != nullptr && literal->is(Literal::Kind::kNone)) return std::optional<int64_t>();
  if (auto value = IntIn(found)) return std::optional<int64_t>(*value);
  return UnexpectedAttribute(name, found, "an integer or None");
}

TypeSpec AttributeOf(bool value) { return LiteralType(Literal::Bool(value)); }
TypeSpec AttributeOf(int64_t value) { return LiteralType(Literal::Int(value)); }
TypeSpec AttributeOf(double value) { return LiteralType(Literal::Float(value)); }
TypeSpec AttributeOf(std::string_view value) {
  return LiteralType(Literal::String(std::string(value)));
}
TypeSpec AttributeOf(DType value) { return AttributeOf(NameOf(value)); }
TypeSpec AttributeOf(std::span<const int64_t> values) {
  std::vector<TypeSpec> elements;
  for (int64_t value : values) elements.push_back(AttributeOf(value));
  return ListType(std::move(elements));
}

}  // namespace signet
