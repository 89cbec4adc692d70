#include "core/model/language/syntax/token_cursor.h"

#include <algorithm>
#include <utility>

#include "signet/cat.h"

namespace signet {
namespace {

// Operators of Python that the language does not have, and what to write.
constexpr std::pair<std::string_view, std::string_view> kUnsupportedOperators[] = {
    {"&", "write `and` for bools, or `bitwise_and(x, y)`"},
    {"|", "write `or` for bools, or `bitwise_or(x, y)`"},
    {"^", "write `logical_xor(x, y)` for bools, or `bitwise_xor(x, y)`"},
    {"in", "compare with `==`, and combine with `reduce_any`"},
    {"is", "`is_same(x, None)` tests for None, and `==` compares numbers and texts"},
    {"not", "compare with `!=`"},
};

}  // namespace

TokenCursor::TokenCursor(const TokenList& list, SourceErrors& errors)
    : list_(list),
      tokens_(list.tokens),
      errors_(errors),
      token_errors_(errors.Offsets()),
      line_ends_(tokens_.size()) {
  size_t end = list.notation.size();
  for (size_t i = tokens_.size(); i-- > 0;) {
    if (tokens_[i].kind == TokenKind::kNewline) end = tokens_[i].notation;
    line_ends_[i] = end;
  }
}

bool TokenCursor::At(std::string_view text) const {
  return (At(TokenKind::kPunctuation) || At(TokenKind::kName)) && Next().text == text;
}

void TokenCursor::Skip() {
  if (index_ + 1 < tokens_.size()) ++index_;
}

bool TokenCursor::Take(std::string_view text) {
  if (!At(text)) return false;
  Skip();
  return true;
}

bool TokenCursor::TakeKind(TokenKind kind) {
  if (!At(kind)) return false;
  Skip();
  return true;
}

bool TokenCursor::HasTokenError() const {
  if (token_errors_.empty()) return false;
  size_t first = index_;
  while (first > 0 && tokens_[first - 1].kind != TokenKind::kNewline) --first;
  size_t last = index_;
  while (last + 1 < tokens_.size() && tokens_[last].kind != TokenKind::kNewline) ++last;
  return std::any_of(token_errors_.begin(), token_errors_.end(), [&](size_t offset) {
    return offset >= tokens_[first].begin && offset <= tokens_[last].end;
  });
}

bool TokenCursor::Fail(std::string_view expected) {
  return FailAt(Next().begin, Cat("expected ", expected, ", found ", DescribeToken(Next())));
}

bool TokenCursor::FailAt(size_t position, std::string message) {
  if (!HasTokenError()) errors_.Add(position, std::move(message));
  return false;
}

bool TokenCursor::Expect(std::string_view text, std::string_view context) {
  return Take(text) || Fail(Cat("`", text, "`", context.empty() ? "" : " ", context));
}

bool TokenCursor::FailAfterOperand(std::string_view expected) {
  for (const auto& [token, advice] : kUnsupportedOperators) {
    if (At(token)) return FailAt(Next().begin, Cat("unsupported `", token, "`; ", advice));
  }
  if (At(TokenKind::kString) && index_ > 0 && tokens_[index_ - 1].text == "f") {
    return FailAt(tokens_[index_ - 1].begin,
                  "unsupported text with the prefix `f`; write `string_concat(x, y)`, and "
                  "`number_to_string(x)` for numbers");
  }
  if (At("=")) {
    return FailAt(Next().begin,
                  Cat("expected ", expected, ", found `=`; `==` compares two values"));
  }
  return Fail(expected);
}

bool TokenCursor::ExpectAfterOperand(std::string_view text, std::string_view context) {
  return Take(text) || FailAfterOperand(Cat("`", text, "`", context.empty() ? "" : " ", context));
}

bool TokenCursor::EndStatement() {
  if (TakeKind(TokenKind::kNewline)) return true;
  if (At(";")) return Fail("one statement per line");
  if (At("=")) {
    return FailAt(Next().begin,
                  "expected one name before `=`; values do not change, and `struct_update(x, "
                  "name=y)` returns a structure with another field");
  }
  if (At("if")) {
    return FailAt(Next().begin,
                  "unsupported `if`; write `select(condition, x, y)`, or `cond` with functions");
  }
  return FailAfterOperand("an operator or the end of the line");
}

void TokenCursor::SkipLine() {
  while (!At(TokenKind::kNewline) && !At(TokenKind::kEnd)) Skip();
  TakeKind(TokenKind::kNewline);
}

void TokenCursor::Recover() {
  while (!At(TokenKind::kNewline) && !At(TokenKind::kEnd) && !At(TokenKind::kDedent)) Skip();
  if (!TakeKind(TokenKind::kNewline)) {
    if (At(TokenKind::kDedent) && depth_ == 0) Skip();
    return;
  }
  if (!TakeKind(TokenKind::kIndent)) return;
  for (int depth = 1; depth > 0 && !At(TokenKind::kEnd); Skip()) {
    if (At(TokenKind::kIndent)) ++depth;
    if (At(TokenKind::kDedent)) --depth;
  }
}

}  // namespace signet
