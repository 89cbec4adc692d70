#include "tests/conformance/function_vectors_json.h"

#include <cmath>
#include <fstream>
#include <limits>
#include <stdexcept>

#include "core/function/cast.h"
#include "signet/any_spec.h"
#include "signet/extension_spec.h"
#include "signet/literal_spec.h"
#include "signet/ragged_spec.h"
#include "signet/sequence_spec.h"
#include "signet/sparse_spec.h"
#include "signet/tensor_spec.h"

namespace signet::vectors {
namespace {

[[noreturn]] void Unknown(std::string_view what, const Json& json) {
  throw std::runtime_error(Cat("unknown ", what, ": ", json.dump()));
}

// Builds the tree as nlohmann does, except for integers that it would read as floats.
class ExactReader : public nlohmann::detail::json_sax_dom_parser<Json> {
 public:
  explicit ExactReader(Json& out) : json_sax_dom_parser(out, true) {}

  bool number_float(number_float_t value, const string_t& text) {
    if (text.find_first_of(".eE") != std::string::npos) {
      return json_sax_dom_parser::number_float(value, text);
    }
    std::string name = "int";
    std::string digits = text;
    return start_object(1) && key(name) && string(digits) && end_object();
  }
};

// Beyond 10^30, the integer is cut off: it is outside every dtype anyway.
absl::int128 ParseInt(const std::string& digits) {
  bool negative = digits.starts_with('-');
  absl::int128 value = 0;
  for (char c : digits.substr(negative ? 1 : 0, 30)) {
    if (c < '0' || c > '9') throw std::runtime_error(Cat("not an integer: ", digits));
    value = value * 10 + (c - '0');
  }
  return negative ? -value : value;
}

double ToDouble(const Json& json) {
  if (json.is_number()) return json.get<double>();
  if (json == "nan") return std::nan("");
  if (json == "inf") return std::numeric_limits<double>::infinity();
  if (json == "-inf") return -std::numeric_limits<double>::infinity();
  Unknown("float", json);
}

}  // namespace

bool IsBigInt(const Json& json) {
  return json.is_object() && json.size() == 1 && json.contains("int") && json.at("int").is_string();
}

absl::int128 ToInt(const Json& json) {
  if (json.is_object()) return ParseInt(json.at("int"));
  if (json.is_number_unsigned()) return json.get<uint64_t>();
  return json.get<int64_t>();
}

namespace {

DType ToDType(const Json& json) {
  auto dtype = LookupDType(json.get<std::string>());
  if (!dtype) Unknown("dtype", json);
  return *dtype;
}

Literal ToLiteral(const Json& value, const std::string& type) {
  if (type == "none") return Literal();
  if (type == "bool") return Literal::Bool(value);
  if (type == "int") return Literal::Int(ToInt(value));
  if (type == "float") return Literal::Float(ToDouble(value));
  if (type == "string") return Literal::String(value);
  Unknown("literal type", type);
}

std::vector<TypeSpec> ToTypes(const Json& json) {
  std::vector<TypeSpec> types;
  for (const Json& type : json) types.push_back(ToKnownType(type));
  return types;
}

NamedTypes ToNamedTypes(const Json& json) {
  NamedTypes named;
  for (const auto& item : json.items()) {
    if (json.is_array()) {
      named.emplace_back(item.value().at(0), ToKnownType(item.value().at(1)));
    } else {
      named.emplace_back(item.key(), ToKnownType(item.value()));
    }
  }
  return named;
}

NamedValues ToNamedValues(const Json& json) {
  NamedValues named;
  for (const auto& item : json.items()) {
    if (json.is_array()) {
      named.emplace_back(item.value().at(0), ToValue(item.value().at(1)));
    } else {
      named.emplace_back(item.key(), ToValue(item.value()));
    }
  }
  return named;
}

std::vector<Value> ToValues(const Json& json) {
  std::vector<Value> values;
  for (const Json& value : json) values.push_back(ToValue(value));
  return values;
}

TypeSpec ToExtension(const Json& json) {
  NamedTypes statics;
  for (const auto& item : json.at("static").items()) {
    statics.emplace_back(item.key(), ToValue(item.value()).spec());
  }
  return Must(
      MakeExtensionType(json.at("name"), std::move(statics), ToNamedTypes(json.at("components"))));
}

// Elements are written as plain numbers; a float dtype also takes "nan", "inf" and "-inf".
Value ToTensor(const Json& json) {
  DType dtype = ToDType(json.at("dtype"));
  PartialShape shape = ToShape(json.at("shape"));
  std::vector<Value> elements;
  for (const Json& element : json.at("values")) {
    bool is_float = IsFloat(dtype) || IsComplex(dtype);
    bool is_word = is_float && element.is_string();
    elements.push_back(is_word ? Value::OfLiteral(Literal::Float(ToDouble(element)))
                               : ToValue(element));
  }
  TypeSpec flat = TensorType(dtype, {static_cast<int64_t>(elements.size())});
  if (shape.num_elements() != static_cast<int64_t>(elements.size())) Unknown("tensor", json);
  return Must(CastTo(ListOf(elements), flat)).tensor().Reshaped(shape.ToShape());
}

Value ToObjectValue(const Json& json) {
  if (!json.is_object() || json.empty()) Unknown("value", json);
  const std::string& form = json.begin().key();
  const Json& content = json.begin().value();
  if (form == "int") return Value::OfLiteral(Literal::Int(ToInt(json)));
  if (form == "float") return Value::OfLiteral(Literal::Float(ToDouble(content)));
  if (form == "tuple") return TupleOf(ToValues(content));
  if (form == "dict") return Must(MakeDict(ToNamedValues(content)));
  if (form == "tensor") return ToTensor(content);
  if (form == "spec") return Value::OfType(ToKnownType(content));
  if (form == "named_tuple" || form == "attrs") {
    auto style =
        form == "attrs" ? NamedTupleSpec::Style::kAttrs : NamedTupleSpec::Style::kNamedTuple;
    return Must(MakeNamedTuple(style, content.at("name"), ToNamedValues(content.at("fields"))));
  }
  Unknown("value", json);
}

ParameterKind ToKind(const Json& json) {
  if (json == "positional_only") return ParameterKind::kPositionalOnly;
  if (json == "positional_or_keyword") return ParameterKind::kPositionalOrKeyword;
  if (json == "var_positional") return ParameterKind::kVarPositional;
  if (json == "keyword_only") return ParameterKind::kKeywordOnly;
  if (json == "var_keyword") return ParameterKind::kVarKeyword;
  Unknown("parameter kind", json);
}

}  // namespace

Json ReadJsonFile(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(Cat("no file ", path));
  Json root;
  ExactReader reader(root);
  Json::sax_parse(file, &reader);
  return root;
}

std::string NameOfCase(const Json& one, size_t i) {
  auto text = [&](const char* name) {
    return one.is_object() && one.contains(name)
               ? one.at(name).dump(-1, ' ', true, Json::error_handler_t::replace)
               : "";
  };
  return Cat("case ", i, " ", text("id"), " ", text("doc"));
}

PartialShape ToShape(const Json& json) {
  if (json.is_null()) return {};
  Dims dims;
  for (const Json& dim : json) {
    dims.push_back(dim.is_null() ? kUnknownDim : dim.get<int64_t>());
    if (dims.back() < kUnknownDim) Unknown("size", dim);
  }
  if (dims.size() > 255) Unknown("shape", json);
  return PartialShape(std::span<const int64_t>(dims.data(), dims.size()));
}

TypeSpec ToType(const Json& json) {
  if (json.is_null()) return {};
  const std::string kind = json.at("kind");
  if (kind == "tensor") {
    return TensorType(
        ToDType(json.at("dtype")), ToShape(json.at("shape")),
        json.value("name", Json()).is_string() ? json.at("name").get<std::string>() : "");
  }
  if (kind == "literal") return LiteralType(ToLiteral(json.at("value"), json.at("type")));
  if (kind == "tuple") return TupleType(ToTypes(json.at("elements")));
  if (kind == "list") return ListType(ToTypes(json.at("elements")));
  if (kind == "dict") return Must(MakeDictType(ToNamedTypes(json.at("items"))));
  if (kind == "named_tuple" || kind == "attrs") {
    auto style =
        kind == "attrs" ? NamedTupleSpec::Style::kAttrs : NamedTupleSpec::Style::kNamedTuple;
    return Must(MakeNamedTupleType(style, json.at("name"), ToNamedTypes(json.at("fields"))));
  }
  if (kind == "ragged") {
    return Must(MakeRaggedType(ToDType(json.at("dtype")), ToShape(json.at("shape")),
                               json.at("ragged_rank"), ToDType(json.at("row_splits_dtype"))));
  }
  if (kind == "sparse") return SparseType(ToDType(json.at("dtype")), ToShape(json.at("shape")));
  if (kind == "extension") return ToExtension(json);
  if (kind == "any") return AnyType(ToType(json.at("base")));
  Unknown("kind", json);
}

Value ToValue(const Json& json) {
  if (json.is_null()) return Value::None();
  if (json.is_boolean()) return Value::OfLiteral(Literal::Bool(json));
  if (json.is_number_float()) return Value::OfLiteral(Literal::Float(json));
  if (json.is_number()) return Value::OfLiteral(Literal::Int(ToInt(json)));
  if (json.is_string()) return Value::OfLiteral(Literal::String(json));
  if (json.is_array()) return ListOf(ToValues(json));
  return ToObjectValue(json);
}

SignatureParts ToParts(const Json& json) {
  SignatureParts parts;
  for (const Json& parameter : json.at("parameters")) {
    parts.parameters.push_back({parameter.at("name"), ToKind(parameter.at("kind")),
                                parameter.at("optional"), ToType(parameter.at("type"))});
  }
  if (json.contains("captures")) {
    for (const Json& capture : json.at("captures")) {
      parts.captures.push_back({capture.at(0), ToType(capture.at(1))});
    }
  }
  if (json.contains("output")) parts.output = ToType(json.at("output"));
  return parts;
}

TypeSpec ToKnownType(const Json& json) {
  if (json.is_null()) Unknown("type", json);
  return ToType(json);
}

StatusOr<FunctionType> MakeType(const Json& json) {
  SignatureParts parts = ToParts(json);
  return FunctionType::Make(std::move(parts.parameters), std::move(parts.captures),
                            std::move(parts.output));
}

FunctionType ToFunctionType(const Json& json) { return Must(MakeType(json)); }

CallArguments ToArguments(const Json& args, const Json& kwargs) {
  return {ToValues(args), ToNamedValues(kwargs)};
}

Defaults ToDefaults(const Json& json) {
  Defaults defaults;
  for (const auto& item : json.items()) defaults.emplace(item.key(), ToValue(item.value()));
  return defaults;
}

}  // namespace signet::vectors
