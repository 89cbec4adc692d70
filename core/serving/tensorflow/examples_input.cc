#include "core/serving/tensorflow/examples_input.h"

#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include <absl/container/flat_hash_map.h>
#include <absl/strings/escaping.h>

#include "core/formats/json/json_numbers.h"
#include "core/formats/json/json_tokens.h"
#include "core/formats/json/json_words.h"
#include "core/formats/tensorflow/proto_pieces.h"
#include "core/serving/tensorflow/body_members.h"
#include "core/serving/tensorflow/named_arguments.h"
#include "signet/ragged_spec.h"
#include "signet/structured_spec.h"
#include "signet/tensor_spec.h"
#include "tensorflow/example.pb.h"
#include "tensorflow_serving/input.pb.h"

namespace signet::tf {
namespace {

using ::tensorflow::Feature;
using ::tensorflow::serving::ExampleListWithContext;
using ::tensorflow::serving::Input;
using wire::WireCursor;
using wire::WireSource;
using wire::WireTag;
using wire::WireType;

// Returns the parameter that receives the examples, or null.
const Parameter* ParameterOfExamples(const FunctionType& type) {
  const Parameter* only = nullptr;
  const Parameter* required = nullptr;
  int count = 0;
  int num_required = 0;
  for (const Parameter& parameter : type.parameters()) {
    if (IsVariadic(parameter.kind)) continue;
    ++count;
    only = &parameter;
    if (parameter.optional) continue;
    ++num_required;
    required = &parameter;
  }
  if (count == 1) return only;
  return num_required == 1 ? required : nullptr;
}

// Reads an ExampleList or ExampleListWithContext, which has the same examples.
Status ReadList(WireSource& source, WireCursor cursor, Examples& out) {
  while (uint32_t tag = cursor.NextTag()) {
    const bool is_example =
        tag == WireTag(ExampleListWithContext::kExamplesFieldNumber, WireType::kBytes);
    const bool is_context =
        tag == WireTag(ExampleListWithContext::kContextFieldNumber, WireType::kBytes);
    if (!is_example && !is_context) {
      cursor.Skip(tag);
      continue;
    }
    SIGNET_RETURN_IF_ERROR(source.allowance().TakeBytes(sizeof(Buffer)));
    SIGNET_ASSIGN_OR_RETURN(Buffer message, source.Take(cursor.Bytes(), 1));
    if (is_context) {
      out.context = std::move(message);
    } else {
      out.rows.push_back(std::move(message));
    }
  }
  return source.status();
}

Status CheckExamples(const Examples& examples) {
  if (!examples.rows.empty()) return absl::OkStatus();
  return InvalidArgument("Input is empty; expected at least one example");
}

// --- JSON ---------------------------------------------------------------------------------------

// Counted for an example in addition to its bytes.
constexpr size_t kExampleBytes = 128;

// The kind of list that a feature is, or 0 if that is not known yet.
using Kind = int;

Kind KindOf(DType dtype) {
  if (IsFloat(dtype)) return Feature::kFloatListFieldNumber;
  return dtype == DType::kString ? Feature::kBytesListFieldNumber : Feature::kInt64ListFieldNumber;
}

struct Field {
  Kind kind = 0;
  bool has_any_length = false;
};

// Writes the features of JSON objects as Example messages.
class ExampleWriter {
 public:
  // `type` has the dtypes of features, or is null.
  ExampleWriter(const TypeSpec& type, const Limits& limits) : limits_(limits) {
    const auto* structured = type ? type.As<StructuredSpec>() : nullptr;
    if (structured == nullptr) return;
    for (size_t i = 0; i < structured->field_names().size(); ++i) {
      const TypeSpec& spec = type.children()[i];
      const auto* tensor = spec.As<TensorSpec>();
      const auto* ragged = spec.As<RaggedSpec>();
      if (tensor == nullptr && ragged == nullptr) continue;
      const int axis = structured->rank() + (type.rep().IsOptionalChild(i) ? 1 : 0);
      const PartialShape& shape = *spec.shape();
      const bool has_any_length =
          shape.has_rank() && shape.rank() > axis && shape.dim(axis) == kUnknownDim;
      fields_.emplace(
          structured->field_names()[i],
          Field{KindOf(tensor != nullptr ? tensor->dtype() : ragged->dtype()), has_any_length});
    }
  }

  StatusOr<Buffer> Write(JsonTokens& tokens) {
    if (!tokens.Take('{')) return InvalidArgument("Example must be JSON object");
    std::string features;
    if (!tokens.Take('}')) {
      int count = 0;
      do {
        if (tokens.Peek() != '"') return Malformed(tokens);
        const std::string_view raw = tokens.TakeText();
        std::string name(raw);
        if (JsonTokens::HasEscape(raw) && !tokens.Unescape(raw, name)) return Malformed(tokens);
        if (!tokens.Take(':')) return Malformed(tokens);
        if (++count > limits_.names) {
          return ResourceExhausted("expected at most ", limits_.names, " features (--max_names)");
        }
        auto feature = WriteFeature(name, tokens);
        if (!feature.ok()) return feature.status();
        std::string entry;
        AppendBytesField(entry, 1, name);
        AppendBytesField(entry, 2, *feature);
        AppendBytesField(features, ::tensorflow::Features::kFeatureFieldNumber, entry);
      } while (tokens.Take(','));
      if (!tokens.Take('}')) return Malformed(tokens);
    }
    std::string example;
    AppendBytesField(example, ::tensorflow::Example::kFeaturesFieldNumber, features);
    return BufferOf(std::move(example));
  }

  static Status Malformed(const JsonTokens& tokens) {
    return InvalidArgument("JSON Parse error: Invalid value at offset: ", tokens.at(),
                           " of the examples");
  }

 private:
  // Returns a Feature.
  StatusOr<std::string> WriteFeature(const std::string& name, JsonTokens& tokens) {
    Kind kind = 0;
    std::string list;
    const auto known = fields_.find(name);
    const Field field = known == fields_.end() ? Field() : known->second;
    const bool is_float = field.kind == Feature::kFloatListFieldNumber;
    if (tokens.Take('[')) {
      if (tokens.Take(']')) {
        // A feature without a list is absent, but a field of any length can be empty.
        if (field.has_any_length) kind = field.kind;
      } else {
        do {
          SIGNET_RETURN_IF_ERROR(InFeature(name, WriteValue(tokens, is_float, kind, list)));
        } while (tokens.Take(','));
        if (!tokens.Take(']')) return Malformed(tokens);
      }
    } else {
      SIGNET_RETURN_IF_ERROR(InFeature(name, WriteValue(tokens, is_float, kind, list)));
    }
    std::string feature;
    if (kind != 0) AppendBytesField(feature, kind, list);
    return feature;
  }

  // Adds the name of the feature to an error. Clients compare the sentences.
  static Status InFeature(std::string_view name, const Status& status) {
    if (status.ok()) return status;
    const std::string_view message = MessageOf(status);
    constexpr std::string_view kWrongType = "expecting type: ";
    if (message.starts_with(kWrongType)) {
      return InvalidArgument("Unexpected element type in feature: ", Printable(name), " ", message);
    }
    return InvalidArgument("Feature: ", Printable(name), message.starts_with("has ") ? " " : ": ",
                           message);
  }

  static Status SetKind(Kind& kind, Kind found) {
    if (kind == 0) kind = found;
    if (kind == found) return absl::OkStatus();
    const std::string_view name = kind == Feature::kInt64ListFieldNumber   ? "int64"
                                  : kind == Feature::kFloatListFieldNumber ? "float"
                                                                           : "bytes";
    return InvalidArgument("expecting type: ", name, ", as the elements before it");
  }

  // Appends one value to a list.
  Status WriteValue(JsonTokens& tokens, bool is_float, Kind& kind, std::string& list) {
    if (tokens.Peek() == '"') {
      std::string_view text = tokens.TakeText();
      if (auto number = FloatOfEscapedWord(text)) return WriteFloat(*number, kind, list);
      if (is_float) {
        if (auto number = FloatOfJsonWord(text)) return WriteFloat(*number, kind, list);
      }
      if (JsonTokens::HasEscape(text)) {
        if (!tokens.Unescape(text, memory_)) return Malformed(tokens);
        text = memory_;
      }
      return WriteText(text, kind, list);
    }
    if (IsBase64Object(tokens)) {
      tokens.Take('{');
      tokens.TakeText("b64");
      tokens.Take(':');
      const std::string_view text = tokens.TakeText();
      tokens.Take('}');
      std::string bytes;
      if (!absl::Base64Unescape(absl::string_view(text.data(), text.size()), &bytes)) {
        return InvalidArgument("Unable to base64 decode");
      }
      return WriteText(bytes, kind, list);
    }
    const char next = tokens.Peek();
    if (next == '[' || next == '{') {
      return InvalidArgument("has element with unexpected JSON type: ",
                             next == '[' ? "Array" : "Object", "; expected a number or a string");
    }
    if (tokens.AtEnd() || std::string_view("]},:").find(next) != std::string_view::npos) {
      return InvalidArgument("has no element; expected a number or a string");
    }
    return WriteScalar(tokens.TakeScalar(), is_float, kind, list);
  }

  static Status WriteScalar(std::string_view token, bool is_float, Kind& kind, std::string& list) {
    if (token == "true" || token == "false") {
      return WriteInteger(token == "true" ? 1 : 0, kind, list);
    }
    const json::NumberForm form = json::FormOf(token);
    if (!form.is_number) {
      return InvalidArgument(
          "has element with unexpected JSON type: ", token == "null" ? "Null" : "Unknown",
          "; expected a number, found `", Printable(token), "`");
    }
    // A whole number of more than 64 bits is a float.
    std::optional<absl::int128> integer;
    if (form.is_integer && !is_float) integer = json::ParseInteger(token);
    if (!integer) {
      const double number = json::ParseFloat(token);
      if (!(std::abs(number) <= std::numeric_limits<float>::max())) {
        return InvalidArgument("Cannot convert JSON value: ", Printable(token),
                               " to float without loss of precision");
      }
      return WriteFloat(number, kind, list);
    }
    if (*integer > std::numeric_limits<int64_t>::max()) {
      return InvalidArgument("has uint64 element ", Printable(token), "; Only int64 is supported");
    }
    return WriteInteger(static_cast<int64_t>(*integer), kind, list);
  }

  static Status WriteInteger(int64_t number, Kind& kind, std::string& list) {
    SIGNET_RETURN_IF_ERROR(SetKind(kind, Feature::kInt64ListFieldNumber));
    AppendVarintField(list, ::tensorflow::Int64List::kValueFieldNumber,
                      static_cast<uint64_t>(number));
    return absl::OkStatus();
  }
  static Status WriteFloat(double number, Kind& kind, std::string& list) {
    SIGNET_RETURN_IF_ERROR(SetKind(kind, Feature::kFloatListFieldNumber));
    AppendFixed32Field(list, ::tensorflow::FloatList::kValueFieldNumber,
                       std::bit_cast<uint32_t>(static_cast<float>(number)));
    return absl::OkStatus();
  }
  static Status WriteText(std::string_view text, Kind& kind, std::string& list) {
    SIGNET_RETURN_IF_ERROR(SetKind(kind, Feature::kBytesListFieldNumber));
    AppendBytesField(list, ::tensorflow::BytesList::kValueFieldNumber, text);
    return absl::OkStatus();
  }

  const Limits& limits_;
  absl::flat_hash_map<std::string, Field> fields_;  // of the type
  std::string memory_;
};

}  // namespace

StatusOr<Examples> ReadInput(WireSource& source, WireCursor cursor) {
  Examples out;
  while (uint32_t tag = cursor.NextTag()) {
    const bool is_list =
        tag == WireTag(Input::kExampleListFieldNumber, WireType::kBytes) ||
        tag == WireTag(Input::kExampleListWithContextFieldNumber, WireType::kBytes);
    if (is_list) {
      SIGNET_RETURN_IF_ERROR(At("input", ReadList(source, cursor.Enter(), out)));
    } else {
      cursor.Skip(tag);
    }
  }
  SIGNET_RETURN_IF_ERROR(At("input", source.status()));
  SIGNET_RETURN_IF_ERROR(CheckExamples(out));
  return out;
}

StatusOr<Examples> ReadExamplesBody(const BodyMembers& body, const CalledFunction& called,
                                    const Limits& limits) {
  const Parameter* parameter = ParameterOfExamples(called.function->def().type);
  ExampleWriter writer(parameter != nullptr ? parameter->type : TypeSpec(), limits);
  Allowance allowance(limits);
  auto write = [&](JsonTokens& tokens) -> StatusOr<Buffer> {
    SIGNET_ASSIGN_OR_RETURN(Buffer message, writer.Write(tokens));
    SIGNET_RETURN_IF_ERROR(allowance.TakeBytes(message.size() + kExampleBytes));
    return message;
  };
  Examples out;
  if (const Buffer* context = body.Lookup("context")) {
    SIGNET_ASSIGN_OR_RETURN(JsonText json, JsonText::Make(context->text()));
    JsonTokens tokens = json.tokens();
    auto written = write(tokens);
    if (!written.ok()) return At("context", written.status());
    out.context = *std::move(written);
  }
  const Buffer* examples = body.Lookup("examples");
  if (examples == nullptr) return InvalidArgument("key 'examples' is expected and was not found");
  SIGNET_ASSIGN_OR_RETURN(JsonText json, JsonText::Make(examples->text()));
  JsonTokens tokens = json.tokens();
  if (!tokens.Take('[')) return InvalidArgument("Expecting 'examples' value to be an list/array");
  if (tokens.Take(']')) return InvalidArgument("'examples' value is an empty array");
  do {
    auto written = write(tokens);
    if (!written.ok()) return At(Cat("example ", out.rows.size()), written.status());
    out.rows.push_back(*std::move(written));
  } while (tokens.Take(','));
  if (!tokens.Take(']')) return ExampleWriter::Malformed(tokens);
  return out;
}

Status AddExamples(const CalledFunction& called, Examples examples, const Limits& limits,
                   CallRequest& call) {
  const FunctionType& type = called.function->def().type;
  const Parameter* parameter = ParameterOfExamples(type);
  if (parameter == nullptr) {
    return InvalidArgument(called.path(),
                           ": expected a function with one parameter for the examples; signature: ",
                           called.function->signature());
  }
  NamedArguments arguments;
  arguments.AddEncoded(parameter->name, {.format = DataFormat::kExample,
                                         .data = std::move(examples.context),
                                         .rows = std::move(examples.rows)});
  return arguments.MoveTo(type, limits, call);
}

}  // namespace signet::tf
