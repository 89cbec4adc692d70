#include "core/model/language/syntax/lexer.h"

#include <algorithm>
#include <charconv>
#include <deque>

#include "core/base/utf8.h"
#include "core/model/language/syntax/limits.h"
#include "signet/literal.h"

namespace signet {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

// Punctuation of two or three characters. All other punctuation has one.
constexpr std::string_view kLongPunctuation[] = {"...", "**", "//", "->", "==", "!=", "<=", ">="};
constexpr std::string_view kPunctuation = "()[]{}<>,:;.=+-*/%@?$~!&|^";

void AppendUtf8(uint32_t code, std::string& out) {
  auto byte = [&](uint32_t value) { out.push_back(static_cast<char>(value)); };
  if (code < 0x80) {
    byte(code);
  } else if (code < 0x800) {
    byte(0xC0 | (code >> 6));
    byte(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    byte(0xE0 | (code >> 12));
    byte(0x80 | ((code >> 6) & 0x3F));
    byte(0x80 | (code & 0x3F));
  } else {
    byte(0xF0 | (code >> 18));
    byte(0x80 | ((code >> 12) & 0x3F));
    byte(0x80 | ((code >> 6) & 0x3F));
    byte(0x80 | (code & 0x3F));
  }
}

// Returns the character in `text`, which is UTF-8, and what to write in its place. Characters that
// are not visible have their number.
std::string DescribeCharacter(std::string_view text) {
  uint32_t code = static_cast<unsigned char>(text[0]);
  if (text.size() > 1) {
    code &= 0x7Fu >> text.size();
    for (char c : text.substr(1)) code = code << 6 | (static_cast<unsigned char>(c) & 0x3F);
  }
  const bool is_space = code == 0xA0 || code == 0x3000 || code == 0xFEFF ||
                        (code >= 0x2000 && code <= 0x200F) || (code >= 0x2028 && code <= 0x202F) ||
                        (code >= 0x205F && code <= 0x206F);
  if (is_space) {
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    std::string number = "U+";
    for (int shift = 12; shift >= 0; shift -= 4) number += kDigits[code >> shift & 15];
    return Cat(number, ", which is not visible; write a space or nothing");
  }
  const std::string shown = Cat("`", Printable(text), "`");
  if (code >= 0x2018 && code <= 0x201F) return Cat(shown, "; quotation marks are `\"` and `'`");
  if (code >= 0x80) return Cat(shown, "; names have ASCII letters, digits, and underscores");
  return shown;
}

class Lexer {
 public:
  Lexer(std::string_view source, SourceErrors& errors) : source_(source), errors_(errors) {}

  TokenList Read() && {
    if (source_.starts_with("\xEF\xBB\xBF")) position_ = 3;  // a byte order mark
    while (position_ < source_.size() && !errors_.is_full()) {
      if (out_.tokens.size() >= kMaxTokens) {
        errors_.Add(position_, Cat("the file exceeds the limit of ", kMaxTokens, " tokens"));
        position_ = source_.size();
      } else if (at_line_start_) {
        ReadIndentation();
      } else {
        ReadToken();
      }
    }
    position_ = source_.size();
    if (!brackets_.empty()) ReportOpenBracket();
    EndStatement();
    CloseBlocks(0);
    Add(Token::Kind::kEnd, position_, position_);
    // The contents of strings have their final addresses only now.
    size_t next = 0;
    out_.strings.assign(std::make_move_iterator(strings_.begin()),
                        std::make_move_iterator(strings_.end()));
    for (Token& token : out_.tokens) {
      if (token.kind == Token::Kind::kString) token.text = out_.strings[next++];
    }
    return std::move(out_);
  }

 private:
  void Add(Token::Kind kind, size_t begin, size_t end) {
    std::string_view text = source_.substr(begin, end - begin);
    if (kind == Token::Kind::kNewline || kind == Token::Kind::kIndent ||
        kind == Token::Kind::kDedent) {
      text = {};
    }
    // Tokens that touch each other also touch each other in the notation.
    if (!out_.notation.empty() && begin > last_end_) out_.notation.push_back(' ');
    out_.tokens.push_back({.kind = kind,
                           .begin = static_cast<uint32_t>(begin),
                           .end = static_cast<uint32_t>(end),
                           .notation = static_cast<uint32_t>(out_.notation.size()),
                           .text = text});
    if (kind == Token::Kind::kNewline) out_.notation.push_back('\n');
    out_.notation.append(text);
    last_end_ = end;
  }

  // --- lines and blocks

  void ReadIndentation() {
    at_line_start_ = false;
    const size_t begin = position_;
    while (position_ < source_.size() && source_[position_] == ' ') ++position_;
    const char c = position_ < source_.size() ? source_[position_] : '\n';
    if (c == '\t') return ReadTabs();
    if (c == '\n' || c == '\r' || c == '#') return;  // an empty line
    const size_t indent = position_ - begin;
    if (indent > indents_.back()) {
      indents_.push_back(indent);
      if (indents_.size() > kMaxSyntaxDepth) {
        errors_.Add(position_, Cat("the depth of blocks exceeds the limit of ", kMaxSyntaxDepth));
      }
      Add(Token::Kind::kIndent, position_, position_);
    } else {
      CloseBlocks(indent);
    }
  }

  // Reports the first tab. The line is in the block of the line before, or in one that it begins.
  void ReadTabs() {
    const size_t tab = position_;
    position_ = std::min(source_.find_first_not_of("\t ", position_), source_.size());
    if (position_ == source_.size() ||
        std::string_view("\n\r#").find(source_[position_]) != std::string_view::npos) {
      return;  // an empty line
    }
    if (!has_tab_) errors_.Add(tab, "expected spaces for the indentation, found a tab");
    has_tab_ = true;
    const size_t count = out_.tokens.size();
    if (count < 2 || out_.tokens[count - 2].text != ":") return;
    indents_.push_back(indents_.back() + 1);
    Add(Token::Kind::kIndent, position_, position_);
  }

  void CloseBlocks(size_t indent) {
    while (indent < indents_.back()) {
      indents_.pop_back();
      Add(Token::Kind::kDedent, position_, position_);
    }
    if (indent == indents_.back()) return;
    errors_.Add(position_, Cat("expected the indentation of an enclosing block, found ", indent,
                               indent == 1 ? " space" : " spaces"));
  }

  void EndStatement() {
    const bool is_open = !out_.tokens.empty() && out_.tokens.back().kind != Token::Kind::kNewline &&
                         out_.tokens.back().kind != Token::Kind::kDedent &&
                         out_.tokens.back().kind != Token::Kind::kIndent;
    if (is_open) Add(Token::Kind::kNewline, last_end_, last_end_);
  }

  // A statement at the start of a line means that a bracket before it was not closed.
  bool StartsDeclaration(size_t begin) const {
    for (std::string_view word : {"def ", "class ", "capture ", "metadata "}) {
      if (source_.substr(begin).starts_with(word)) return true;
    }
    return false;
  }

  void ReportOpenBracket() {
    errors_.Add(brackets_.back(), Cat("`", source_.substr(brackets_.back(), 1), "` is not closed"));
    brackets_.clear();
  }

  // --- tokens

  void ReadToken() {
    const char c = source_[position_];
    if (c == '\n') {
      if (!brackets_.empty() && StartsDeclaration(position_ + 1)) ReportOpenBracket();
      if (brackets_.empty()) {
        EndStatement();
        at_line_start_ = true;
      }
      ++position_;
    } else if (c == ' ' || c == '\t' || c == '\r') {
      ++position_;
    } else if (c == '#') {
      const size_t begin = position_;
      position_ = std::min(source_.find('\n', position_), source_.size());
      size_t end = position_;
      while (end > begin && (source_[end - 1] == '\r' || source_[end - 1] == ' ')) --end;
      out_.comments.push_back({static_cast<uint32_t>(begin), static_cast<uint32_t>(end)});
    } else if (c == '\\' && (source_.substr(position_ + 1).starts_with("\n") ||
                             source_.substr(position_ + 1).starts_with("\r\n"))) {
      position_ = source_.find('\n', position_) + 1;
    } else if (c == '"' || c == '\'') {
      ReadString(position_, /*is_raw=*/false);
    } else if (c == 'r' && position_ + 1 < source_.size() &&
               (source_[position_ + 1] == '"' || source_[position_ + 1] == '\'')) {
      const size_t begin = position_++;
      ReadString(begin, /*is_raw=*/true);
    } else if (IsLetter(c)) {
      const size_t begin = position_;
      while (position_ < source_.size() &&
             (IsLetter(source_[position_]) || IsDigit(source_[position_])))
        ++position_;
      Add(Token::Kind::kName, begin, position_);
    } else if (IsDigit(c) ||
               (c == '.' && position_ + 1 < source_.size() && IsDigit(source_[position_ + 1]))) {
      ReadNumber();
    } else {
      ReadPunctuation(c);
    }
  }

  void ReadNumber() {
    const size_t begin = position_;
    if (source_[begin] == '0' && begin + 1 < source_.size() &&
        (source_[begin + 1] == 'x' || source_[begin + 1] == 'X')) {
      position_ += 2;
      while (position_ < source_.size() &&
             (IsLetter(source_[position_]) || IsDigit(source_[position_])))
        ++position_;
      return Add(Token::Kind::kNumber, begin, position_);
    }
    while (position_ < source_.size()) {
      const char c = source_[position_];
      const char last = position_ > begin ? source_[position_ - 1] : '\0';
      const bool is_sign = (c == '+' || c == '-') && (last == 'e' || last == 'E');
      if (!IsDigit(c) && c != '.' && c != '_' && c != 'e' && c != 'E' && !is_sign) break;
      // `1...` in a slice, and `1.field`, are not parts of the number.
      if (c == '.' && source_.substr(position_).starts_with("..")) break;
      ++position_;
    }
    Add(Token::Kind::kNumber, begin, position_);
  }

  void ReadPunctuation(char c) {
    for (std::string_view text : kLongPunctuation) {
      if (!source_.substr(position_).starts_with(text)) continue;
      Add(Token::Kind::kPunctuation, position_, position_ + text.size());
      position_ += text.size();
      return;
    }
    if (kPunctuation.find(c) == std::string_view::npos) {
      const size_t length = std::max<size_t>(Utf8Length(source_.substr(position_)), 1);
      errors_.Add(position_, Cat("unexpected character ",
                                 DescribeCharacter(source_.substr(position_, length))));
      position_ += length;
      // The rest of a word is not reported as another error.
      while (position_ < source_.size() &&
             (IsLetter(source_[position_]) || IsDigit(source_[position_]) ||
              static_cast<unsigned char>(source_[position_]) >= 0x80)) {
        ++position_;
      }
      return;
    }
    if (c == '(' || c == '[' || c == '{') {
      brackets_.push_back(position_);
      if (brackets_.size() > kMaxSyntaxDepth) {
        errors_.Add(position_, Cat("the depth of brackets exceeds the limit of ", kMaxSyntaxDepth));
        position_ = source_.size();
        brackets_.clear();
        return;
      }
    } else if (c == ')' || c == ']' || c == '}') {
      const char open = c == ')' ? '(' : c == ']' ? '[' : '{';
      if (brackets_.empty()) {
        errors_.Add(position_, Cat("`", c, "` has no opening bracket"));
        ++position_;
        return;
      }
      const char found = source_[brackets_.back()];
      if (found != open) {
        const char wanted = found == '(' ? ')' : found == '[' ? ']' : '}';
        errors_.Add(position_,
                    Cat("expected `", wanted, "`, which closes the `", found, "` of line ",
                        PositionOf(source_, brackets_.back()).line, ", found `", c, "`"));
        // One closing bracket is missing if the next outer bracket fits.
        brackets_.pop_back();
        if (brackets_.empty() || source_[brackets_.back()] != open) {
          Add(Token::Kind::kPunctuation, position_, position_ + 1);
          ++position_;
          return;
        }
      }
      brackets_.pop_back();
    }
    Add(Token::Kind::kPunctuation, position_, position_ + 1);
    ++position_;
  }

  // --- strings

  // Reads a string whose quotation mark is at `position_`. `begin` includes the prefix.
  void ReadString(size_t begin, bool is_raw) {
    const char quote = source_[position_];
    const std::string triple(3, quote);
    const bool is_long = source_.substr(position_).starts_with(triple);
    position_ += is_long ? 3 : 1;
    std::string content;
    while (true) {
      if (position_ >= source_.size() || (!is_long && source_[position_] == '\n')) {
        errors_.Add(begin, Cat("expected a closing `", is_long ? triple : std::string(1, quote),
                               "` of this text, found the end of the ", is_long ? "file" : "line"));
        break;
      }
      const char c = source_[position_];
      if (is_long ? source_.substr(position_).starts_with(triple) : c == quote) {
        position_ += is_long ? 3 : 1;
        break;
      }
      if (c == '\\' && is_raw) {
        content.append(source_.substr(position_, 2));
        position_ = std::min(position_ + 2, source_.size());
      } else if (c == '\\') {
        ReadEscape(content);
      } else if (c == '\r' && source_.substr(position_).starts_with("\r\n")) {
        ++position_;
      } else {
        content.push_back(c);
        ++position_;
      }
    }
    Add(Token::Kind::kString, begin, begin);
    Token& token = out_.tokens.back();
    token.end = static_cast<uint32_t>(position_);
    token.is_multiline = is_long;
    last_end_ = position_;
    out_.notation.append(Quote(content));
    strings_.push_back(std::move(content));
  }

  void ReadEscape(std::string& content) {
    const size_t begin = position_++;
    const bool is_end = position_ >= source_.size();
    const char c = is_end ? ' ' : source_[position_];
    if (!is_end) ++position_;
    switch (c) {
      case '\n':
        return;
      case '\\':
      case '\'':
      case '"':
        return content.push_back(c);
      case 'n':
        return content.push_back('\n');
      case 't':
        return content.push_back('\t');
      case 'r':
        return content.push_back('\r');
      case '0':
        return content.push_back('\0');
      case 'x':
      case 'u':
      case 'U':
        return ReadCode(begin, c, content);
      default:
        errors_.Add(begin,
                    "expected one of the escapes \\\\ \\' \\\" \\n \\t \\r \\0 \\xNN \\uNNNN "
                    "\\UNNNNNNNN");
    }
  }

  void ReadCode(size_t begin, char kind, std::string& content) {
    const size_t digits = kind == 'x' ? 2 : kind == 'u' ? 4 : 8;
    const std::string_view text = source_.substr(std::min(position_, source_.size()), digits);
    uint32_t code = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), code, 16);
    const bool is_code = text.size() == digits && error == std::errc() &&
                         end == text.data() + text.size() && code <= 0x10FFFF &&
                         (kind == 'x' || code < 0xD800 || code > 0xDFFF);
    if (!is_code) {
      errors_.Add(begin,
                  Cat("expected ", digits, " hex digits of a character after `\\", kind, "`"));
      return;
    }
    position_ += digits;
    if (kind == 'x') {
      content.push_back(static_cast<char>(code));
    } else {
      AppendUtf8(code, content);
    }
  }

  const std::string_view source_;
  SourceErrors& errors_;
  size_t position_ = 0;
  size_t last_end_ = 0;  // of the last token
  bool at_line_start_ = true;
  bool has_tab_ = false;               // at the start of a line
  std::vector<size_t> indents_ = {0};  // of the open blocks
  std::vector<size_t> brackets_;       // positions of the open brackets
  std::deque<std::string> strings_;
  TokenList out_;
};

}  // namespace

TokenList ReadTokens(std::string_view source, SourceErrors& errors) {
  return Lexer(source, errors).Read();
}

std::string DescribeToken(const Token& token) {
  switch (token.kind) {
    case Token::Kind::kName:
    case Token::Kind::kNumber:
    case Token::Kind::kPunctuation:
      return Cat("`", Printable(token.text), "`");
    case Token::Kind::kString:
      return Cat("the text ", Printable(Quote(token.text)));
    case Token::Kind::kNewline:
      return "the end of the line";
    case Token::Kind::kIndent:
      return "an indented line";
    case Token::Kind::kDedent:
      return "the end of the block";
    case Token::Kind::kEnd:
      return "the end of the file";
  }
  return "";
}

}  // namespace signet
