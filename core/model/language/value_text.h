// TextOfValue: writes a value or an attribute in the model language.
//
//   literal `[1, "a"]` => `[1, "a"]`      the tensor => `float32[2] [1.0, 2.0]`
//
// Stateless; thread-safe.

#pragma once

#include <string>

#include "signet/status.h"
#include "signet/type_spec.h"
#include "signet/value.h"

namespace signet {

// Precedences of Python, as in the parser.
inline constexpr int kAtomPrecedence = 10;
inline constexpr int kUnaryPrecedence = 7;

// The text of an expression with the precedence of its outermost operator.
struct ExpressionText {
  std::string text;
  int precedence = kAtomPrecedence;
};

// Both return UNIMPLEMENTED for what the language cannot state.
StatusOr<ExpressionText> TextOfValue(const Value& value);
StatusOr<std::string> TextOfAttribute(const TypeSpec& value);

}  // namespace signet
