// Reads JSON with simdjson's on-demand parser, which finds the structure of a text and checks its
// UTF-8 at once. What is as its type says goes straight into columns (json_columns.h); all else is
// read again, its tokens as builder events (json_events.h). Every text is read as the elements of
// an array: `TEXT` as `[TEXT]`, and lines as `[LINE,LINE]`.

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "core/formats/json.h"
#include "core/formats/json_columns.h"
#include "core/formats/json_events.h"
#include "core/types/structured_spec.h"
#include "core/values/inferring_builder.h"
#include "core/values/structured.h"
#include "core/values/value_builder.h"

namespace signet {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";  // that some editors begin a file with

bool IsBlank(std::string_view line) { return json::TrimEnd(line).empty(); }

// The first byte that is not UTF-8, or `end`.
const char* EndOfUtf8(const char* at, const char* end) {
  while (at < end) {
    auto lead = static_cast<unsigned char>(*at);
    std::ptrdiff_t length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    if (length > end - at || !simdjson::validate_utf8(at, static_cast<size_t>(length))) return at;
    at += length;
  }
  return end;
}

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
    if (text.starts_with(kByteOrderMark)) std::memset(out.begin(), ' ', kByteOrderMark.size());
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
    if (error) return AtByte(FirstFault(error), json::Malformed(error));
    auto here = [&] {
      const char* at = nullptr;
      return document.current_location().get(at) == simdjson::SUCCESS ? at : nullptr;
    };
    for (auto element : elements) {
      simdjson::ondemand::value value;
      if (auto bad = element.get(value)) return AtByte(here(), json::Malformed(bad));
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
  // Where what makes simdjson refuse a text as a whole is; null where that is nowhere in
  // particular.
  const char* FirstFault(simdjson::error_code error) {
    if (error == simdjson::UTF8_ERROR) return EndOfUtf8(begin(), begin() + size());
    bool in_text = error == simdjson::UNESCAPED_CHARS || error == simdjson::UNCLOSED_STRING;
    const char* quote = nullptr;  // of the text that is open
    for (const char* at = begin(); in_text && at < begin() + size(); ++at) {
      if (*at == '"') quote = quote == nullptr ? at : nullptr;
      if (quote == nullptr) continue;
      if (static_cast<unsigned char>(*at) < 0x20) return at;
      if (*at == '\\') ++at;
    }
    return quote;
  }

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
StatusOr<Value> ReadOne(JsonText& text, Builder& builder, bool is_typed, const Limits& limits) {
  JsonReader reader(builder, is_typed, limits);
  int count = 0;
  SIGNET_RETURN_IF_ERROR(text.ForEach(reader, [&](simdjson::ondemand::value value) -> Status {
    if (++count > 1) return InvalidArgument("more behind the end; takes one JSON value");
    return reader.Read(value, 0);
  }));
  if (count == 0) return InvalidArgument("empty text; takes one JSON value");
  return builder.Finish();
}

// The quick way; empty where the other one must read it.
std::optional<Value> ReadColumns(JsonText& text, const TypeSpec& spec, const BuilderLimits& limits,
                                 const std::vector<bool>& needs) {
  auto columns = JsonColumns::Make(spec, limits, needs);
  if (!columns) return std::nullopt;
  int count = 0;
  bool is_read = text.TryForEach(
      [&](simdjson::ondemand::value value) { return ++count == 1 && columns->Read(value); });
  if (!is_read || count != 1) return std::nullopt;
  return columns->Finish();
}

std::optional<Value> ReadColumnsOfLines(JsonText& text, std::span<const char* const> starts,
                                        const TypeSpec& spec, const BuilderLimits& limits,
                                        const std::vector<bool>& needs) {
  auto columns = JsonColumns::Make(spec, limits, needs);
  if (!columns) return std::nullopt;
  size_t line = 0;
  bool is_read = text.TryForEach([&](simdjson::ondemand::value value) {
    return line < starts.size() && value.raw_json_token().data() == starts[line++] &&
           columns->ReadElement(value);
  });
  if (!is_read || line != starts.size() || !columns->EndElements()) return std::nullopt;
  return columns->Finish();
}

// The columns of a structure of rank 1 as the items of a dict; null where the text is none.
StatusOr<TypeSpec> ColumnsType(std::string_view text, const TypeSpec& spec) {
  const auto* structured = spec.As<StructuredSpec>();
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  size_t first = text.find_first_not_of(" \t\r\n");
  bool is_object = first != std::string_view::npos && text[first] == '{';
  if (structured == nullptr || structured->rank() != 1 || !is_object) return TypeSpec();
  NamedTypes items;
  for (size_t i = 0; i < spec.children().size(); ++i) {
    items.emplace_back(structured->field_names()[i], spec.children()[i]);
  }
  return MakeDictType(std::move(items));
}

StatusOr<Value> StructureOfColumns(const TypeSpec& spec, const Value& columns) {
  NamedValues fields;
  for (const Value& column : ChildrenOf(columns)) {
    fields.emplace_back(spec.As<StructuredSpec>()->field_names()[fields.size()], column);
  }
  return MakeStructured(*spec.shape(), std::move(fields));
}

StatusOr<Value> ReadEvents(JsonText& text, const TypeSpec& spec, const Limits& limits) {
  SIGNET_ASSIGN_OR_RETURN(ValueBuilder builder, ValueBuilder::Make(spec, LimitsOf(spec, limits)));
  return ReadOne(text, builder, static_cast<bool>(spec), limits);
}

StatusOr<Value> ReadEventsOfLines(JsonText& text, std::span<const char* const> starts,
                                  const TypeSpec& spec, const Limits& limits) {
  SIGNET_ASSIGN_OR_RETURN(ValueBuilder builder, ValueBuilder::Make(spec, LimitsOf(spec, limits)));
  JsonReader reader(builder, static_cast<bool>(spec), limits);
  size_t line = 0;
  SIGNET_RETURN_IF_ERROR(builder.BeginList());
  SIGNET_RETURN_IF_ERROR(text.ForEach(reader, [&](simdjson::ondemand::value value) -> Status {
    if (line == starts.size() || value.raw_json_token().data() != starts[line++]) {
      return InvalidArgument("a record that does not start its line; takes one record a line");
    }
    return reader.Read(value, 0);
  }));
  if (line != starts.size()) {
    return InvalidArgument("byte ", starts[line] - text.begin(),
                           ": a record of several lines; takes one record a line");
  }
  SIGNET_RETURN_IF_ERROR(builder.EndList());
  return builder.Finish();
}

StatusOr<JsonText> TextOf(std::string_view text, const Limits& limits) {
  SIGNET_RETURN_IF_ERROR(Allowance(limits).CheckMessage(text.size()));
  return JsonText::Make(text);
}

}  // namespace

StatusOr<Value> ValueFromJson(std::string_view text, const TypeSpec& spec, const Limits& limits,
                              const std::vector<bool>& needs) {
  SIGNET_ASSIGN_OR_RETURN(TypeSpec columns, ColumnsType(text, spec));
  if (columns) {  // all of them are read
    SIGNET_ASSIGN_OR_RETURN(Value value, ValueFromJson(text, columns, limits));
    return StructureOfColumns(spec, value);
  }
  SIGNET_ASSIGN_OR_RETURN(JsonText json, TextOf(text, limits));
  if (spec) {
    if (auto value = ReadColumns(json, spec, LimitsOf(spec, limits), needs)) {
      return *std::move(value);
    }
  }
  return ReadEvents(json, spec, limits);
}

StatusOr<Value> ValueFromJsonEvents(std::string_view text, const TypeSpec& spec,
                                    const Limits& limits) {
  SIGNET_ASSIGN_OR_RETURN(TypeSpec columns, ColumnsType(text, spec));
  if (columns) {
    SIGNET_ASSIGN_OR_RETURN(Value value, ValueFromJsonEvents(text, columns, limits));
    return StructureOfColumns(spec, value);
  }
  SIGNET_ASSIGN_OR_RETURN(JsonText json, TextOf(text, limits));
  return ReadEvents(json, spec, limits);
}

StatusOr<Value> InferFromJson(std::string_view text, const Limits& limits,
                              const InferOptions& options) {
  SIGNET_ASSIGN_OR_RETURN(JsonText json, TextOf(text, limits));
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
                                   const Limits& limits, const std::vector<bool>& needs) {
  SIGNET_ASSIGN_OR_RETURN(JsonText json, TextOf(text, limits));
  std::vector<const char*> starts = JoinLines(json.begin(), json.size());
  if (auto value = ReadColumnsOfLines(json, starts, spec, LimitsOf(spec, limits), needs)) {
    return *std::move(value);
  }
  return ReadEventsOfLines(json, starts, spec, limits);
}

StatusOr<Value> ValueFromJsonLinesEvents(std::string_view text, const TypeSpec& spec,
                                         const Limits& limits) {
  SIGNET_ASSIGN_OR_RETURN(JsonText json, TextOf(text, limits));
  std::vector<const char*> starts = JoinLines(json.begin(), json.size());
  return ReadEventsOfLines(json, starts, spec, limits);
}

}  // namespace signet
