// Operand: an input of a call that an expansion makes: a value, the result of another call, or a
// literal.
//
//   Expr norm = build.Sqrt(build.ReduceSum(build.Square(x), {.axes = {1}, .keepdims = true}));
//   Expr scaled = x * (limit / build.Maximum(norm, limit));
//   SIGNET_ASSIGN_OR_RETURN(GraphValue y, scaled);  // or: return scaled;
//
// An error travels with the result of a call. A call whose operands include an error is not made,
// and its result is the first of these errors. So an expansion checks an error only where it needs
// to know the type of a value.
//
// C++ does not define in which order the arguments of a function are evaluated, and it may add the
// nodes of a graph in another order. No result depends on that order.
//
// A literal becomes a constant with the dtype of the tensors next to it
// (OpDef::literals_as_tensors).

#pragma once

#include <concepts>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/ops/def/op_def.h"

namespace signet {

class OpCaller;
class Operand;

// The result of a call of an op with one output: a value or an error. Arithmetic with it makes
// further calls of the same builder.
class [[nodiscard]] Expr {
 public:
  Expr(Status error) : value_(std::move(error)) {}  // NOLINT(google-explicit-constructor)
  Expr(OpCaller& caller, StatusOr<GraphValue> value) : caller_(&caller), value_(std::move(value)) {}

  bool ok() const { return value_.ok(); }
  Status status() const { return value_.status(); }
  // Require ok().
  const GraphValue& operator*() const& { return *value_; }
  GraphValue&& operator*() && { return *std::move(value_); }

  // NOLINTBEGIN(google-explicit-constructor): an expansion returns an Expr as its result.
  operator StatusOr<GraphValue>() const& { return value_; }
  operator StatusOr<GraphValue>() && { return std::move(value_); }
  operator StatusOr<std::vector<GraphValue>>() const;
  // NOLINTEND(google-explicit-constructor)

  Expr operator-() const;
  friend Expr operator+(const Expr& x, const Expr& y);
  friend Expr operator+(const Expr& x, const Operand& y);
  friend Expr operator+(const Operand& x, const Expr& y);
  friend Expr operator-(const Expr& x, const Expr& y);
  friend Expr operator-(const Expr& x, const Operand& y);
  friend Expr operator-(const Operand& x, const Expr& y);
  friend Expr operator*(const Expr& x, const Expr& y);
  friend Expr operator*(const Expr& x, const Operand& y);
  friend Expr operator*(const Operand& x, const Expr& y);
  friend Expr operator/(const Expr& x, const Expr& y);
  friend Expr operator/(const Expr& x, const Operand& y);
  friend Expr operator/(const Operand& x, const Expr& y);

 private:
  friend class Operand;
  static Expr Calculate(std::string_view op, OpCaller* caller, const Operand& x, const Operand& y);

  OpCaller* caller_ = nullptr;  // null only with an error
  StatusOr<GraphValue> value_;
};

class Operand {
 public:
  Operand();  // an optional input that is not passed
  // NOLINTBEGIN(google-explicit-constructor): calls accept all of these as inputs.
  Operand(GraphValue value);
  Operand(const Expr& expr);
  // A template, because Clang 14 would otherwise interpret `{.axis = 1}` as a StatusOr.
  template <std::same_as<StatusOr<GraphValue>> Value>
  Operand(Value value) : passed_(true), value_(std::move(value)) {}
  template <std::integral Int>
  Operand(Int value) : Operand(AttributeOf(static_cast<int64_t>(value)), 0) {}
  Operand(bool value);
  Operand(double value);
  Operand(const char* text);
  Operand(std::string_view text);

  operator const StatusOr<GraphValue>&() const { return value_; }
  operator StatusOr<std::vector<GraphValue>>() const;
  // NOLINTEND(google-explicit-constructor)

  bool passed() const { return passed_; }
  const StatusOr<GraphValue>& value() const { return value_; }

 private:
  Operand(TypeSpec literal, int);

  bool passed_ = false;
  StatusOr<GraphValue> value_;
};

// Inputs of an op that accepts any number of them: `build.Concat({x, y}, {.axis = 1})`.
class Operands {
 public:
  // NOLINTBEGIN(google-explicit-constructor): calls accept all of these as inputs.
  Operands(std::initializer_list<Operand> operands);
  Operands(std::span<const GraphValue> values);
  Operands(const std::vector<GraphValue>& values);
  template <size_t kSize>
  Operands(const GraphValue (&values)[kSize]) : Operands(std::span<const GraphValue>(values)) {}
  Operands(StatusOr<std::vector<GraphValue>> values) : values_(std::move(values)) {}
  Operands(const std::vector<Operand>& operands);
  // NOLINTEND(google-explicit-constructor)

  const StatusOr<std::vector<GraphValue>>& values() const { return values_; }

 private:
  StatusOr<std::vector<GraphValue>> values_;
};

// The outputs of an expansion: `return OneOutput(MakeRaggedValue(parts));`.
inline StatusOr<std::vector<GraphValue>> OneOutput(StatusOr<GraphValue> output) {
  SIGNET_RETURN_IF_ERROR(output.status());
  return std::vector<GraphValue>{*std::move(output)};
}
// All values, or the first error: `return AllOf({sum, count});`.
inline StatusOr<std::vector<GraphValue>> AllOf(const Operands& operands) {
  return operands.values();
}

// Marks an attribute that is not set, so that the op uses its default.
struct UnsetAttribute {};
inline constexpr UnsetAttribute kUnset;

// The value of an attribute. There is no default constructor: `{}` is the empty list.
class AttributeArgument {
 public:
  // NOLINTBEGIN(google-explicit-constructor): calls accept all of these as attributes.
  AttributeArgument(UnsetAttribute) {}
  AttributeArgument(TypeSpec value) : value_(std::move(value)) {}
  template <std::integral Int>
  AttributeArgument(Int value) : value_(AttributeOf(static_cast<int64_t>(value))) {}
  AttributeArgument(bool value) : value_(AttributeOf(value)) {}
  AttributeArgument(double value) : value_(AttributeOf(value)) {}
  AttributeArgument(const char* text) : value_(AttributeOf(text)) {}
  AttributeArgument(std::string_view text) : value_(AttributeOf(text)) {}
  AttributeArgument(const std::string& text) : value_(AttributeOf(text)) {}
  AttributeArgument(DType dtype) : value_(AttributeOf(dtype)) {}
  AttributeArgument(std::initializer_list<int64_t> list)
      : value_(AttributeOf(std::span(list.begin(), list.size()))) {}
  template <size_t kSize>
  AttributeArgument(const int64_t (&list)[kSize])
      : value_(AttributeOf(std::span<const int64_t>(list))) {}
  AttributeArgument(std::span<const int64_t> list) : value_(AttributeOf(list)) {}
  AttributeArgument(const std::vector<int64_t>& list)
      : value_(AttributeOf(std::span<const int64_t>(list))) {}
  AttributeArgument(std::span<const std::string> list);
  AttributeArgument(const std::vector<std::string>& list);
  // NOLINTEND(google-explicit-constructor)

  const TypeSpec& value() const { return value_; }  // null: not set

 private:
  TypeSpec value_;
};

}  // namespace signet
