// Lexer: divides a source file into tokens, as Python does.
//
//   y = x[0] # first     =>  name `y`, `=`, name `x`, `[`, number `0`, `]`, newline
//
// Blocks begin with an indent token and end with a dedent token. Inside brackets, line breaks and
// indentation have no meaning. Types and values in the notation are read from `notation`, the text
// of all tokens without comments and with all strings in double quotes. Stateless; thread-safe.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/language/syntax/source_errors.h"

namespace signet {

struct Token {
  enum class Kind : uint8_t {
    kName,
    kNumber,
    kString,
    kPunctuation,
    kNewline,  // the end of a statement
    kIndent,
    kDedent,
    kEnd,
  };

  Kind kind = Kind::kEnd;
  bool is_multiline = false;  // a string in three quotation marks
  uint32_t begin = 0;         // bytes of the source
  uint32_t end = 0;
  uint32_t notation = 0;  // where the token begins in the notation
  std::string_view text;  // the spelling of a name, number, or punctuation; the content of a string
};

struct Comment {
  uint32_t begin = 0;
  uint32_t end = 0;
};

struct TokenList {
  std::vector<Token> tokens;      // the last one is kEnd
  std::vector<Comment> comments;  // in order
  std::string notation;
  std::vector<std::string> strings;  // the contents of strings with escapes, which tokens borrow
};

// Returns the tokens of `source`, which must be UTF-8 and outlive the result. Adds errors to
// `errors` and continues after them.
TokenList ReadTokens(std::string_view source, SourceErrors& errors);

// Returns the text that `token` shows in an error: `name`, the end of the line.
std::string DescribeToken(const Token& token);

}  // namespace signet
