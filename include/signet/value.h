// Value: a TypeSpec and a flat list of component tensors.
//
//   signet::Value one = signet::Tensor::Scalar(1.0f);
//   const signet::Value both[] = {one, signet::Value::None()};
//   signet::Value list = signet::ListOf(both);
//   std::string type = list.spec().ToString();  // list(float32[], None)
//
// The type holds everything that is static, and the tensors hold the rest. A literal has no
// components, a tensor has one (itself), and a ragged tensor has its flat values and row splits. A
// structure has the components of its columns (ComponentsOf in include/signet/type_spec.h returns
// order and names), and a nest those of its children in order. Every value is consistent: MakeValue
// checks its arguments. A copy shares the tensors. Immutable; thread-safe.

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
  Value(Tensor tensor);  // NOLINT: a tensor is a value
  static Value OfLiteral(Literal literal);
  static Value None() { return OfLiteral(Literal()); }
  // Returns a placeholder with a type, for binding and dispatch without a run (Explain).
  static Value OfType(TypeSpec spec);
  // Like MakeValue, without checks.
  static Value Trusted(TypeSpec spec, Components components);

  explicit operator bool() const { return static_cast<bool>(spec_); }
  const TypeSpec& spec() const { return spec_; }
  bool is_placeholder() const { return is_placeholder_; }  // from OfType: no components
  std::span<const Tensor> components() const { return {components_.data(), components_.size()}; }
  const Tensor& tensor() const { return components_[0]; }  // requires a tensor value
  const Literal& literal() const;                          // requires a literal value

 private:
  TypeSpec spec_;
  Components components_;
  bool is_placeholder_ = false;
};

// Checks that the components are as `spec` says, and returns the value. Errors start with the path
// of the component. Checked are: the number of components, dtypes, and shapes; row splits that
// start at 0, never decrease, and end at the number of values; equal lengths of columns; sparse
// indices that are in range, sorted, and unique.
StatusOr<Value> MakeValue(TypeSpec spec, Components components);

// Build containers of values.
Value ListOf(std::span<const Value> elements);
Value TupleOf(std::span<const Value> elements);
using NamedValues = std::vector<std::pair<std::string, Value>>;
StatusOr<Value> MakeDict(NamedValues items);
StatusOr<Value> MakeNamedTuple(NamedTupleSpec::Style style, std::string name, NamedValues fields);

// Returns the children of a list, tuple, dict, named tuple, or extension value, in the order of
// spec().children().
std::vector<Value> ChildrenOf(const Value& value);
// Returns a value with the kind, names, and static attributes of `spec` and with other children,
// the inverse of ChildrenOf. The types of the children may differ from `spec`, but not their
// number.
StatusOr<Value> WithChildren(const TypeSpec& spec, std::span<const Value> children);

// Returns the most specific type of the tensors: fills in the sizes that the type of `value` leaves
// open.
TypeSpec ExactSpecOf(const Value& value);

// Returns true if the types and all components are the same, bit by bit.
bool SameValue(const Value& a, const Value& b);

}  // namespace signet
