// Literal: a plain value that is part of a type: none, a bool, an integer, a float, or a string.
//
//   signet::Literal three = signet::Literal::Int(3);
//   signet::Value value = signet::Value::OfLiteral(three);  // its type is `3`
//
// Kinds never mix: `1`, `1.0`, and `true` are three literals. Floats and strings compare by their
// bits, so 0.0 and -0.0 are two literals, and so are two NaNs with different payloads. Immutable.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include <absl/numeric/int128.h>

namespace signet {

class Literal {
 public:
  enum class Kind : uint8_t { kNone, kBool, kInt, kFloat, kString };

  Literal() = default;  // none
  static Literal Bool(bool value) { return Literal(value); }
  static Literal Int(absl::int128 value) { return Literal(value); }  // in [-2^63, 2^64)
  static Literal Float(double value) { return Literal(value); }
  static Literal String(std::string value) { return Literal(std::move(value)); }

  Kind kind() const { return static_cast<Kind>(value_.index()); }
  bool is(Kind kind) const { return this->kind() == kind; }
  bool bool_value() const { return std::get<bool>(value_); }
  absl::int128 int_value() const { return std::get<absl::int128>(value_); }
  double float_value() const { return std::get<double>(value_); }
  const std::string& string_value() const { return std::get<std::string>(value_); }
  std::optional<int64_t> AsInt64() const;  // empty if it is not an integer that fits

  bool operator==(const Literal& other) const;
  uint64_t Hash() const;
  std::string ToString() const;  // Python's spelling: None, True, -3, 1.5, "text"

 private:
  template <class T>
  explicit Literal(T value) : value_(std::move(value)) {}

  std::variant<std::monostate, bool, absl::int128, double, std::string> value_;
};

// Returns `text` in double quotes. Escapes (\" \\ \n \t and \xNN) replace everything that is not
// printable ASCII or well-formed UTF-8. The notation reads the result back.
std::string Quote(std::string_view text);

}  // namespace signet
