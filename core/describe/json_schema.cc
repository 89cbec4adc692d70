#include "core/describe/json_schema.h"

#include <limits>

#include "signet/dtype.h"
#include "signet/extension_spec.h"
#include "signet/literal_spec.h"
#include "signet/ragged_spec.h"
#include "signet/record_spec.h"
#include "signet/sequence_spec.h"
#include "signet/sparse_spec.h"
#include "signet/structured_spec.h"
#include "signet/tensor_spec.h"

namespace signet {
namespace {

using Json = nlohmann::ordered_json;

constexpr char kNotation[] = "x-signet-type";

Json NumberOf(const DTypeInfo& info) {
  Json schema = {{"type", "integer"}};
  if (info.size >= 4) schema["format"] = info.size == 4 ? "int32" : "int64";
  const auto bits = static_cast<unsigned>(info.size * 8);
  if (info.family == DTypeClass::kSignedInteger) {
    const int64_t most = static_cast<int64_t>(~uint64_t{0} >> (65 - bits));
    schema["minimum"] = -most - 1;
    schema["maximum"] = most;
  } else {
    if (info.size >= 4) schema["format"] = info.size == 4 ? "uint32" : "uint64";
    schema["minimum"] = 0;
    schema["maximum"] = ~uint64_t{0} >> (64 - bits);
  }
  return schema;
}

Json ElementSchema(DType dtype) {
  const DTypeInfo& info = InfoOf(dtype);
  Json schema;
  switch (info.family) {
    case DTypeClass::kBool:
      schema = {{"type", "boolean"}};
      break;
    case DTypeClass::kSignedInteger:
    case DTypeClass::kUnsignedInteger:
      schema = NumberOf(info);
      break;
    case DTypeClass::kFloat:
      schema = {{"anyOf",
                 {{{"type", "number"}},
                  {{"type", "string"}, {"enum", {"NaN", "Infinity", "-Infinity"}}}}}};
      break;
    case DTypeClass::kComplex:
      schema = {{"anyOf",
                 {{{"type", "number"}},
                  {{"type", "array"},
                   {"items", {{"type", "number"}}},
                   {"minItems", 2},
                   {"maxItems", 2}}}}};
      break;
    case DTypeClass::kString:
      schema = {{"anyOf",
                 {{{"type", "string"}},
                  {{"type", "object"},
                   {"properties", {{"b64", {{"type", "string"}}}}},
                   {"required", {"b64"}},
                   {"additionalProperties", false}}}}};
      break;
  }
  schema[kNotation] = NameOf(dtype);
  return schema;
}

Json ListOf(Json items, int64_t size) {
  Json schema = {{"type", "array"}, {"items", std::move(items)}};
  if (size >= 0) {
    schema["minItems"] = size;
    schema["maxItems"] = size;
  }
  return schema;
}

// Adds a list per dimension of `shape`, except for the first `outer` ones.
Json InLists(Json schema, const PartialShape& shape, int outer) {
  for (int axis = shape.rank() - 1; axis >= outer; --axis) {
    schema = ListOf(std::move(schema), shape.dim(axis));
  }
  return schema;
}

Json SchemaOf(const TypeSpec& type, int outer);

Json ObjectOf(std::span<const std::string> names, std::span<const TypeSpec> types) {
  Json properties = Json::object();
  Json required = Json::array();
  for (size_t i = 0; i < names.size(); ++i) {
    properties[names[i]] = JsonSchemaOf(types[i]);
    required.push_back(names[i]);
  }
  return {{"type", "object"}, {"properties", std::move(properties)}, {"required", required}};
}

Json NullOr(Json schema) {
  Json notation = schema.contains(kNotation) ? schema[kNotation] : Json();
  Json out = {{"anyOf", {std::move(schema), {{"type", "null"}}}}};
  if (!notation.is_null()) out[kNotation] = notation;
  return out;
}

Json RecordOf(const StructuredSpec& record) {
  Json properties = Json::object();
  Json required = Json::array();
  for (size_t i = 0; i < record.field_names().size(); ++i) {
    const size_t child = record.WrittenChild(i);
    const std::string& name = record.field_names()[child];
    const TypeSpec& field = record.children()[child];
    const bool is_optional = record.IsOptionalChild(child);
    const bool has_default = static_cast<bool>(field.rep().notes().default_value);
    // An optional field has a dimension for its absence.
    Json schema = SchemaOf(field, record.rank() + (is_optional ? 1 : 0));
    std::string notation = record.FieldToString(child);
    if (size_t colon = notation.find(": "); colon != notation.npos) notation.erase(0, colon + 2);
    schema[kNotation] = std::move(notation);
    if (is_optional || has_default) schema = NullOr(std::move(schema));
    if (!is_optional && !has_default) required.push_back(name);
    properties[name] = std::move(schema);
  }
  return {{"type", "object"}, {"properties", std::move(properties)}, {"required", required}};
}

Json SparseSchema(const SparseSpec& sparse) {
  const Json integers = ListOf({{"type", "integer"}}, -1);
  return {{"type", "object"},
          {"properties",
           {{"indices", ListOf(integers, -1)},
            {"values", ListOf(ElementSchema(sparse.dtype()), -1)},
            {"dense_shape", integers}}},
          {"required", {"indices", "values", "dense_shape"}}};
}

Json LiteralSchema(const Literal& literal) {
  switch (literal.kind()) {
    case Literal::Kind::kNone:
      return {{"type", "null"}};
    case Literal::Kind::kBool:
      return {{"const", literal.bool_value()}};
    case Literal::Kind::kInt:
      if (auto value = literal.AsInt64()) return {{"const", *value}};
      return {{"type", "integer"}};
    case Literal::Kind::kFloat:
      return {{"const", literal.float_value()}};
    case Literal::Kind::kString:
      return {{"const", literal.string_value()}};
  }
  return Json::object();
}

Json SequenceSchema(std::span<const TypeSpec> elements) {
  Json prefix = Json::array();
  for (const TypeSpec& element : elements) prefix.push_back(JsonSchemaOf(element));
  const size_t size = elements.size();
  Json schema = {{"type", "array"}, {"minItems", size}, {"maxItems", size}};
  if (size > 0) schema["prefixItems"] = std::move(prefix);
  return schema;
}

Json ExtensionSchema(const ExtensionSpec& extension) {
  Json schema = ObjectOf(extension.component_names(), extension.children());
  schema["properties"]["$type"] = {{"type", "string"}};
  for (const auto& [name, value] : extension.statics()) {
    schema["properties"][name] = JsonSchemaOf(value);
  }
  return schema;
}

Json ShapedSchema(const TypeSpec& type, Json element, int outer) {
  const PartialShape& shape = *type.shape();
  // A type of unknown rank accepts lists of any depth.
  return shape.has_rank() ? InLists(std::move(element), shape, outer) : Json::object();
}

// `outer` is the number of dimensions that the records around a field have.
Json SchemaOf(const TypeSpec& type, int outer) {
  if (!type) return Json::object();
  switch (type.kind()) {
    case TypeKind::kTensor:
      return ShapedSchema(type, ElementSchema(type.As<TensorSpec>()->dtype()), outer);
    case TypeKind::kRagged:
      return ShapedSchema(type, ElementSchema(type.As<RaggedSpec>()->dtype()), outer);
    case TypeKind::kStructured:
      return ShapedSchema(type, RecordOf(*type.As<StructuredSpec>()), outer);
    case TypeKind::kSparse:
      return SparseSchema(*type.As<SparseSpec>());
    case TypeKind::kLiteral:
      return LiteralSchema(type.As<LiteralSpec>()->literal());
    case TypeKind::kList:
    case TypeKind::kTuple:
      return SequenceSchema(type.children());
    case TypeKind::kDict:
      return ObjectOf(type.As<DictSpec>()->keys(), type.children());
    case TypeKind::kNamedTuple:
      return ObjectOf(type.As<NamedTupleSpec>()->field_names(), type.children());
    case TypeKind::kExtension:
      return ExtensionSchema(*type.As<ExtensionSpec>());
    case TypeKind::kAny:
      return Json::object();
  }
  return Json::object();
}

}  // namespace

Json JsonSchemaOf(const TypeSpec& type) {
  Json schema = SchemaOf(type, 0);
  schema[kNotation] = type ? type.ToString() : "any";
  return schema;
}

}  // namespace signet
