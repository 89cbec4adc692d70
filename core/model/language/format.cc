#include "core/model/language/format.h"

#include <algorithm>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "core/model/language/syntax/lexer.h"
#include "core/model/language/syntax/limits.h"
#include "core/model/language/syntax/parser.h"
#include "core/model/native/utf8_check.h"
#include "core/types/identifier.h"
#include "signet/dtype.h"

namespace signet {
namespace {

using TokenKind = Token::Kind;

constexpr size_t kIndent = 4;

bool IsOpening(std::string_view text) { return text == "(" || text == "[" || text == "{"; }
bool IsClosing(std::string_view text) { return text == ")" || text == "]" || text == "}"; }

class Formatter {
 public:
  Formatter(std::string_view source, const TokenList& list) : source_(source), list_(list) {}

  std::string Format() {
    const auto& tokens = list_.tokens;
    for (size_t i = 0; i < tokens.size(); ++i) {
      const Token& token = tokens[i];
      if (token.kind == TokenKind::kIndent) {
        ++depth_;
        indents_.push_back(ColumnOf(token.begin));
      } else if (token.kind == TokenKind::kDedent) {
        // Comments before the next line belong to the block in which they are indented.
        AppendComments(token.begin, /*is_before_dedent=*/true);
        --depth_;
        indents_.pop_back();
      } else if (token.kind == TokenKind::kNewline) {
        AppendComments(LineEnd(token.begin));
        EndLine();
      } else if (token.kind == TokenKind::kEnd) {
        AppendComments(source_.size());
      } else {
        AppendComments(token.begin);
        AppendToken(i);
      }
    }
    if (is_line_open_) EndLine();
    return std::move(out_);
  }

 private:
  size_t LineEnd(size_t position) const {
    return std::min(source_.find('\n', position), source_.size());
  }
  size_t ColumnOf(size_t position) const {
    const size_t newline = position == 0 ? source_.npos : source_.rfind('\n', position - 1);
    return position - (newline == source_.npos ? 0 : newline + 1);
  }

  void EndLine() {
    out_.push_back('\n');
    is_line_open_ = false;
  }

  // Begins a line of the source: keeps at most one empty line before it.
  void BeginLine(size_t position, bool is_declaration) {
    size_t newlines = 0;
    for (size_t i = last_end_; i < position; ++i) newlines += source_[i] == '\n';
    if (!out_.empty()) {
      size_t empty = std::min<size_t>(newlines > 0 ? newlines - 1 : 0, 1);
      const bool follows_decorator = after_decorator_ && is_declaration;
      if (depth_ == 0 && brackets_.empty() && is_declaration && !after_comment_) {
        empty = follows_decorator ? 0 : 2;
      }
      if (depth_ > 0 && brackets_.empty() && after_header_) empty = 0;
      out_.append(empty, '\n');
    }
    const size_t indent = depth_ * kIndent + brackets_.size() * kIndent;
    out_.append(indent, ' ');
    is_line_open_ = true;
    after_header_ = false;
    after_comment_ = false;
  }

  // Appends the comments that begin before `end`.
  void AppendComments(size_t end, bool is_before_dedent = false) {
    const auto& comments = list_.comments;
    while (comment_ < comments.size() && comments[comment_].begin < end) {
      const Comment& comment = comments[comment_];
      if (is_before_dedent && ColumnOf(comment.begin) < indents_.back()) return;
      std::string_view text = source_.substr(comment.begin, comment.end - comment.begin);
      const bool is_trailing =
          is_line_open_ &&
          source_.substr(last_end_, comment.begin - last_end_).find('\n') == std::string_view::npos;
      if (is_trailing) {
        out_.append("  ");
      } else {
        if (is_line_open_) EndLine();
        BeginLine(comment.begin, false);
      }
      out_.append(text);
      last_end_ = comment.end;
      if (!is_trailing || !brackets_.empty()) EndLine();
      after_comment_ = !is_trailing && brackets_.empty();
      ++comment_;
    }
  }

  void AppendToken(size_t i) {
    const Token& token = list_.tokens[i];
    const bool was_in_brackets = !brackets_.empty();
    if (IsClosing(token.text) && token.kind == TokenKind::kPunctuation && !brackets_.empty()) {
      openings_.emplace(i, brackets_.back());
      brackets_.pop_back();
    }
    const bool is_new_line =
        !is_line_open_ ||
        source_.substr(last_end_, token.begin - last_end_).find('\n') != std::string_view::npos;
    const bool starts_statement = is_new_line && brackets_.empty() &&
                                  !(token.kind == TokenKind::kPunctuation && IsClosing(token.text));
    if (is_new_line && is_line_open_ && !was_in_brackets) {  // after a backslash
      out_.append(" \\\n").append((depth_ + 1) * kIndent, ' ');
    } else if (is_new_line) {
      if (is_line_open_) EndLine();
      const bool is_declaration =
          starts_statement && (token.text == "def" || token.text == "class" ||
                               (token.text == "@" && token.kind == TokenKind::kPunctuation));
      BeginLine(token.begin, is_declaration && token.kind != TokenKind::kString);
      if (starts_statement) {
        after_decorator_ = token.text == "@" && token.kind == TokenKind::kPunctuation;
        statement_ = i;
      }
    } else if (NeedsSpace(i)) {
      out_.push_back(' ');
    }
    AppendText(token);
    last_end_ = token.end;
    if (token.kind == TokenKind::kPunctuation && IsOpening(token.text)) brackets_.push_back(i);
    after_header_ = token.text == ":" && token.kind == TokenKind::kPunctuation &&
                    brackets_.empty() && i + 1 < list_.tokens.size() &&
                    list_.tokens[i + 1].kind == TokenKind::kNewline;
  }

  void AppendText(const Token& token) {
    std::string_view spelling = source_.substr(token.begin, token.end - token.begin);
    if (token.kind != TokenKind::kString) return out_.append(spelling), void();
    // Only simple texts in single quotes are changed.
    const bool is_single = spelling.front() == '\'' && !token.is_multiline &&
                           spelling.find_first_of("\"\\") == spelling.npos;
    out_.append(is_single ? Cat("\"", spelling.substr(1, spelling.size() - 2), "\"")
                          : std::string(spelling));
  }

  // Returns whether token `i` is the `]` of a dtype, as in `float32[] -2.0`.
  bool EndsTypeOfValue(size_t i) const {
    const Token& token = list_.tokens[i];
    if (token.kind != TokenKind::kPunctuation || token.text != "]") return false;
    auto opening = openings_.find(i);
    return opening != openings_.end() && opening->second > 0 &&
           LookupDType(list_.tokens[opening->second - 1].text).has_value();
  }

  // Returns whether an operator at token `i` has an operand on its left.
  bool IsBinary(size_t i) const {
    if (i == 0) return false;
    const Token& before = list_.tokens[i - 1];
    if (before.kind == TokenKind::kNumber || before.kind == TokenKind::kString) return true;
    if (before.kind == TokenKind::kName) {
      return !IsPythonKeyword(before.text) || before.text == "None" || before.text == "True" ||
             before.text == "False";
    }
    if (before.kind != TokenKind::kPunctuation || EndsTypeOfValue(i - 1)) return false;
    return IsClosing(before.text) || before.text == "?";
  }

  // Returns whether the source has a space before token `i`.
  bool HasSpace(size_t i) const { return list_.tokens[i].begin > list_.tokens[i - 1].end; }

  bool NeedsSpace(size_t i) const {
    const Token& left = list_.tokens[i - 1];
    const Token& right = list_.tokens[i];
    const bool is_left_word = left.kind != TokenKind::kPunctuation;
    const bool is_right_word = right.kind != TokenKind::kPunctuation;
    if (is_left_word && is_right_word) return true;
    const std::string_view a = is_left_word ? "" : left.text;
    const std::string_view b = is_right_word ? "" : right.text;
    if (b == "," || b == ")" || b == "]" || b == "}") return false;
    if (a == ",") return true;
    if (b == ":" || b == ";") return false;
    if (a == "(" || a == "[" || a == "{") return false;
    if (a == ":") return !InIndex();
    // Without the space, a number and a point, or two of one kind, would be another token.
    const bool left_may_join = left.kind == TokenKind::kNumber || a.ends_with('.');
    const bool right_may_join = right.kind == TokenKind::kNumber || b.starts_with('.');
    if (left_may_join && right_may_join && HasSpace(i)) return true;
    if (a == "." || b == "." || a == "@" || a == "$" || a == "?" || b == "?") {
      // `@` is an operator between operands.
      if (a == "@" && i >= 2 && IsBinary(i - 1)) return true;
      return (a == "?" && b != "." && HasSpace(i)) || (b == "$" && HasSpace(i));
    }
    if (a == "=" || b == "=") return !IsKeywordEquals(a == "=" ? i - 1 : i);
    if (a == "->" || b == "->") return true;
    if (a == "<" || b == "<" || a == ">" || b == ">") return NeedsSpaceAtAngle(i, a, b);
    const bool is_left_operator = IsOperator(a);
    const bool is_right_operator = IsOperator(b);
    if (is_left_operator && IsBinary(i - 1)) return true;
    if (b == "(" || b == "[" || b == "{") return HasSpace(i);
    if (EndsTypeOfValue(i - 1)) return true;
    if (is_right_operator) return IsBinary(i) || HasSpace(i);
    if (is_left_operator) return false;
    return HasSpace(i);
  }

  static bool IsOperator(std::string_view text) {
    constexpr std::string_view kOperators[] = {"+",  "-",  "*",  "/",  "//", "%",
                                               "**", "==", "!=", "<=", ">=", "@"};
    return std::find(std::begin(kOperators), std::end(kOperators), text) != std::end(kOperators);
  }

  bool InIndex() const { return !brackets_.empty() && list_.tokens[brackets_.back()].text == "["; }

  // Returns whether the `<` or `>` at token `i` belongs to a type, such as `app.Thing<version=1>`.
  bool IsOfType(size_t i) const {
    const auto& tokens = list_.tokens;
    if (tokens[i].text == "<") {
      return i + 2 < tokens.size() && tokens[i + 1].kind == TokenKind::kName &&
             tokens[i + 2].text == "=";
    }
    for (size_t k = i; k-- > statement_;) {
      if (tokens[k].text == "<") return IsOfType(k);
      if (tokens[k].text == ">") return false;
    }
    return false;
  }

  bool NeedsSpaceAtAngle(size_t i, std::string_view left, std::string_view right) const {
    if (right == "<" || right == ">") return !IsOfType(i);
    if (!IsOfType(i - 1)) return true;
    return left == ">" && HasSpace(i);
  }

  // `k=3` in a call and in `app.Thing<version=1>`, but `k = 3` in signatures, types, and
  // statements.
  bool IsKeywordEquals(size_t i) const {
    for (size_t k = i; k-- > statement_;) {
      if (list_.tokens[k].text == "<" && IsOfType(k)) return true;
      if (list_.tokens[k].text == ">" || list_.tokens[k].text == ":") break;
    }
    if (brackets_.empty() || list_.tokens[brackets_.back()].text == "{") return false;
    return list_.tokens[statement_].text != "def";
  }

  const std::string_view source_;
  const TokenList& list_;
  std::string out_;
  size_t depth_ = 0;                              // of blocks
  std::vector<size_t> indents_;                   // of the blocks in the source
  std::vector<size_t> brackets_;                  // tokens of the open brackets
  absl::flat_hash_map<size_t, size_t> openings_;  // by token of a closing bracket
  size_t comment_ = 0;                            // the next comment
  size_t last_end_ = 0;                           // of the last token or comment in the source
  size_t statement_ = 0;                          // its first token
  bool is_line_open_ = false;
  bool after_decorator_ = false;
  bool after_header_ = false;   // the last line begins a block
  bool after_comment_ = false;  // the last line is a comment
};

// Returns whether two lists have the same tokens.
bool IsSame(const TokenList& a, const TokenList& b) {
  return std::equal(a.tokens.begin(), a.tokens.end(), b.tokens.begin(), b.tokens.end(),
                    [](const Token& x, const Token& y) {
                      return x.kind == y.kind &&
                             (x.text == y.text || (x.is_multiline && y.is_multiline));
                    });
}

}  // namespace

StatusOr<std::string> FormatSource(std::string_view text, std::string_view file) {
  if (text.size() > kMaxSourceBytes) {
    return InvalidArgument(file, ": ", text.size(), " bytes exceed the limit of ", kMaxSourceBytes);
  }
  SIGNET_RETURN_IF_ERROR(At(file, CheckUtf8(text)));
  SourceErrors errors(file, text);
  const TokenList tokens = ReadTokens(text, errors);
  ParseFile(tokens, errors);
  SIGNET_RETURN_IF_ERROR(errors.ToStatus());
  std::string formatted = Formatter(text, tokens).Format();
  SourceErrors ignored(file, formatted);
  if (IsSame(tokens, ReadTokens(formatted, ignored)) && ignored.empty()) return formatted;
  return Internal(file, ": the formatted text has another meaning");
}

}  // namespace signet
