// TokenCursor: moves over the tokens of a source file, and reports what was expected at a token.
//
// Not thread-safe.

#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/language/syntax/lexer.h"
#include "core/model/language/syntax/source_errors.h"
#include "core/model/language/syntax/syntax.h"

namespace signet {

class TokenCursor {
 protected:
  using TokenKind = Token::Kind;

  TokenCursor(const TokenList& list, SourceErrors& errors);

  const Token& Next() const { return tokens_[index_]; }
  const Token& After(size_t n) const { return tokens_[std::min(index_ + n, tokens_.size() - 1)]; }
  bool At(TokenKind kind) const { return Next().kind == kind; }
  bool At(std::string_view text) const;
  void Skip();
  bool Take(std::string_view text);
  bool TakeKind(TokenKind kind);
  // Both add an error, unless a token of the statement has one, such as a bracket that is not
  // closed, and return false.
  bool Fail(std::string_view expected);
  bool FailAt(size_t position, std::string message);
  bool Expect(std::string_view text, std::string_view context);
  // Does the same after an operand. If an operator of Python follows that the language does not
  // have, the error states what to write instead.
  bool FailAfterOperand(std::string_view expected);
  bool ExpectAfterOperand(std::string_view text, std::string_view context);
  size_t LastEnd() const { return index_ == 0 ? 0 : tokens_[index_ - 1].end; }
  bool EndStatement();
  NotationRange RestOfLine() const { return {Next().notation, line_ends_[index_]}; }
  void SkipLine();
  // Skips the rest of a statement, and the block that follows it.
  void Recover();

  // Returns whether reading the tokens of the statement had an error.
  bool HasTokenError() const;

  const TokenList& list_;
  const std::vector<Token>& tokens_;
  SourceErrors& errors_;
  const std::vector<size_t> token_errors_;  // their offsets in the source
  std::vector<size_t> line_ends_;           // by token: the end of its statement in the notation
  size_t index_ = 0;
  int depth_ = 0;  // of blocks
};

}  // namespace signet
