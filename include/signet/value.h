// Value: a TypeSpec plus a flat list of component tensors.
//
// Everything static is in the type, everything dynamic in tensors: a literal has no components, a
// tensor one (itself), a ragged tensor its flat values and row splits, a structure those of its
// columns (ComponentsOf in include/signet/type_spec.h gives order and names), a nest those of its
// children in order. A value that exists is consistent: MakeValue checks what it is given.
// Copying shares tensors. Immutable; thread-safe.

#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include <absl/container/inlined_vector.h>

#include "signet/literal.h"
#include "signet/record_spec.h"
#include "signet/tensor.h"
#include "signet/type_spec.h"

namespace signet {

using Components = absl::InlinedVector<Tensor, 1>;

class Value {
 public:
  Value() = default;     // no value
  Value(Tensor tensor);  // NOLINT: every tensor is a value
  static Value OfLiteral(Literal literal);
  static Value None() { return OfLiteral(Literal()); }
  // A type in place of a value: what binding and dispatch need when nothing is to run (Explain).
  static Value OfType(TypeSpec spec);
  // As MakeValue, unchecked.
  static Value Trusted(TypeSpec spec, Components components);

  explicit operator bool() const { return static_cast<bool>(spec_); }
  const TypeSpec& spec() const { return spec_; }
  bool is_placeholder() const { return is_placeholder_; }  // made by OfType: no components
  std::span<const Tensor> components() const { return {components_.data(), components_.size()}; }
  const Tensor& tensor() const { return components_[0]; }  // of a tensor value
  const Literal& literal() const;                          // of a literal value

 private:
  TypeSpec spec_;
  Components components_;
  bool is_placeholder_ = false;
};

// Refuses components that are not as `spec` says: count, dtypes, shapes, row splits that do not
// start at 0, decrease or do not end at the number of values, columns of different lengths, sparse
// indices out of bounds, unordered or repeated. The refusal starts with the component's path.
StatusOr<Value> MakeValue(TypeSpec spec, Components components);

// Containers of values.
Value ListOf(std::span<const Value> elements);
Value TupleOf(std::span<const Value> elements);
using NamedValues = std::vector<std::pair<std::string, Value>>;
StatusOr<Value> MakeDict(NamedValues items);
StatusOr<Value> MakeNamedTuple(NamedTupleSpec::Style style, std::string name, NamedValues fields);

// The children of a list, tuple, dict, named tuple or extension value, in the order of
// spec().children().
std::vector<Value> ChildrenOf(const Value& value);
// The inverse: a value of `spec`'s kind, names and statics around other children (their types may
// differ from those in `spec`); as many as before.
StatusOr<Value> WithChildren(const TypeSpec& spec, std::span<const Value> children);

// The narrowest type of the tensors at hand: sizes that `value`'s type leaves open are filled in.
TypeSpec ExactSpecOf(const Value& value);

// Same type and same components, bit by bit.
bool SameValue(const Value& a, const Value& b);

}  // namespace signet
