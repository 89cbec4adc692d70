// Reads JSON with simdjson's on-demand parser, which finds the structure of a text and checks its
// UTF-8 at once. What is as its type says goes straight into columns (json_columns.h); all else is
// read again, its tokens as builder events. Every text is read as the elements of an array: `TEXT`
// as `[TEXT]`, and lines as `[LINE,LINE]`.

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <absl/strings/escaping.h>
#include <simdjson.h>

#include "core/formats/allowance.h"
#include "core/formats/json.h"
#include "core/formats/json_columns.h"
#include "core/formats/json_words.h"
#include "core/values/inferring_builder.h"
#include "core/values/value_builder.h"

namespace signet {
namespace {

using simdjson::ondemand::json_type;

std::string_view TrimEnd(std::string_view token) {
  while (!token.empty() && (token.back() == ' ' || token.back() == '\n' || token.back() == '\r' ||
                            token.back() == '\t')) {
    token.remove_suffix(1);
  }
  return token;
}

bool IsBlank(std::string_view line) { return TrimEnd(line).empty(); }

// JSON's grammar of numbers: -? (0 | [1-9][0-9]*) (.[0-9]+)? ([eE][+-]?[0-9]+)?
struct NumberForm {
  bool is_number = false;
  bool is_integer = false;
};
NumberForm FormOf(std::string_view text) {
  size_t at = 0;
  auto next_is = [&](std::string_view any) {
    return at < text.size() && any.find(text[at]) != std::string_view::npos;
  };
  auto digits = [&] {
    size_t start = at;
    while (next_is("0123456789")) ++at;
    return at - start;
  };
  if (next_is("-")) ++at;
  bool starts_with_zero = next_is("0");
  size_t whole = digits();
  if (whole == 0 || (starts_with_zero && whole > 1)) return {};
  bool is_integer = true;
  if (next_is(".")) {
    ++at;
    is_integer = false;
    if (digits() == 0) return {};
  }
  if (next_is("eE")) {
    ++at;
    is_integer = false;
    if (next_is("+-")) ++at;
    if (digits() == 0) return {};
  }
  return {at == text.size(), is_integer};
}

// The integer, when it fits 64 bits, signed or unsigned.
std::optional<absl::int128> ParseInteger(std::string_view text) {
  auto parse = [&](auto number) -> std::optional<absl::int128> {
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return number;
  };
  return text.front() == '-' ? parse(int64_t{}) : parse(uint64_t{});
}

double ParseFloat(std::string_view text) {
  double number = 0;
  auto error = std::from_chars(text.data(), text.data() + text.size(), number).ec;
  if (error == std::errc()) return number;
  return std::strtod(std::string(text).c_str(), nullptr);  // too large: infinity; too small: 0
}

// What is wrong with a text, by simdjson's account.
Status Malformed(simdjson::error_code error) {
  switch (error) {
    case simdjson::UTF8_ERROR:
      return InvalidArgument("text that is not UTF-8");
    case simdjson::STRING_ERROR:
    case simdjson::UNESCAPED_CHARS:
      return InvalidArgument(
          "text with a broken escape, a lone surrogate or a bare control character");
    case simdjson::UNCLOSED_STRING:
      return InvalidArgument("text without an end; takes `\"`");
    case simdjson::MEMALLOC:
      return ResourceExhausted("no memory to read it");
    default:
      return InvalidArgument("what is not JSON");
  }
}

// Turns the tokens of one value into events, of a ValueBuilder or an InferringBuilder.
template <class Builder>
class JsonReader {
 public:
  JsonReader(Builder& builder, bool is_typed, const Limits& limits)
      : builder_(builder), is_typed_(is_typed), allowance_(limits) {}

  // Where the last token began.
  const char* at() const { return at_; }

  Status Read(simdjson::ondemand::value value, int depth) {
    json_type type;
    std::string_view token = value.raw_json_token();
    at_ = token.data();
    if (auto error = value.type().get(type)) return Malformed(error);
    switch (type) {
      case json_type::array:
        return ReadList(value, depth);
      case json_type::object:
        return ReadObject(value, depth);
      case json_type::string:
        return ReadString(value);
      case json_type::number:
        return ReadNumber(value, TrimEnd(token));
      case json_type::boolean:
      case json_type::null:
        return ReadWord(TrimEnd(token));
    }
    return Malformed(simdjson::TAPE_ERROR);
  }

 private:
  Status ReadList(simdjson::ondemand::value& value, int depth) {
    SIGNET_RETURN_IF_ERROR(allowance_.CheckDepth(depth + 1));
    SIGNET_RETURN_IF_ERROR(builder_.BeginList());
    simdjson::ondemand::array list;
    if (auto error = value.get_array().get(list)) return Malformed(error);
    for (auto element : list) {
      simdjson::ondemand::value child;
      if (auto error = element.get(child)) return Malformed(error);
      SIGNET_RETURN_IF_ERROR(Read(child, depth + 1));
    }
    return builder_.EndList();
  }

  Status ReadObject(simdjson::ondemand::value& value, int depth) {
    SIGNET_RETURN_IF_ERROR(allowance_.CheckDepth(depth + 1));
    simdjson::ondemand::object object;
    if (auto error = value.get_object().get(object)) return Malformed(error);
    // {"b64": "..."} is a string, except where the type has an object.
    bool may_be_bytes = !is_typed_ || !builder_.TakesObject();
    std::optional<std::string_view> bytes;  // the first field, when it is "b64" with a text
    bool is_first = true;
    for (auto entry : object) {
      simdjson::ondemand::field field;
      if (auto error = std::move(entry).get(field)) return Malformed(error);
      at_ = field.key().raw() - 1;  // from the quote on
      std::string_view key;
      if (auto error = field.unescaped_key().get(key)) return Malformed(error);
      simdjson::ondemand::value child = field.value();
      if (is_first && may_be_bytes && key == "b64" && IsText(child)) {
        std::string_view text;
        if (auto error = child.get_string().get(text)) return Malformed(error);
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
    json_type type;
    return value.type().get(type) == simdjson::SUCCESS && type == json_type::string;
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
    if (auto error = value.get_string().get(text)) return Malformed(error);
    if (TakesFloat()) {
      if (auto number = FloatOfJsonWord(text)) return builder_.Float(*number);
    }
    return builder_.String(text);
  }

  Status ReadNumber(simdjson::ondemand::value& value, std::string_view token) {
    NumberForm form = FormOf(token);
    if (!form.is_number) return Unexpected(token);
    bool is_minus_zero = token == "-0" && TakesFloat();
    if (form.is_integer && !is_minus_zero) {
      if (auto number = ParseInteger(token)) return builder_.Int(*number);
      // Some programs write a large float without a point.
      if (!TakesFloat()) {
        return WithReason("OUT_OF_RANGE",
                          OutOfRange("`", Printable(token), "`; integers have at most 64 bits"));
      }
    }
    double number = 0;
    if (value.get_double().get(number)) number = ParseFloat(token);  // out of range
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

// A text as the elements of an array, in memory that simdjson can read beyond.
class JsonText {
 public:
  static StatusOr<JsonText> Make(std::string_view text) {
    JsonText out;
    out.padded_ = simdjson::padded_string(text.size() + 2);
    if (out.padded_.data() == nullptr) {
      return ResourceExhausted("no memory for ", text.size(), " bytes of JSON");
    }
    out.padded_.data()[0] = '[';
    if (!text.empty()) std::memcpy(out.begin(), text.data(), text.size());
    out.begin()[text.size()] = ']';
    return out;
  }

  char* begin() { return padded_.data() + 1; }
  size_t size() const { return padded_.size() - 2; }

  // Calls `read` with each element until it returns false; whether all went well.
  template <class ReadElement>
  bool TryForEach(ReadElement read) {
    simdjson::ondemand::parser parser;
    simdjson::ondemand::document document;
    simdjson::ondemand::array elements;
    if (parser.iterate(padded_).get(document) || document.get_array().get(elements)) return false;
    for (auto element : elements) {
      simdjson::ondemand::value value;
      if (std::move(element).get(value) || !read(value)) return false;
    }
    const char* more;
    return document.current_location().get(more) != simdjson::SUCCESS;
  }

  // Calls `read` with each element, and adds the byte to what it refuses; `reader` knows the place.
  template <class Builder, class ReadElement>
  Status ForEach(const JsonReader<Builder>& reader, ReadElement read) {
    simdjson::ondemand::parser parser;
    simdjson::ondemand::document document;
    simdjson::ondemand::array elements;
    auto error = parser.iterate(padded_).get(document);
    if (!error) error = document.get_array().get(elements);
    if (error) return Malformed(error);
    auto here = [&] {
      const char* at = nullptr;
      return document.current_location().get(at) == simdjson::SUCCESS ? at : nullptr;
    };
    for (auto element : elements) {
      simdjson::ondemand::value value;
      if (auto bad = element.get(value)) return AtByte(here(), Malformed(bad));
      const char* start = value.raw_json_token().data();
      if (Status status = read(value); !status.ok()) {
        return AtByte(std::max(start, reader.at()), std::move(status));
      }
    }
    if (here() != nullptr) {
      return AtByte(here(), InvalidArgument("more behind the end; takes one JSON value"));
    }
    return absl::OkStatus();
  }

 private:
  Status AtByte(const char* at, Status status) {
    if (at == nullptr || at < begin()) return status;
    auto byte = std::min(static_cast<size_t>(at - begin()), size());
    return At(Cat("byte ", byte), std::move(status));
  }

  simdjson::padded_string padded_;
};

BuilderLimits LimitsOf(const TypeSpec& spec, const Limits& limits) {
  BuilderLimits builder_limits;
  builder_limits.max_elements = spec ? limits.tensor_elements : limits.names;
  builder_limits.elements_flag = spec ? "--max_tensor_elements" : "--max_names";
  builder_limits.max_bytes = limits.expanded_bytes;
  builder_limits.bytes_flag = "--max_expanded_bytes";
  builder_limits.max_depth = limits.nesting_depth;
  return builder_limits;
}

// Makes commas of the line ends between records; the others become spaces. Each record starts at
// one of the returned places.
std::vector<const char*> JoinLines(char* begin, size_t size) {
  std::vector<const char*> starts;
  char* end = begin + size;
  char* separator = nullptr;  // the line end before this line
  for (char* line = begin; line < end;) {
    auto* line_end = static_cast<char*>(std::memchr(line, '\n', static_cast<size_t>(end - line)));
    if (line_end == nullptr) line_end = end;
    std::string_view content(line, static_cast<size_t>(line_end - line));
    if (!IsBlank(content)) {
      if (separator != nullptr) *separator = starts.empty() ? ' ' : ',';
      starts.push_back(line + content.find_first_not_of(" \t\r"));
    } else if (separator != nullptr) {
      *separator = ' ';
    }
    separator = line_end < end ? line_end : nullptr;
    line = line_end + 1;
  }
  if (separator != nullptr) *separator = ' ';
  return starts;
}

// The one value of a text.
template <class Builder>
StatusOr<Value> ReadOne(JsonText& json, Builder& builder, bool is_typed, const Limits& limits) {
  JsonReader reader(builder, is_typed, limits);
  int count = 0;
  SIGNET_RETURN_IF_ERROR(json.ForEach(reader, [&](simdjson::ondemand::value value) -> Status {
    if (++count > 1) return InvalidArgument("more behind the end; takes one JSON value");
    return reader.Read(value, 0);
  }));
  if (count == 0) return InvalidArgument("empty text; takes one JSON value");
  return builder.Finish();
}

// The quick way; empty where the other one must read it.
std::optional<Value> ReadColumns(JsonText& json, const TypeSpec& spec,
                                 const BuilderLimits& limits) {
  auto columns = JsonColumns::Make(spec, limits);
  if (!columns) return std::nullopt;
  int count = 0;
  bool is_read = json.TryForEach(
      [&](simdjson::ondemand::value value) { return ++count == 1 && columns->Read(value); });
  if (!is_read || count != 1) return std::nullopt;
  return columns->Finish();
}

std::optional<Value> ReadColumnsOfLines(JsonText& json, std::span<const char* const> starts,
                                        const TypeSpec& spec, const BuilderLimits& limits) {
  auto columns = JsonColumns::Make(spec, limits);
  if (!columns) return std::nullopt;
  size_t line = 0;
  bool is_read = json.TryForEach([&](simdjson::ondemand::value value) {
    return line < starts.size() && value.raw_json_token().data() == starts[line++] &&
           columns->ReadElement(value);
  });
  if (!is_read || line != starts.size() || !columns->EndElements()) return std::nullopt;
  return columns->Finish();
}

}  // namespace

StatusOr<Value> ValueFromJson(std::string_view text, const TypeSpec& spec, const Limits& limits) {
  SIGNET_RETURN_IF_ERROR(Allowance(limits).CheckMessage(text.size()));
  SIGNET_ASSIGN_OR_RETURN(JsonText json, JsonText::Make(text));
  const BuilderLimits builder_limits = LimitsOf(spec, limits);
  if (spec) {
    if (auto value = ReadColumns(json, spec, builder_limits)) return *std::move(value);
  }
  SIGNET_ASSIGN_OR_RETURN(ValueBuilder builder, ValueBuilder::Make(spec, builder_limits));
  return ReadOne(json, builder, static_cast<bool>(spec), limits);
}

StatusOr<Value> InferFromJson(std::string_view text, const Limits& limits,
                              const InferOptions& options) {
  SIGNET_RETURN_IF_ERROR(Allowance(limits).CheckMessage(text.size()));
  SIGNET_ASSIGN_OR_RETURN(JsonText json, JsonText::Make(text));
  BuilderLimits builder_limits = LimitsOf({}, limits);
  builder_limits.max_elements = limits.tensor_elements;
  builder_limits.elements_flag = "--max_tensor_elements";
  InferringBuilder builder(options, builder_limits,
                           {.max_depth = limits.nesting_depth,
                            .max_fields = limits.names,
                            .fields_flag = "--max_names"});
  return ReadOne(json, builder, /*is_typed=*/false, limits);
}

StatusOr<Value> ValueFromJsonLines(std::string_view text, const TypeSpec& spec,
                                   const Limits& limits) {
  SIGNET_RETURN_IF_ERROR(Allowance(limits).CheckMessage(text.size()));
  SIGNET_ASSIGN_OR_RETURN(JsonText json, JsonText::Make(text));
  std::vector<const char*> starts = JoinLines(json.begin(), json.size());
  const BuilderLimits builder_limits = LimitsOf(spec, limits);
  if (auto value = ReadColumnsOfLines(json, starts, spec, builder_limits)) return *std::move(value);
  SIGNET_ASSIGN_OR_RETURN(ValueBuilder builder, ValueBuilder::Make(spec, builder_limits));
  JsonReader reader(builder, static_cast<bool>(spec), limits);
  size_t line = 0;
  SIGNET_RETURN_IF_ERROR(builder.BeginList());
  SIGNET_RETURN_IF_ERROR(json.ForEach(reader, [&](simdjson::ondemand::value value) -> Status {
    if (line == starts.size() || value.raw_json_token().data() != starts[line++]) {
      return InvalidArgument("a record that does not start its line; takes one record a line");
    }
    return reader.Read(value, 0);
  }));
  if (line != starts.size()) {
    return InvalidArgument("a record of several lines; takes one record a line");
  }
  SIGNET_RETURN_IF_ERROR(builder.EndList());
  return builder.Finish();
}

}  // namespace signet
