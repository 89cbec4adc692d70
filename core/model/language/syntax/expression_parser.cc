#include "core/model/language/syntax/expression_parser.h"

#include <algorithm>
#include <utility>

#include <absl/container/flat_hash_set.h>

#include "core/model/language/syntax/limits.h"
#include "signet/cat.h"

namespace signet {

struct OperatorPrecedence {
  std::string_view text;
  int precedence;
};

namespace {

constexpr int kComparison = 4;
constexpr int kUnaryMinus = 7;
constexpr int kPower = 8;
constexpr OperatorPrecedence kPrecedences[] = {
    {"or", 1}, {"and", 2}, {"==", 4}, {"!=", 4}, {"<", 4},  {"<=", 4}, {">", 4}, {">=", 4},
    {"+", 5},  {"-", 5},   {"*", 6},  {"/", 6},  {"//", 6}, {"%", 6},  {"@", 6}, {"**", kPower},
};

}  // namespace

ExpressionPointer ExpressionParser::FailExpression(std::string_view expected) {
  Fail(expected);
  return nullptr;
}

ExpressionPointer ExpressionParser::Make(Expression::Kind kind, size_t begin) {
  auto made = std::make_unique<Expression>();
  made->kind = kind;
  made->begin = begin;
  return made;
}

ExpressionPointer ExpressionParser::Close(ExpressionPointer expression) {
  expression->end = LastEnd();
  auto include = [&](const ExpressionPointer& child) {
    if (child != nullptr) expression->depth = std::max(expression->depth, child->depth + 1);
  };
  for (const auto& child : expression->children) include(child);
  for (const auto& entry : expression->named) include(entry.value);
  for (const auto& key : expression->keys) {
    include(key.value);
    include(key.stop);
    include(key.step);
  }
  if (expression->depth <= kMaxSyntaxDepth) return expression;
  FailAt(expression->begin, Cat("the depth of the expression exceeds the limit of ",
                                kMaxSyntaxDepth, "; assign parts of it to names"));
  return nullptr;
}

ExpressionPointer ExpressionParser::ReadExpressionList() {
  ExpressionPointer first = ReadExpression();
  if (first == nullptr || !At(",")) return first;
  ExpressionPointer tuple = Make(Expression::Kind::kTuple, first->begin);
  tuple->children.push_back(std::move(first));
  while (Take(",")) {
    if (At(TokenKind::kNewline)) break;
    ExpressionPointer next = ReadExpression();
    if (next == nullptr) return nullptr;
    tuple->children.push_back(std::move(next));
  }
  return Close(std::move(tuple));
}

ExpressionPointer ExpressionParser::ReadExpression() {
  const Nesting nesting(nesting_);
  if (nesting_ > kMaxSyntaxDepth) {
    FailAt(Next().begin, Cat("the depth of the expression exceeds the limit of ", kMaxSyntaxDepth,
                             "; assign parts of it to names"));
    return nullptr;
  }
  ExpressionPointer expression = ReadBinary(1);
  if (expression != nullptr && (At("if") || At("for") || At("lambda"))) {
    FailAt(Next().begin, At("if") ? "unsupported `if` in an expression; write "
                                    "`select(condition, x, y)`, or `cond` with functions"
                                  : "unsupported `for` in an expression; write `map` with a "
                                    "function");
    return nullptr;
  }
  return expression;
}

const OperatorPrecedence* ExpressionParser::NextOperator() const {
  if (!At(TokenKind::kPunctuation) && !At(TokenKind::kName)) return nullptr;
  for (const OperatorPrecedence& op : kPrecedences) {
    if (At(op.text)) return &op;
  }
  return nullptr;
}

ExpressionPointer ExpressionParser::ReadBinary(int precedence) {
  ExpressionPointer left = ReadUnary(precedence);
  bool is_comparison = false;
  while (left != nullptr) {
    const OperatorPrecedence* op = NextOperator();
    if (op == nullptr || op->precedence < precedence || op->precedence == kPower) return left;
    if (op->precedence == kComparison && is_comparison) {
      FailAt(Next().begin, "unsupported chain of comparisons; write `a < b and b < c`");
      return nullptr;
    }
    is_comparison = op->precedence == kComparison;
    left = ReadRight(std::move(left), *op, op->precedence + 1);
  }
  return nullptr;
}

ExpressionPointer ExpressionParser::ReadRight(ExpressionPointer left, const OperatorPrecedence& op,
                                              int precedence) {
  ExpressionPointer binary = Make(Expression::Kind::kBinary, left->begin);
  binary->operator_position = Next().begin;
  binary->text = op.text;
  Skip();
  if (op.text == "*" && At("*")) return FailExpression("an operand");
  ExpressionPointer right = ReadBinary(precedence);
  if (right == nullptr) return nullptr;
  binary->children.push_back(std::move(left));
  binary->children.push_back(std::move(right));
  return Close(std::move(binary));
}

ExpressionPointer ExpressionParser::ReadUnary(int precedence) {
  const Nesting nesting(nesting_);
  if (nesting_ > kMaxSyntaxDepth) {
    FailAt(Next().begin, Cat("the depth of the expression exceeds the limit of ", kMaxSyntaxDepth,
                             "; assign parts of it to names"));
    return nullptr;
  }
  const size_t begin = Next().begin;
  if (At("not") && precedence <= 3) {
    ExpressionPointer negation = Make(Expression::Kind::kUnary, begin);
    negation->operator_position = begin;
    negation->text = "not";
    Skip();
    ExpressionPointer operand = ReadBinary(3);
    if (operand == nullptr) return nullptr;
    negation->children.push_back(std::move(operand));
    return Close(std::move(negation));
  }
  if (At("not")) return FailExpression("an operand; put `not ...` in parentheses");
  if (At("-") || At("+")) {
    const bool is_minus = At("-");
    Skip();
    ExpressionPointer operand = ReadUnary(kUnaryMinus);
    if (operand == nullptr) return nullptr;
    if (operand->is_number) return Signed(std::move(operand), is_minus, begin);
    if (!is_minus) return operand;
    ExpressionPointer negation = Make(Expression::Kind::kUnary, begin);
    negation->operator_position = begin;
    negation->text = "-";
    negation->children.push_back(std::move(operand));
    return Close(std::move(negation));
  }
  ExpressionPointer base = ReadPostfix();
  if (base == nullptr || !At("**")) return base;
  ExpressionPointer power = Make(Expression::Kind::kBinary, base->begin);
  power->operator_position = Next().begin;
  power->text = "**";
  Skip();
  ExpressionPointer exponent = ReadUnary(kUnaryMinus);
  if (exponent == nullptr) return nullptr;
  power->children.push_back(std::move(base));
  power->children.push_back(std::move(exponent));
  return Close(std::move(power));
}

ExpressionPointer ExpressionParser::Signed(ExpressionPointer number, bool is_minus, size_t begin) {
  number->begin = begin;
  if (!is_minus) return number;
  const Literal& literal = number->value.literal();
  if (literal.is(Literal::Kind::kFloat)) {
    number->value = Value::OfLiteral(Literal::Float(-literal.float_value()));
  } else {
    const absl::int128 value = -literal.int_value();
    if (value < -(absl::int128{1} << 63)) {
      FailAt(begin, "expected an integer from -2^63 to 2^64 - 1");
      return nullptr;
    }
    number->value = Value::OfLiteral(Literal::Int(value));
  }
  return number;
}

ExpressionPointer ExpressionParser::ReadPostfix() {
  ExpressionPointer base = ReadPrimary();
  while (base != nullptr) {
    if (At(".")) {
      ExpressionPointer field = Make(Expression::Kind::kField, base->begin);
      Skip();
      field->operator_position = Next().begin;
      field->text = Next().text;
      if (!TakeKind(TokenKind::kName)) return FailExpression("the name of a field");
      field->children.push_back(std::move(base));
      base = Close(std::move(field));
    } else if (At("[")) {
      base = ReadIndex(std::move(base));
    } else if (At("(")) {
      ExpressionPointer call = Make(Expression::Kind::kCall, base->begin);
      call->operator_position = Next().begin;
      Skip();
      call->children.push_back(std::move(base));
      if (!ReadArguments(*call)) return nullptr;
      base = Close(std::move(call));
    } else {
      break;
    }
  }
  return base;
}

bool ExpressionParser::ReadArguments(Expression& call) {
  absl::flat_hash_set<std::string_view> names;
  while (!Take(")")) {
    if (At("*") || At("**")) {
      return FailAt(Next().begin, "unsupported `*` before an argument; write each argument");
    }
    if (At(TokenKind::kName) && After(1).text == "=" && After(1).kind == TokenKind::kPunctuation) {
      NamedExpression argument{.name = Next().text, .position = Next().begin, .value = nullptr};
      Skip();
      Skip();
      if (!names.insert(argument.name).second) {
        return FailAt(argument.position,
                      Cat("duplicate keyword argument `", Printable(argument.name), "`"));
      }
      argument.value = ReadExpression();
      if (argument.value == nullptr) return false;
      call.named.push_back(std::move(argument));
    } else {
      if (!call.named.empty()) return Fail("a keyword argument after keyword arguments");
      ExpressionPointer argument = ReadExpression();
      if (argument == nullptr) return false;
      call.children.push_back(std::move(argument));
    }
    if (!At(")") && !ExpectAfterOperand(",", "or `)`")) return false;
  }
  return true;
}

ExpressionPointer ExpressionParser::ReadIndex(ExpressionPointer base) {
  ExpressionPointer index = Make(Expression::Kind::kIndex, base->begin);
  index->operator_position = Next().begin;
  Skip();
  index->children.push_back(std::move(base));
  do {
    if (At("]") && !index->keys.empty()) break;
    KeyExpression key;
    if (!ReadKey(key)) return nullptr;
    index->keys.push_back(std::move(key));
  } while (Take(","));
  if (!ExpectAfterOperand("]", "or `,`")) return nullptr;
  return Close(std::move(index));
}

bool ExpressionParser::ReadKey(KeyExpression& key) {
  key.position = Next().begin;
  if (Take("...")) {
    key.kind = KeyExpression::Kind::kEllipsis;
    return true;
  }
  if (!At(":")) {
    key.value = ReadExpression();
    if (key.value == nullptr) return false;
  }
  if (!Take(":")) return true;
  key.kind = KeyExpression::Kind::kSlice;
  if (!ReadBound(key.stop)) return false;
  return !Take(":") || ReadBound(key.step);
}

bool ExpressionParser::ReadBound(ExpressionPointer& bound) {
  if (At(":") || At(",") || At("]")) return true;
  bound = ReadExpression();
  return bound != nullptr;
}

}  // namespace signet
