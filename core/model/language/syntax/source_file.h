// SourceFile: the tokens of a source file, and the list of its errors.

#pragma once

#include <string>
#include <string_view>

#include "core/model/language/syntax/lexer.h"
#include "core/model/language/syntax/notation_errors.h"
#include "core/model/language/syntax/source_errors.h"
#include "core/model/language/syntax/syntax.h"
#include "core/model/native/utf8_check.h"

namespace signet {

// Borrows both.
struct SourceFile {
  const TokenList& tokens;
  SourceErrors& errors;

  std::string_view Notation(NotationRange range) const {
    return std::string_view(tokens.notation).substr(range.begin, range.end - range.begin);
  }

  // Adds an error of a text in the notation, at the position that it states, or at `fallback`.
  void AddNotationError(NotationRange range, size_t fallback, const Status& status) const {
    signet::AddNotationError(tokens, range, fallback, status, errors);
  }

  // Adds an error and returns false if `text` is not UTF-8.
  bool CheckText(size_t position, std::string_view text) const {
    const Status status = CheckUtf8(text);
    if (!status.ok()) errors.Add(position, std::string(MessageOf(status)));
    return status.ok();
  }
};

}  // namespace signet
