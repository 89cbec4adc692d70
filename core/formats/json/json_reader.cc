// JsonReader: reads JSON from its tokens (json_tokens.h). Text that matches its type is read
// directly into columns (json_columns.h); any other text is read again, as builder events
// (json_events.h).

#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "core/formats/json/json.h"
#include "core/formats/json/json_columns.h"
#include "core/formats/json/json_events.h"
#include "core/values/builders/inferring_builder.h"
#include "core/values/builders/value_builder.h"
#include "signet/structured.h"
#include "signet/structured_spec.h"

namespace signet {
namespace {

BuilderLimits LimitsOf(const TypeSpec& spec, const Limits& limits) {
  BuilderLimits builder_limits;
  builder_limits.max_elements = spec ? limits.tensor_elements : limits.names;
  builder_limits.elements_flag = spec ? "--max_tensor_elements" : "--max_names";
  builder_limits.max_bytes = limits.expanded_bytes;
  builder_limits.bytes_flag = "--max_expanded_bytes";
  builder_limits.max_depth = limits.nesting_depth;
  return builder_limits;
}

StatusOr<JsonText> TextOf(std::string_view text, const Limits& limits) {
  SIGNET_RETURN_IF_ERROR(Allowance(limits).CheckMessage(text.size()));
  return JsonText::Make(text);
}

// Returns true if a line ends between two bytes of the text.
bool HasLineEnd(const JsonText& json, size_t from, size_t to) {
  return std::memchr(json.text().data() + from, '\n', to - from) != nullptr;
}

// Reads the only value of a text.
template <class Builder>
StatusOr<Value> ReadOne(const JsonText& json, Builder& builder, bool is_typed,
                        const Limits& limits) {
  JsonReader reader(builder, is_typed, limits, json.tokens());
  const JsonTokens& tokens = reader.tokens();
  if (tokens.AtEnd()) return InvalidArgument("expected one JSON value, found empty text");
  SIGNET_RETURN_IF_ERROR(reader.Read());
  if (!tokens.AtEnd()) {
    return At(Cat("byte ", tokens.at()),
              InvalidArgument("expected one JSON value, found more text after its end"));
  }
  return builder.Finish();
}

StatusOr<Value> ReadValue(const JsonText& json, const TypeSpec& spec, const Limits& limits) {
  SIGNET_ASSIGN_OR_RETURN(ValueBuilder builder, ValueBuilder::Make(spec, LimitsOf(spec, limits)));
  return ReadOne(json, builder, static_cast<bool>(spec), limits);
}

StatusOr<Value> ReadEventsOfLines(const JsonText& json, const TypeSpec& spec,
                                  const Limits& limits) {
  SIGNET_ASSIGN_OR_RETURN(ValueBuilder builder, ValueBuilder::Make(spec, LimitsOf(spec, limits)));
  JsonReader reader(builder, static_cast<bool>(spec), limits, json.tokens());
  const JsonTokens& tokens = reader.tokens();
  auto error_at = [](size_t byte, std::string_view what) {
    return At(Cat("byte ", byte), InvalidArgument("expected one record per line, found ", what));
  };
  SIGNET_RETURN_IF_ERROR(builder.BeginList());
  for (bool is_first = true; !tokens.AtEnd(); is_first = false) {
    size_t start = tokens.at();
    if (!is_first && !HasLineEnd(json, tokens.before(), start)) {
      return error_at(start, "a record that does not start its line");
    }
    SIGNET_RETURN_IF_ERROR(reader.Read());
    if (HasLineEnd(json, start, tokens.before())) {
      return error_at(start, "a record of several lines");
    }
  }
  SIGNET_RETURN_IF_ERROR(builder.EndList());
  return builder.Finish();
}

// Reads with the fast path. Returns nothing if the general one must read the text.
std::optional<Value> ReadColumns(const JsonText& json, const TypeSpec& spec, const Limits& limits,
                                 const std::vector<bool>& needs) {
  auto columns =
      JsonColumns::Make(spec, LimitsOf(spec, limits), needs, !limits.reject_unknown_fields);
  if (!columns) return std::nullopt;
  JsonTokens tokens = json.tokens();
  if (!columns->Read(tokens) || !tokens.AtEnd()) return std::nullopt;
  return columns->Finish();
}

std::optional<Value> ReadColumnsOfLines(const JsonText& json, const TypeSpec& spec,
                                        const Limits& limits, const std::vector<bool>& needs) {
  auto columns =
      JsonColumns::Make(spec, LimitsOf(spec, limits), needs, !limits.reject_unknown_fields);
  if (!columns) return std::nullopt;
  JsonTokens tokens = json.tokens();
  for (bool is_first = true; !tokens.AtEnd(); is_first = false) {
    size_t start = tokens.at();
    if (!is_first && !HasLineEnd(json, tokens.before(), start)) return std::nullopt;
    if (!columns->ReadElement(tokens)) return std::nullopt;
    if (HasLineEnd(json, start, tokens.before())) return std::nullopt;
  }
  if (!columns->EndElements()) return std::nullopt;
  return columns->Finish();
}

// Returns true if the text is an object of the columns of a structure of rank 1.
bool HasColumns(const JsonText& json, const TypeSpec& spec) {
  const auto* structured = spec ? spec.As<StructuredSpec>() : nullptr;
  return structured != nullptr && structured->rank() == 1 && json.tokens().Peek() == '{';
}

StatusOr<Value> ReadEvents(const JsonText& json, const TypeSpec& spec, const Limits& limits) {
  if (!HasColumns(json, spec)) return ReadValue(json, spec, limits);
  SIGNET_ASSIGN_OR_RETURN(ValueBuilder builder,
                          ValueBuilder::MakeForColumns(spec, LimitsOf(spec, limits)));
  SIGNET_ASSIGN_OR_RETURN(Value columns, ReadOne(json, builder, /*is_typed=*/true, limits));
  NamedValues fields;
  for (const Value& column : ChildrenOf(columns)) {
    fields.emplace_back(spec.As<StructuredSpec>()->field_names()[fields.size()], column);
  }
  SIGNET_ASSIGN_OR_RETURN(Value made, MakeStructured(*spec.shape(), std::move(fields)));
  return Value::Trusted(ArrangedLike(made.spec(), spec),
                        {made.components().begin(), made.components().end()});
}

}  // namespace

StatusOr<Value> ValueFromJson(std::string_view text, const TypeSpec& spec, const Limits& limits,
                              const std::vector<bool>& needs) {
  SIGNET_ASSIGN_OR_RETURN(JsonText json, TextOf(text, limits));
  if (spec) {
    if (auto value = ReadColumns(json, spec, limits, needs)) {
      return *std::move(value);
    }
  }
  return ReadEvents(json, spec, limits);
}

StatusOr<Value> ValueFromJsonEvents(std::string_view text, const TypeSpec& spec,
                                    const Limits& limits) {
  SIGNET_ASSIGN_OR_RETURN(JsonText json, TextOf(text, limits));
  return ReadEvents(json, spec, limits);
}

StatusOr<Value> ValueFromJsonLines(std::string_view text, const TypeSpec& spec,
                                   const Limits& limits, const std::vector<bool>& needs) {
  SIGNET_ASSIGN_OR_RETURN(JsonText json, TextOf(text, limits));
  if (auto value = ReadColumnsOfLines(json, spec, limits, needs)) {
    return *std::move(value);
  }
  return ReadEventsOfLines(json, spec, limits);
}

StatusOr<Value> ValueFromJsonLinesEvents(std::string_view text, const TypeSpec& spec,
                                         const Limits& limits) {
  SIGNET_ASSIGN_OR_RETURN(JsonText json, TextOf(text, limits));
  return ReadEventsOfLines(json, spec, limits);
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

}  // namespace signet
