// JsonEvents: the tokens of JSON as events of a builder: the plain way of reading, which takes all
// that JSON has and states what is wrong.
//
// Internal to the JSON door, and for tests that compare its quick way (json_columns.h) with this
// one. One thread.

#pragma once

#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include <absl/strings/escaping.h>

#include "core/formats/common/allowance.h"
#include "core/formats/json/json_numbers.h"
#include "core/formats/json/json_tokens.h"
#include "core/formats/json/json_words.h"
#include "core/values/builders/value_writer.h"
#include "signet/dtype.h"
#include "signet/value.h"

namespace signet {

// As ValueFromJson and ValueFromJsonLines, by events alone.
StatusOr<Value> ValueFromJsonEvents(std::string_view text, const TypeSpec& spec,
                                    const Limits& limits);
StatusOr<Value> ValueFromJsonLinesEvents(std::string_view text, const TypeSpec& spec,
                                         const Limits& limits);

// Turns tokens into events, of a ValueBuilder or an InferringBuilder.
template <class Builder>
class JsonReader {
 public:
  JsonReader(Builder& builder, bool is_typed, const Limits& limits, JsonTokens tokens)
      : builder_(builder),
        is_typed_(is_typed),
        skips_unknown_keys_(!limits.reject_unknown_fields),
        max_depth_(limits.nesting_depth),
        allowance_(limits),
        tokens_(tokens) {}

  const JsonTokens& tokens() const { return tokens_; }

  // One value; a refusal starts with the byte.
  Status Read() {
    Status status = Read(0);
    return status.ok() ? status : At(Cat("byte ", at_), std::move(status));
  }

 private:
  Status Read(int depth) {
    at_ = tokens_.at();
    switch (tokens_.Peek()) {
      case '[':
        return ReadList(depth);
      case '{':
        return ReadObject(depth);
      case '"':
        return ReadString();
      case ']':
      case '}':
      case ',':
      case ':':
        return Expected("a JSON value");
      default:
        return tokens_.AtEnd() ? Expected("a JSON value") : ReadScalar(tokens_.TakeScalar());
    }
  }

  Status ReadList(int depth) {
    SIGNET_RETURN_IF_ERROR(CheckDepth(depth + 1));
    SIGNET_RETURN_IF_ERROR(builder_.BeginList());
    tokens_.Pass();
    if (!tokens_.Take(']')) {
      do {
        SIGNET_RETURN_IF_ERROR(Read(depth + 1));
      } while (tokens_.Take(','));
      if (!tokens_.Take(']')) return Expected("`,` or `]`");
    }
    return builder_.EndList();
  }

  Status ReadObject(int depth) {
    SIGNET_RETURN_IF_ERROR(CheckDepth(depth + 1));
    // {"b64": "..."} is a string, except where the type has an object.
    bool may_be_bytes = !is_typed_ || !builder_.TakesObject();
    std::optional<std::string> bytes;  // the first field, when it is "b64" with a text
    bool is_first = true;
    tokens_.Pass();
    if (!tokens_.Take('}')) {
      do {
        if (tokens_.Peek() != '"') return Expected("a key");
        at_ = tokens_.at();
        SIGNET_ASSIGN_OR_RETURN(std::string_view key, TakeText());
        if (!tokens_.Take(':')) return Expected("`:`");
        if (IsTypeKey(key)) {
          if (key == kTypeKey && !builder_.IsTypePart(key)) return UnexpectedTypeKey();
          if (key != kTypeKey) key.remove_prefix(1);  // `$$type` is a dict's own `$type`
        }
        if (is_first && may_be_bytes && key == "b64" && tokens_.Peek() == '"') {
          SIGNET_ASSIGN_OR_RETURN(bytes, TakeText());
          is_first = false;
          continue;
        }
        if (is_first || bytes) SIGNET_RETURN_IF_ERROR(builder_.BeginObject());
        if (bytes) {  // a key behind it: an ordinary object
          SIGNET_RETURN_IF_ERROR(builder_.Key("b64"));
          SIGNET_RETURN_IF_ERROR(builder_.String(*bytes));
          bytes.reset();
        }
        is_first = false;
        bool is_skipped =
            !builder_.TakesKey(key) && (skips_unknown_keys_ || builder_.IsTypePart(key));
        if (is_skipped) {
          if (!tokens_.SkipValid(max_depth_ - depth)) return Expected("a JSON value");
          continue;
        }
        SIGNET_RETURN_IF_ERROR(builder_.Key(key));
        SIGNET_RETURN_IF_ERROR(Read(depth + 1));
      } while (tokens_.Take(','));
      if (!tokens_.Take('}')) return Expected("`,` or `}`");
    }
    if (bytes) return ReadBase64(*bytes);
    if (is_first) SIGNET_RETURN_IF_ERROR(builder_.BeginObject());
    return builder_.EndObject();
  }

  Status ReadBase64(std::string_view text) {
    std::string bytes;
    if (!absl::Base64Unescape(absl::string_view(text.data(), text.size()), &bytes)) {
      return Refused(InvalidArgument("`", Printable(text), "` under `b64`; takes base64"));
    }
    return builder_.String(bytes);
  }

  Status ReadString() {
    SIGNET_ASSIGN_OR_RETURN(std::string_view text, TakeText());
    if (TakesFloat()) {
      if (auto number = FloatOfJsonWord(text)) return builder_.Float(*number);
    }
    return builder_.String(text);
  }

  Status ReadScalar(std::string_view token) {
    if (token == "true" || token == "false") return builder_.Bool(token == "true");
    if (token == "null") return builder_.Null();
    json::NumberForm form = json::FormOf(token);
    if (!form.is_number) {
      auto quoted = TakesFloat() ? QuotedFormOf(token) : std::nullopt;
      return Refused(InvalidArgument("`", Printable(token), "`; takes a JSON value",
                                     quoted ? Cat(", as which it is \"", *quoted, "\"") : ""));
    }
    bool is_minus_zero = token == "-0" && TakesFloat();
    if (form.is_integer && !is_minus_zero) {
      if (auto number = json::ParseInteger(token)) return builder_.Int(*number);
      // Some programs write a large float without a point.
      if (!TakesFloat()) return TooLarge(token, "integers have at most 64 bits");
    }
    double number = json::ParseFloat(token);
    if (std::isinf(number)) {
      return TooLarge(token, Cat("the largest float64 is ", std::numeric_limits<double>::max()));
    }
    return builder_.Float(number);
  }

  Status TooLarge(std::string_view token, std::string_view what) const {
    return Refused(WithReason("OUT_OF_RANGE", OutOfRange("`", Printable(token), "`; ", what)));
  }

  // The next token, which is a string; good until the next one.
  StatusOr<std::string_view> TakeText() {
    at_ = tokens_.at();
    std::string_view text = tokens_.TakeText();
    if (!JsonTokens::HasEscape(text)) return text;
    if (tokens_.Unescape(text, memory_)) return std::string_view(memory_);
    return Refused(InvalidArgument("text with a broken escape or a lone surrogate"));
  }

  bool TakesFloat() const {
    auto dtype = builder_.ScalarDType();
    return dtype && (IsFloat(*dtype) || IsComplex(*dtype));
  }

  Status CheckDepth(int depth) const {
    Status status = allowance_.CheckDepth(depth);
    return status.ok() ? status : Refused(std::move(status));
  }

  Status UnexpectedTypeKey() const {
    return Refused(
        Refuse("STRUCTURE_MISMATCH", "expected another key than `$type`, which names the ",
               "extension type of a value; a dict's own key `$type` is written `$$type`"));
  }

  // The next token is something else.
  Status Expected(std::string_view what) {
    at_ = tokens_.at();
    if (tokens_.AtEnd()) return Refused(InvalidArgument("the text ends; takes ", what));
    return Refused(InvalidArgument("`", Printable(tokens_.TakeScalar()), "`; takes ", what));
  }

  // With the path, as the builder has it.
  Status Refused(Status status) const {
    std::string path = builder_.Path();
    if (path.empty()) return status;
    return WithField(path, At(Cat("`", path, "`"), std::move(status)));
  }

  Builder& builder_;
  const bool is_typed_;
  const bool skips_unknown_keys_;
  const int max_depth_;
  const Allowance allowance_;
  JsonTokens tokens_;
  size_t at_ = 0;       // where the last token begins
  std::string memory_;  // of an unescaped text
};

}  // namespace signet
