// JsonTokens: returns the tokens of a JSON text, one after another.
//
//   SIGNET_ASSIGN_OR_RETURN(JsonText json, JsonText::Make(text));
//   JsonTokens tokens = json.tokens();                    // [1, "a"]
//   tokens.Take('['); tokens.TakeScalar(); tokens.Take(','); tokens.TakeText(); tokens.Take(']');
//
// simdjson finds the beginnings of tokens (its stage 1, with the best instruction set of the
// processor). It also checks that the text is UTF-8, that strings end, and that strings contain no
// bare control characters. The callers check the order of tokens and the syntax of numbers and
// words. A JsonText borrows its text; JsonTokens borrow both. JsonText is immutable; JsonTokens is
// not thread-safe.

#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include "core/formats/json/json_numbers.h"
#include "signet/status.h"

namespace simdjson::internal {
class dom_parser_implementation;
}

namespace signet {

class JsonTokens;

namespace json {
// By byte: how many levels deeper the text after it is nested.
inline constexpr std::array<int8_t, 256> kDeeper = [] {
  std::array<int8_t, 256> deeper = {};
  deeper['['] = deeper['{'] = 1;
  deeper[']'] = deeper['}'] = -1;
  return deeper;
}();
}  // namespace json

class JsonText {
 public:
  // Uses about four bytes of memory per byte of text. An error starts with the byte offset.
  static StatusOr<JsonText> Make(std::string_view text);
  JsonText(JsonText&&) noexcept;
  ~JsonText();

  std::string_view text() const { return text_; }
  JsonTokens tokens() const;

 private:
  explicit JsonText(std::string_view text);

  std::string_view text_;
  std::unique_ptr<simdjson::internal::dom_parser_implementation> index_;
};

class JsonTokens {
 public:
  // Returns the first byte of the next token: a bracket, `,`, `:`, `"`, or the first byte of a
  // number or word. After the last token, returns 0.
  char Peek() const { return next_ != end_ ? text_[*next_] : '\0'; }
  bool AtEnd() const { return next_ == end_; }
  // Returns the byte offset of the next token, or the size of the text after the last one.
  size_t at() const { return next_ != end_ ? *next_ : size_; }
  // Returns the byte offset of the previous token, which must exist.
  size_t before() const { return *(next_ - 1); }

  // Continues at the position of other tokens of the same text.
  void MoveTo(const JsonTokens& other) { next_ = other.next_; }

  void Pass() { ++next_; }  // skips the next token, which must exist
  bool Take(char token) {
    if (Peek() != token) return false;
    ++next_;
    return true;
  }
  // Consumes the next token, which must be a string. Returns the text between its quotes, with
  // escapes as written.
  std::string_view TakeText() {
    const char* begin = text_ + *next_++ + 1;
    const char* end = text_ + at();  // before the next token: the quote and white space
    while (*--end != '"') {
    }
    return {begin, static_cast<size_t>(end - begin)};
  }
  // Consumes the next token if it is the string `text`, written without escapes. `text` has no
  // quote or backslash.
  bool TakeText(std::string_view text) {
    if (next_ == end_) return false;
    const char* token = text_ + *next_;
    size_t room = static_cast<size_t>(text_ + size_ - token);
    if (room < text.size() + 2 || *token != '"' || token[text.size() + 1] != '"' ||
        !IsSame(token + 1, text.data(), text.size())) {
      return false;
    }
    ++next_;
    return true;
  }
  // Consumes the next token, which must be a number or word. It ends at white space or at a token
  // of one character.
  std::string_view TakeScalar();
  // Returns the text of TakeText with its escapes replaced, valid until `memory` changes. Returns
  // null if an escape is malformed.
  static bool HasEscape(std::string_view text) {
    return std::memchr(text.data(), '\\', text.size()) != nullptr;
  }
  bool Unescape(std::string_view text, std::string& memory) const;

  // Consumes the next token and, in a list, the tokens after commas. Calls `read(token, end of the
  // text)` for each until it returns false.
  template <class Read>
  bool TakeScalars(bool is_list, Read read) {
    const char* text = text_;
    const char* stop = text_ + size_;
    const uint32_t* next = next_;
    const uint32_t* end = end_;
    do {
      if (next == end || !read(text + *next, stop)) return false;
      ++next;
    } while (is_list && next != end && text[*next] == ',' && ++next);
    next_ = next;
    return true;
  }

  // Skips the next value. Counts brackets and checks nothing else.
  bool Skip() {
    if (next_ == end_) return false;
    char first = text_[*next_++];
    if (first == '"') return true;
    if (first == ',' || first == ':') return false;
    int64_t depth = json::kDeeper[static_cast<uint8_t>(first)];
    for (; depth > 0; ++next_) {
      if (next_ == end_) return false;
      depth += json::kDeeper[static_cast<uint8_t>(text_[*next_])];
    }
    return depth == 0;
  }

  // Skips the next value, which must be valid JSON with at most `max_depth` nested lists and
  // objects.
  bool SkipValid(int max_depth);

 private:
  friend class JsonText;

  // Names are short, so this avoids a call.
  static bool IsSame(const char* a, const char* b, size_t size) {
    auto differ = [&]<class Word>(Word, size_t offset) {
      Word x, y;
      std::memcpy(&x, a + offset, sizeof x);
      std::memcpy(&y, b + offset, sizeof y);
      return x != y;
    };
    if (size > 16) return std::memcmp(a, b, size) == 0;
    if (size >= 8) return !(differ(uint64_t{}, 0) || differ(uint64_t{}, size - 8));
    if (size >= 4) return !(differ(uint32_t{}, 0) || differ(uint32_t{}, size - 4));
    for (size_t i = 0; i < size; ++i) {
      if (a[i] != b[i]) return false;
    }
    return true;
  }

  const char* text_ = nullptr;
  const uint32_t* next_ = nullptr;
  const uint32_t* end_ = nullptr;
  size_t size_ = 0;
  const simdjson::internal::dom_parser_implementation* simdjson_ = nullptr;
};

}  // namespace signet
