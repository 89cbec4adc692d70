// JsonTokens: the tokens of a JSON text, one after another.
//
//   SIGNET_ASSIGN_OR_RETURN(JsonText json, JsonText::Make(text));
//   JsonTokens tokens = json.tokens();                    // [1, "a"]
//   tokens.Take('['); tokens.TakeScalar(); tokens.Take(','); tokens.TakeText(); tokens.Take(']');
//
// simdjson finds where tokens begin (its stage 1, in the best way that the processor at hand has)
// and sees to it that the text is UTF-8 and that strings end and hold no bare control characters.
// The order of tokens, and what numbers and words are made of, is for those who take them. A
// JsonText borrows its text; JsonTokens borrow both. Immutable, and one thread.

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
// By byte: how much deeper what follows it is nested.
inline constexpr std::array<int8_t, 256> kDeeper = [] {
  std::array<int8_t, 256> deeper = {};
  deeper['['] = deeper['{'] = 1;
  deeper[']'] = deeper['}'] = -1;
  return deeper;
}();
}  // namespace json

class JsonText {
 public:
  // Takes some four bytes a byte of text. A refusal starts with the byte.
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
  // The first byte of the next token: a bracket, `,`, `:`, `"`, or that of a number or word.
  // Behind the last, 0.
  char Peek() const { return next_ != end_ ? text_[*next_] : '\0'; }
  bool AtEnd() const { return next_ == end_; }
  // Where the next token begins, in bytes; behind the last, the size of the text.
  size_t at() const { return next_ != end_ ? *next_ : size_; }
  // Where the one before it begins; there is one.
  size_t before() const { return *(next_ - 1); }

  // Goes to where other tokens of the same text are.
  void MoveTo(const JsonTokens& other) { next_ = other.next_; }

  void Pass() { ++next_; }  // the next token; there is one
  bool Take(char token) {
    if (Peek() != token) return false;
    ++next_;
    return true;
  }
  // The next token is a string: what is between its quotes, escapes as they are written.
  std::string_view TakeText() {
    const char* begin = text_ + *next_++ + 1;
    const char* end = text_ + at();  // what is before the next token is the quote and white space
    while (*--end != '"') {
    }
    return {begin, static_cast<size_t>(end - begin)};
  }
  // Takes the next token if it is the string `text`, which has no quote or backslash, written
  // without escapes.
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
  // The next token is a number or word: up to white space or what is a token by itself.
  std::string_view TakeScalar();
  // What TakeText gave, with its escapes replaced, as long as `memory` is left alone; null where
  // one is broken.
  static bool HasEscape(std::string_view text) {
    return std::memchr(text.data(), '\\', text.size()) != nullptr;
  }
  bool Unescape(std::string_view text, std::string& memory) const;

  // Takes the next token and, of a list, those behind commas, by `read(token, end of the text)`
  // for each, until it returns false.
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

  // Passes over the next value, of which brackets are counted and nothing else is looked at.
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

  // Passes over the next value, which has to be JSON and at most `max_depth` lists and objects
  // deep.
  bool SkipValid(int max_depth);

 private:
  friend class JsonText;

  // Names are short: no call.
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
