// JsonEvents: converts the tokens of JSON to events of a builder. This is the general way to read
// JSON; it supports every form and reports errors.
//
// Internal to core/formats/json, and for tests that compare json_columns.h with it. Not
// thread-safe.

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

// Like ValueFromJson and ValueFromJsonLines, but always with events.
StatusOr<Value> ValueFromJsonEvents(std::string_view text, const TypeSpec& spec,
                                    const Limits& limits);
StatusOr<Value> ValueFromJsonLinesEvents(std::string_view text, const TypeSpec& spec,
                                         const Limits& limits);

// Sends the tokens as events to a ValueBuilder or an InferringBuilder.
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

  // Reads one value. An error starts with the byte offset.
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
    // {"b64": "..."} is a string, unless the type has an object here.
    bool may_be_bytes = !is_typed_ || !builder_.TakesObject();
    std::optional<std::string> bytes;  // the first field, if it is "b64" with a string
    bool is_first = true;
    tokens_.Pass();
    if (!tokens_.Take('}')) {
      do {
        if (tokens_.Peek() != '"') return Expected("a key in quotation marks");
        at_ = tokens_.at();
        SIGNET_ASSIGN_OR_RETURN(std::string_view key, TakeText());
        if (!tokens_.Take(':')) return Expected("`:`");
        if (IsTypeKey(key)) {
          if (key == kTypeKey && !builder_.IsTypePart(key)) return UnexpectedTypeKey();
          if (key != kTypeKey) key.remove_prefix(1);  // `$$type` is the key `$type` of a dict
        }
        if (is_first && may_be_bytes && key == "b64" && tokens_.Peek() == '"') {
          SIGNET_ASSIGN_OR_RETURN(bytes, TakeText());
          is_first = false;
          continue;
        }
        if (is_first || bytes) SIGNET_RETURN_IF_ERROR(builder_.BeginObject());
        if (bytes) {  // another key follows: an ordinary object
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
      return WithPlace(
          InvalidArgument("expected base64 text under `b64`, found `", Printable(text), "`"));
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
      return WithPlace(InvalidArgument("expected a JSON value, found `", Printable(token), "`",
                                       quoted ? Cat("; write \"", *quoted, "\"") : ""));
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
    return WithPlace(WithReason("OUT_OF_RANGE", OutOfRange("`", Printable(token), "`; ", what)));
  }

  // Returns the next token, which is a string. The text is valid until the next string.
  StatusOr<std::string_view> TakeText() {
    at_ = tokens_.at();
    std::string_view text = tokens_.TakeText();
    if (!JsonTokens::HasEscape(text)) return text;
    if (tokens_.Unescape(text, memory_)) return std::string_view(memory_);
    return WithPlace(InvalidArgument("text contains a broken escape or a lone surrogate"));
  }

  bool TakesFloat() const {
    auto dtype = builder_.ScalarDType();
    return dtype && (IsFloat(*dtype) || IsComplex(*dtype));
  }

  Status CheckDepth(int depth) const {
    Status status = allowance_.CheckDepth(depth);
    return status.ok() ? status : WithPlace(std::move(status));
  }

  Status UnexpectedTypeKey() const {
    return WithPlace(InvalidWithReason(
        "STRUCTURE_MISMATCH", "expected a key other than `$type`, which names the ",
        "extension type of a value; a dict's own key `$type` is written `$$type`"));
  }

  // Returns the error for a next token that is not `what`.
  Status Expected(std::string_view what) {
    at_ = tokens_.at();
    if (tokens_.AtEnd())
      return WithPlace(InvalidArgument("expected ", what, ", found the end of the text"));
    return WithPlace(
        InvalidArgument("expected ", what, ", found `", Printable(tokens_.TakeScalar()), "`"));
  }

  // Adds the path of the builder.
  Status WithPlace(Status status) const {
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
  std::string memory_;  // for an unescaped string
};

}  // namespace signet
