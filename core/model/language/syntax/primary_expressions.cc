// The operands of expressions: names, numbers, texts, nests, and values and types in the notation.

#include <charconv>
#include <limits>
#include <utility>

#include <absl/container/flat_hash_set.h>

#include "core/model/language/syntax/expression_parser.h"
#include "core/model/language/syntax/notation_errors.h"
#include "core/model/native/literal_value.h"
#include "core/types/identifier.h"
#include "core/types/notation/notation.h"
#include "core/values/builders/value_notation.h"
#include "signet/dtype.h"

namespace signet {

ExpressionPointer ExpressionParser::ReadPrimary() {
  const Token& token = Next();
  switch (token.kind) {
    case TokenKind::kNumber:
      return ReadNumber();
    case TokenKind::kString:
      return ReadText();
    case TokenKind::kName:
      return ReadName();
    case TokenKind::kPunctuation:
      if (token.text == "(") return ReadParentheses();
      if (token.text == "[") return ReadList();
      if (token.text == "{") return ReadDict();
      break;
    default:
      break;
  }
  if (At("//")) {
    FailAt(token.begin, "expected an expression, found `//`; a comment starts with `#`");
    return nullptr;
  }
  return FailExpression("an expression");
}

ExpressionPointer ExpressionParser::OfValue(Value value, size_t begin) {
  ExpressionPointer made = Make(Expression::Kind::kValue, begin);
  made->value = std::move(value);
  made->end = LastEnd();
  return made;
}

ExpressionPointer ExpressionParser::OfLiteral(Literal literal, size_t begin) {
  return OfValue(Value::OfLiteral(std::move(literal)), begin);
}

ExpressionPointer ExpressionParser::ReadNumber() {
  const Token& token = Next();
  std::string text;
  for (char c : token.text) {
    if (c != '_') text.push_back(c);
  }
  const bool is_hex = text.starts_with("0x") || text.starts_with("0X");
  const bool is_float = !is_hex && text.find_first_of(".eE") != std::string::npos;
  const char* begin = text.data() + (is_hex ? 2 : 0);
  const char* end = text.data() + text.size();
  Literal literal;
  bool is_valid = false;
  if (is_float) {
    double value = 0;
    auto [stop, error] = std::from_chars(begin, end, value);
    is_valid = error == std::errc() && stop == end;
    literal = Literal::Float(value);
  } else {
    uint64_t value = 0;
    auto [stop, error] = std::from_chars(begin, end, value, is_hex ? 16 : 10);
    is_valid = error == std::errc() && stop == end;
    literal = Literal::Int(static_cast<absl::int128>(value));
  }
  if (!is_valid) {
    FailAt(token.begin, Cat("expected an integer from -2^63 to 2^64 - 1 or a float64, found `",
                            Printable(token.text), "`"));
    return nullptr;
  }
  Skip();
  ExpressionPointer number = OfLiteral(std::move(literal), token.begin);
  number->is_number = true;
  return number;
}

ExpressionPointer ExpressionParser::ReadText() {
  const size_t begin = Next().begin;
  std::string text;
  while (At(TokenKind::kString)) {
    text.append(Next().text);
    Skip();
  }
  return OfLiteral(Literal::String(std::move(text)), begin);
}

bool ExpressionParser::AtNotation() const {
  const Token& next = After(1);
  if (LookupDType(Next().text)) return next.text == "[";
  const bool is_kind = At("ragged") || At("sparse") || At("dense");
  return is_kind && ((next.kind == TokenKind::kName && LookupDType(next.text)) || next.text == "<");
}

ExpressionPointer ExpressionParser::ReadName() {
  const Token& token = Next();
  const size_t begin = token.begin;
  const bool is_call = After(1).text == "(" && After(1).kind == TokenKind::kPunctuation;
  if (AtNotation()) return ReadNotation();
  if (At("literal") && is_call) return ReadWrappedNotation(/*is_type=*/false);
  if (At("type") && is_call) return ReadWrappedNotation(/*is_type=*/true);
  if (At("static") && is_call) return ReadStatic();
  if ((At("captures") || At("locals")) && After(1).text == "[") return ReadNamed();
  Skip();
  if (token.text == "None") return OfLiteral(Literal(), begin);
  if (token.text == "True") return OfLiteral(Literal::Bool(true), begin);
  if (token.text == "False") return OfLiteral(Literal::Bool(false), begin);
  if (token.text == "inf" || token.text == "nan") {
    const double value = token.text == "inf" ? std::numeric_limits<double>::infinity()
                                             : std::numeric_limits<double>::quiet_NaN();
    ExpressionPointer number = OfLiteral(Literal::Float(value), begin);
    number->is_number = token.text == "inf";
    return number;
  }
  if (token.text == "lambda") {
    FailAt(begin,
           "unsupported `lambda`; define a function before this line, as in `def double(x): return "
           "x * 2`, and name it, as in `map(xs, function=double)`");
    return nullptr;
  }
  if (IsPythonKeyword(token.text)) {
    FailAt(begin, Cat("expected an expression, found the reserved word `", token.text, "`"));
    return nullptr;
  }
  ExpressionPointer name = Make(Expression::Kind::kName, begin);
  name->text = token.text;
  return Close(std::move(name));
}

ExpressionPointer ExpressionParser::ReadNamed() {
  ExpressionPointer named =
      Make(At("captures") ? Expression::Kind::kCapture : Expression::Kind::kLocal, Next().begin);
  Skip();
  Skip();
  named->text = Next().text;
  named->operator_position = Next().begin;
  if (!TakeKind(TokenKind::kString)) return FailExpression("a name in quotation marks");
  if (!Expect("]", "after the name")) return nullptr;
  return Close(std::move(named));
}

ExpressionPointer ExpressionParser::ReadStatic() {
  ExpressionPointer made = Make(Expression::Kind::kStatic, Next().begin);
  Skip();
  Skip();
  ExpressionPointer value = ReadExpression();
  if (value == nullptr || !Expect(")", "after the value of an attribute")) return nullptr;
  made->children.push_back(std::move(value));
  return Close(std::move(made));
}

void ExpressionParser::ContinueAt(size_t end) {
  while (index_ + 1 < tokens_.size() && Next().notation < end) Skip();
}

ExpressionPointer ExpressionParser::FailNotation(NotationRange range, size_t fallback,
                                                 const Status& status) {
  AddNotationError(list_, range, fallback, status, errors_);
  return nullptr;
}

ExpressionPointer ExpressionParser::ReadNotation() {
  const size_t begin = Next().begin;
  const NotationRange range = RestOfLine();
  NotationReader in(std::string_view(list_.notation).substr(range.begin, range.end - range.begin));
  NotationReader before = in;
  auto type = in.ReadType();
  if (!type.ok()) return FailNotation(range, begin, type.status());
  const bool is_type = in.AtEnd() || in.Peek(",") || in.Peek(")") || in.Peek("]") || in.Peek("}");
  if (is_type) {
    ContinueAt(range.begin + in.position());
    ExpressionPointer made = Make(Expression::Kind::kType, begin);
    made->type = *std::move(type);
    return Close(std::move(made));
  }
  auto value = ReadValue(before);
  if (!value.ok()) return FailNotation(range, begin, value.status());
  ContinueAt(range.begin + before.position());
  return OfValue(*std::move(value), begin);
}

ExpressionPointer ExpressionParser::ReadTypeArgument() {
  const size_t begin = Next().begin;
  const size_t start = Next().notation;
  for (int depth = 0; !(depth == 0 && (At(",") || At(")")));) {
    if (At(TokenKind::kNewline) || At(TokenKind::kEnd)) return FailExpression("`,` or `)`");
    if (At("(") || At("[") || At("{") || At("<")) ++depth;
    if (At(")") || At("]") || At("}") || At(">")) --depth;
    Skip();
  }
  ExpressionPointer made = Make(Expression::Kind::kType, begin);
  made->notation = {start, Next().notation};
  return Close(std::move(made));
}

ExpressionPointer ExpressionParser::ReadWrappedNotation(bool is_type) {
  const size_t begin = Next().begin;
  Skip();
  Skip();
  const size_t start = Next().notation;
  for (int depth = 0; !(depth == 0 && At(")"));) {
    if (At(TokenKind::kNewline) || At(TokenKind::kEnd)) return FailExpression("`)`");
    if (At("(") || At("[") || At("{")) ++depth;
    if (At(")") || At("]") || At("}")) --depth;
    Skip();
  }
  const NotationRange range{start, Next().notation};
  const auto text = std::string_view(list_.notation).substr(start, range.end - start);
  Skip();
  if (is_type) {
    ExpressionPointer made = Make(Expression::Kind::kType, begin);
    made->notation = range;
    return Close(std::move(made));
  }
  auto value = ParseLiteralValue(text);
  if (!value.ok()) return FailNotation(range, begin, value.status());
  return OfValue(*std::move(value), begin);
}

ExpressionPointer ExpressionParser::ReadParentheses() {
  const size_t begin = Next().begin;
  Skip();
  ExpressionPointer tuple = Make(Expression::Kind::kTuple, begin);
  bool is_tuple = At(")");
  while (!Take(")")) {
    ExpressionPointer next = ReadExpression();
    if (next == nullptr) return nullptr;
    tuple->children.push_back(std::move(next));
    if (At(",")) {
      is_tuple = true;
      Skip();
    } else if (!At(")")) {
      FailAfterOperand("`)` or an operator");
      return nullptr;
    }
  }
  if (is_tuple) return Close(std::move(tuple));
  ExpressionPointer inner = std::move(tuple->children[0]);
  inner->is_number = false;
  inner->is_parenthesized = true;
  return inner;
}

ExpressionPointer ExpressionParser::ReadList() {
  ExpressionPointer list = Make(Expression::Kind::kList, Next().begin);
  Skip();
  while (!Take("]")) {
    ExpressionPointer next = ReadExpression();
    if (next == nullptr) return nullptr;
    list->children.push_back(std::move(next));
    if (!At("]") && !ExpectAfterOperand(",", "or `]`")) return nullptr;
  }
  return Close(std::move(list));
}

ExpressionPointer ExpressionParser::ReadDict() {
  ExpressionPointer dict = Make(Expression::Kind::kDict, Next().begin);
  absl::flat_hash_set<std::string_view> keys;
  Skip();
  while (!Take("}")) {
    NamedExpression entry{.name = Next().text, .position = Next().begin, .value = nullptr};
    if (!TakeKind(TokenKind::kString)) {
      return FailExpression(At(TokenKind::kName) ? "a key in quotation marks" : "a key or `}`");
    }
    if (!Expect(":", "after a key")) return nullptr;
    entry.value = ReadExpression();
    if (entry.value == nullptr) return nullptr;
    if (!keys.insert(entry.name).second) {
      FailAt(entry.position, Cat("duplicate key `", Printable(entry.name), "`"));
      return nullptr;
    }
    dict->named.push_back(std::move(entry));
    if (!At("}") && !ExpectAfterOperand(",", "or `}`")) return nullptr;
  }
  return Close(std::move(dict));
}

}  // namespace signet
