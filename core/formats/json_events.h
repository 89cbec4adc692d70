// JsonEvents: the tokens of JSON as events of a builder: the plain way of reading, which takes all
// that JSON has and states what is wrong.
//
// Internal to the JSON door, and for tests that compare its quick way (json_columns.h) with this
// one. One thread.

#pragma once

#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include <absl/numeric/int128.h>
#include <absl/strings/escaping.h>
#include <simdjson.h>

#include "core/formats/allowance.h"
#include "core/formats/json_words.h"
#include "core/types/dtype.h"
#include "core/values/value.h"

namespace signet {

// As ValueFromJson and ValueFromJsonLines, by events alone.
StatusOr<Value> ValueFromJsonEvents(std::string_view text, const TypeSpec& spec,
                                    const Limits& limits);
StatusOr<Value> ValueFromJsonLinesEvents(std::string_view text, const TypeSpec& spec,
                                         const Limits& limits);

namespace json {

std::string_view TrimEnd(std::string_view token);  // less the white space behind it

// JSON's grammar of numbers: -? (0 | [1-9][0-9]*) (.[0-9]+)? ([eE][+-]?[0-9]+)?
struct NumberForm {
  bool is_number = false;
  bool is_integer = false;
};
NumberForm FormOf(std::string_view text);
// The integer, when it fits 64 bits, signed or unsigned.
std::optional<absl::int128> ParseInteger(std::string_view text);
// Too large: infinity; too small: 0.
double ParseFloat(std::string_view text);

// What is wrong with a text, by simdjson's account.
Status Malformed(simdjson::error_code error);

}  // namespace json

// Turns the tokens of one value into events, of a ValueBuilder or an InferringBuilder.
template <class Builder>
class JsonReader {
 public:
  JsonReader(Builder& builder, bool is_typed, const Limits& limits)
      : builder_(builder), is_typed_(is_typed), allowance_(limits) {}

  // Where the last token began.
  const char* at() const { return at_; }

  Status Read(simdjson::ondemand::value value, int depth) {
    simdjson::ondemand::json_type type;
    std::string_view token = value.raw_json_token();
    at_ = token.data();
    if (auto error = value.type().get(type)) return json::Malformed(error);
    switch (type) {
      case simdjson::ondemand::json_type::array:
        return ReadList(value, depth);
      case simdjson::ondemand::json_type::object:
        return ReadObject(value, depth);
      case simdjson::ondemand::json_type::string:
        return ReadString(value);
      case simdjson::ondemand::json_type::number:
        return ReadNumber(value, json::TrimEnd(token));
      case simdjson::ondemand::json_type::boolean:
      case simdjson::ondemand::json_type::null:
        return ReadWord(json::TrimEnd(token));
    }
    return json::Malformed(simdjson::TAPE_ERROR);
  }

 private:
  Status ReadList(simdjson::ondemand::value& value, int depth) {
    SIGNET_RETURN_IF_ERROR(allowance_.CheckDepth(depth + 1));
    SIGNET_RETURN_IF_ERROR(builder_.BeginList());
    simdjson::ondemand::array list;
    if (auto error = value.get_array().get(list)) return json::Malformed(error);
    for (auto element : list) {
      simdjson::ondemand::value child;
      if (auto error = element.get(child)) return json::Malformed(error);
      SIGNET_RETURN_IF_ERROR(Read(child, depth + 1));
    }
    return builder_.EndList();
  }

  Status ReadObject(simdjson::ondemand::value& value, int depth) {
    SIGNET_RETURN_IF_ERROR(allowance_.CheckDepth(depth + 1));
    simdjson::ondemand::object object;
    if (auto error = value.get_object().get(object)) return json::Malformed(error);
    // {"b64": "..."} is a string, except where the type has an object.
    bool may_be_bytes = !is_typed_ || !builder_.TakesObject();
    std::optional<std::string_view> bytes;  // the first field, when it is "b64" with a text
    bool is_first = true;
    for (auto entry : object) {
      simdjson::ondemand::field field;
      if (auto error = std::move(entry).get(field)) return json::Malformed(error);
      at_ = field.key().raw() - 1;  // from the quote on
      std::string_view key;
      if (auto error = field.unescaped_key().get(key)) return json::Malformed(error);
      simdjson::ondemand::value child = field.value();
      if (is_first && may_be_bytes && key == "b64" && IsText(child)) {
        std::string_view text;
        if (auto error = child.get_string().get(text)) return json::Malformed(error);
        bytes = text;
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
      SIGNET_RETURN_IF_ERROR(builder_.Key(key));
      SIGNET_RETURN_IF_ERROR(Read(child, depth + 1));
    }
    if (bytes) return ReadBase64(*bytes);
    if (is_first) SIGNET_RETURN_IF_ERROR(builder_.BeginObject());
    return builder_.EndObject();
  }

  static bool IsText(simdjson::ondemand::value& value) {
    simdjson::ondemand::json_type type;
    return value.type().get(type) == simdjson::SUCCESS &&
           type == simdjson::ondemand::json_type::string;
  }

  Status ReadBase64(std::string_view text) {
    std::string bytes;
    if (!absl::Base64Unescape(absl::string_view(text.data(), text.size()), &bytes)) {
      return InvalidArgument("`", Printable(text), "` under `b64`; takes base64");
    }
    return builder_.String(bytes);
  }

  Status ReadString(simdjson::ondemand::value& value) {
    std::string_view text;
    if (auto error = value.get_string().get(text)) return json::Malformed(error);
    if (TakesFloat()) {
      if (auto number = FloatOfJsonWord(text)) return builder_.Float(*number);
    }
    return builder_.String(text);
  }

  Status ReadNumber(simdjson::ondemand::value& value, std::string_view token) {
    json::NumberForm form = json::FormOf(token);
    if (!form.is_number) return Unexpected(token);
    bool is_minus_zero = token == "-0" && TakesFloat();
    if (form.is_integer && !is_minus_zero) {
      if (auto number = json::ParseInteger(token)) return builder_.Int(*number);
      // Some programs write a large float without a point.
      if (!TakesFloat()) {
        return WithReason("OUT_OF_RANGE",
                          OutOfRange("`", Printable(token), "`; integers have at most 64 bits"));
      }
    }
    double number = 0;
    if (value.get_double().get(number)) number = json::ParseFloat(token);  // out of range
    if (number > std::numeric_limits<double>::max() ||
        number < std::numeric_limits<double>::lowest()) {
      return WithReason("OUT_OF_RANGE",
                        OutOfRange("`", Printable(token), "`; the largest float64 is ",
                                   std::numeric_limits<double>::max()));
    }
    return builder_.Float(number);
  }

  Status ReadWord(std::string_view token) {
    if (token == "true" || token == "false") return builder_.Bool(token == "true");
    if (token == "null") return builder_.Null();
    return Unexpected(token);
  }

  static Status Unexpected(std::string_view token) {
    return InvalidArgument("`", Printable(token), "`; takes a JSON value");
  }

  bool TakesFloat() const {
    auto dtype = builder_.ScalarDType();
    return dtype && (IsFloat(*dtype) || IsComplex(*dtype));
  }

  Builder& builder_;
  const bool is_typed_;
  const Allowance allowance_;
  const char* at_ = nullptr;
};

}  // namespace signet
