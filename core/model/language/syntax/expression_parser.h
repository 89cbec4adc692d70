// ExpressionParser: parses expressions to trees, with the precedence of Python.
//
// A function returns null after it added an error. Not thread-safe.

#pragma once

#include <string_view>

#include "core/model/language/syntax/token_cursor.h"

namespace signet {

struct OperatorPrecedence;

class ExpressionParser : protected TokenCursor {
 protected:
  using TokenCursor::TokenCursor;

  // Reads an expression, or `a, b` as a tuple.
  ExpressionPointer ReadExpressionList();
  ExpressionPointer ReadExpression();
  // Reads arguments up to the `)`.
  bool ReadArguments(Expression& call);
  // Reads a type that is an argument of a declaration.
  ExpressionPointer ReadTypeArgument();

 private:
  // Counts the depth of recursive calls.
  class Nesting {
   public:
    explicit Nesting(int& depth) : depth_(depth) { ++depth_; }
    ~Nesting() { --depth_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;

   private:
    int& depth_;
  };

  ExpressionPointer FailExpression(std::string_view expected);
  ExpressionPointer Make(Expression::Kind kind, size_t begin);
  // Sets the end and the depth. Returns null if the expression is too deep.
  ExpressionPointer Close(ExpressionPointer expression);
  const OperatorPrecedence* NextOperator() const;
  ExpressionPointer ReadBinary(int precedence);
  // Reads an operator and the operand on its right.
  ExpressionPointer ReadRight(ExpressionPointer left, const OperatorPrecedence& op, int precedence);
  ExpressionPointer ReadUnary(int precedence);
  // A number with a sign is a literal.
  ExpressionPointer Signed(ExpressionPointer number, bool is_minus, size_t begin);
  ExpressionPointer ReadPostfix();
  ExpressionPointer ReadIndex(ExpressionPointer base);
  bool ReadKey(KeyExpression& key);
  bool ReadBound(ExpressionPointer& bound);

  // The operands that are not operators, calls, or indices (primary_expressions.cc).
  ExpressionPointer ReadPrimary();
  ExpressionPointer OfValue(Value value, size_t begin);
  ExpressionPointer OfLiteral(Literal literal, size_t begin);
  ExpressionPointer ReadNumber();
  ExpressionPointer ReadText();
  // `float32[`, `ragged int64[`, `sparse<`: a type or a value in the notation.
  bool AtNotation() const;
  ExpressionPointer ReadName();
  ExpressionPointer ReadNamed();
  ExpressionPointer ReadStatic();
  // Continues with the first token that begins at `end` of the notation or later.
  void ContinueAt(size_t end);
  ExpressionPointer FailNotation(NotationRange range, size_t fallback, const Status& status);
  ExpressionPointer ReadNotation();
  // `literal(VALUE)` or `type(TYPE)`, with any value or type in the notation.
  ExpressionPointer ReadWrappedNotation(bool is_type);
  ExpressionPointer ReadParentheses();
  ExpressionPointer ReadList();
  ExpressionPointer ReadDict();

  int nesting_ = 0;  // of recursive calls
};

}  // namespace signet
